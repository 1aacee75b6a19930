/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The only way into the new trace: each record passes through the rewriter, if there is one. */
#include <errno.h>
#include <string.h>

#include "report/tool/condense_parts.h"

int condense_write(struct condensing *condensing, struct event *record)
{
	const struct condense_rewrite *rewrite = condensing->rewrite;
	int r = rewrite && rewrite->record ? rewrite->record(rewrite->data, record) : 1;

	if (r <= 0)
		return r;
	switch (record->kind) {
	case EVENT_EMBED_MODULE:
		return event_log_add_embed_module(condensing->log, &record->embed_module);
	case EVENT_EMBED_UNWIND:
		return event_log_add_embed_unwind(condensing->log, &record->embed_unwind);
	default:
		return event_log_add(condensing->log, record);
	}
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

int condense_write_event(struct condensing *condensing, struct event *event, const struct event_task *task,
			 const struct event_task *others, struct event_stacks *stacks)
{
	const struct condense_rewrite *rewrite = condensing->rewrite;
	struct event_task own = *task, copies[WAIT_OTHERS] = {0};
	int r = 1;

	if (others)
		memcpy(copies, others, sizeof(copies));
	if (rewrite && rewrite->event)
		r = rewrite->event(rewrite->data, event, &own, others ? copies : NULL, stacks);
	return r <= 0 ? r : add_event(condensing->log, event, &own, others ? copies : NULL, stacks);
}

int condense_write_symbols(struct condensing *condensing, struct event *record, struct event_symbol *symbols,
			   size_t count)
{
	const struct condense_rewrite *rewrite = condensing->rewrite;
	int r = rewrite && rewrite->symbols ? rewrite->symbols(rewrite->data, record, symbols, &count) : 1;

	if (r <= 0)
		return r;
	if (record->kind == EVENT_PERF_MAP)
		return event_log_add_perf_map(condensing->log, record->perf_map.tgid, symbols, count);
	return event_log_add_embed_symbols(condensing->log, record->embed_symbols.module, symbols, count);
}

int condense_write_lines(struct condensing *condensing, struct event *record, struct event_line *lines, size_t count)
{
	const struct condense_rewrite *rewrite = condensing->rewrite;
	int r = rewrite && rewrite->lines ? rewrite->lines(rewrite->data, record, lines, &count) : 1;

	return r <= 0 ? r : event_log_add_embed_lines(condensing->log, record->embed_lines.module, lines, count);
}
