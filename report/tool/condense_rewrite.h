/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a tool does to the records of a condensed trace while they are written. It is called with
 * each record as the last step, may change members in place, and decides whether the record is
 * written. Texts may be replaced with ones that belong to the tool and are valid until its next
 * call. Order: `begin`; META, CLOCK, SOURCE and PROBE; the events in time order; all other records
 * of STATE, as far as the events refer to them; what was embedded; END. So when a tool sees a
 * module or a symbol, it has seen all events. The writer makes the file header, and its copy in
 * META, itself.
 *
 * All functions return 1: write the record; 0: leave it out; -errno: give up, which the tool has
 * not reported. NULL: nothing is changed.
 */
#ifndef RWALKER_REPORT_TOOL_CONDENSE_REWRITE_H
#define RWALKER_REPORT_TOOL_CONDENSE_REWRITE_H

#include "format/event_log.h"
#include "report/profile/gather/chain.h"
#include "report/tool/tool.h"

struct condense_rewrite {
	void *data;    /* passed to all of them */
	uint64_t realtime; /* of the file header; 0: that of the section */
	/* A section begins. Its model contains what was read of it; its timeline is at its start. */
	int (*begin)(void *data, const struct chain_context *context);
	/* Records without task, stack or list: STATE and END, WALK, EMBED_MODULE, EMBED_UNWIND (MINI_DEBUG_INFO). */
	int (*record)(void *data, struct event *record);
	/*
	 * `others`: WAIT_OTHERS tasks: the waker and the owner of a WAIT, or the target of a WAKE
	 * (the rest is zero). NULL for other kinds. `stacks`: NULL if the kind has none.
	 */
	int (*event)(void *data, struct event *event, struct event_task *task, struct event_task *others,
		     struct event_stacks *stacks);
	/* For an EMBED_SYMBOLS or PERF_MAP record, ascending by address. *count may be reduced. */
	int (*symbols)(void *data, struct event *record, struct event_symbol *symbols, size_t *count);
	int (*lines)(void *data, struct event *record, struct event_line *lines, size_t *count);
	/* The section is complete except for END. More embedded records may be added to the log. 0, -errno. */
	int (*end)(void *data, struct event_log *log);
};

/* Like the function of a tool. `rewrite`: NULL: nothing is changed. */
int condense_trace(const struct tool_request *request, const struct condense_rewrite *rewrite, bool *ret_damaged);

#endif
