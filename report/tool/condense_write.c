/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The only way into the new trace. */
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "format/event_lines.h"
#include "report/tool/condense_parts.h"

int condense_write(struct condensing *condensing, struct event *record)
{
	int r = condensing->scrub ? scrub_record(condensing->scrub, condensing->model, record) : 1;

	if (r <= 0)
		return r;
	return record->kind == EVENT_EMBED_MODULE ?
		       event_log_add_embed_module(condensing->log, &record->embed_module) :
		       event_log_add(condensing->log, record);
}

static int add_event(struct event_log *log, struct event *event, const struct event_task *task,
		     const struct event_task *others, const struct event_stacks *stacks)
{
	switch (event->kind) {
	case EVENT_SAMPLE:
		return event_log_add_sample(log, &event->sample, task, stacks);
	case EVENT_WALK_TASK:
		return event_log_add_walk_task(log, &event->walk_task, task,
					       others ? &others[WAIT_OWNER] : NULL, stacks);
	case EVENT_WAIT:
		return event_log_add_wait(log, &event->wait, task, others, stacks);
	case EVENT_WAKE:
		return event_log_add_wake(log, &event->wake, task, others, stacks);
	case EVENT_USER_STACK:
		return event_log_add_user_stack(log, &event->user_stack, task, stacks);
	case EVENT_WAIT_SUMS:
		return event_log_add_wait_sums(log, &event->wait_sums, task);
	default:
		return -EINVAL;
	}
}

static int scrub_tasks(struct condensing *condensing, struct event *event, struct event_task *own,
		       struct event_task *others)
{
	int r = scrub_record(condensing->scrub, condensing->model, event);

	if (r > 0)
		r = scrub_task(condensing->scrub, own);
	for (size_t i = 0; i < WAIT_OTHERS && r > 0; i++)
		r = scrub_task(condensing->scrub, &others[i]);
	return r;
}

int condense_write_event(struct condensing *condensing, struct event *event, const struct event_task *task,
			 const struct event_task *others, struct event_stacks *stacks)
{
	struct event_task own = *task, copies[WAIT_OTHERS] = {0};
	int r = 1;

	if (others)
		memcpy(copies, others, sizeof(copies));
	if (condensing->scrub)
		r = scrub_tasks(condensing, event, &own, copies);
	return r <= 0 ? r : add_event(condensing->log, event, &own, others ? copies : NULL, stacks);
}

int condense_write_symbols(struct condensing *condensing, uint32_t module, uint32_t tgid,
			   struct event_symbol *symbols, size_t count)
{
	const struct trace_module *known = tgid ? NULL : trace_model_module(condensing->model, module);
	int r = 1;

	for (size_t i = 0; condensing->scrub && i < count && r > 0; i++)
		r = scrub_function(condensing->scrub, known, &symbols[i].name);
	if (r <= 0)
		return r;
	return tgid ? event_log_add_perf_map(condensing->log, tgid, symbols, count) :
		      event_log_add_embed_symbols(condensing->log, module, symbols, count);
}

/* --- source lines --- */

struct gathered_lines { /* of one record */
	struct event_lines reader;
	ARRAY(struct event_line) lines;
	ARRAY(struct event_line_level) levels; /* of all lines, concatenated */
};

static void cleanup_lines(struct gathered_lines *gathered)
{
	event_lines_deinit(&gathered->reader);
	array_free(&gathered->lines);
	array_free(&gathered->levels);
}

/* The reader's levels are valid only for the current line. */
static int keep_line(struct gathered_lines *gathered, const struct event_line *line)
{
	for (uint32_t i = 0; i < line->level_count; i++)
		if (array_push(&gathered->levels, line->levels[i]) < 0)
			return -ENOMEM;
	return array_push(&gathered->lines, *line);
}

static int gather(struct event *event, struct gathered_lines *gathered)
{
	const struct event_line_level *next;
	struct event_line line;
	int r = event_lines_start(&gathered->reader, event);

	while (r >= 0 && (r = event_lines_next(&gathered->reader, &line)) > 0)
		r = keep_line(gathered, &line);
	next = gathered->levels.items;
	for (size_t i = 0; i < gathered->lines.count; i++) {
		gathered->lines.items[i].levels = next;
		if (next) /* lines without levels have none */
			next += gathered->lines.items[i].level_count;
	}
	return r;
}

int condense_write_lines(struct condensing *condensing, struct event *event)
{
	_cleanup_(cleanup_lines) struct gathered_lines gathered = {0};
	const struct trace_module *module = trace_model_module(condensing->model, event->embed_lines.module);
	int r = gather(event, &gathered);

	if (r < 0)
		return r == -EBADMSG ? -EINVAL : r;
	for (size_t i = 0; condensing->scrub && i < gathered.levels.count && r >= 0; i++)
		r = scrub_level(condensing->scrub, module, &gathered.levels.items[i]);
	return r < 0 ? r : event_log_add_embed_lines(condensing->log, event->embed_lines.module, gathered.lines.items,
						     gathered.lines.count);
}
