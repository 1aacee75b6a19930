/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The only way into the new trace. */
#include <errno.h>
#include <string.h>

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

int condense_write_lines(struct condensing *condensing, uint32_t module, const struct event_line *lines, size_t count,
			 struct event_line_level *levels, size_t level_count)
{
	const struct trace_module *known = trace_model_module(condensing->model, module);
	int r = 1;

	for (size_t i = 0; condensing->scrub && i < level_count && r > 0; i++)
		r = scrub_level(condensing->scrub, known, &levels[i]);
	return r <= 0 ? r : event_log_add_embed_lines(condensing->log, module, lines, count);
}
