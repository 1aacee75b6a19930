/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the files condense*.c share and nobody else sees. A trace is condensed section by section: STATE records as they are
 * (without the command line), then the events in the order of time, each user stack as the chain that its snapshot unwinds to,
 * then what was embedded (without unwind information), then END.
 */
#ifndef RWALKER_REPORT_TOOL_CONDENSE_PARTS_H
#define RWALKER_REPORT_TOOL_CONDENSE_PARTS_H

#include "format/event_log.h"
#include "report/profile_unwind.h"
#include "report/tool/tool.h"
#include "report/tool/trace_output.h"

struct condense_counts {
	uint64_t unwound, broken; /* user stacks; of these: through modules whose unwind tables are missing */
	uint64_t snapshots_missing; /* that events refer to */
	uint64_t cut;		    /* chains, as a path would have been too long */
	uint64_t left_out;	    /* records that cannot be carried over: unknown, without a task, beyond a limit */
	uint64_t malformed;	    /* chunks, which end where they are */
	uint64_t events_late;
};

struct condense_missing { /* by number of the module in the profile */
	uint64_t stacks, last; /* last: the stack that was counted last, from 1 */
};

struct condensing {
	struct profile *profile;
	struct trace_file *file;
	struct trace_output output;
	struct condense_counts counts;
	struct condense_missing *missing;
	size_t missing_room;
	bool partial;
	bool holds_tables; /* the recorder embedded unwind information */
	/* Of the section at hand: */
	struct trace_model *model;
	struct event_log *log;
	struct chain_context context;
	uint64_t kernel[RWK_MAX_FRAMES], user[RWK_MAX_PATH];
};

/* condense_records.c: the records of a section that are no events. 0, -ENOMEM, -errno of reading or writing; -ECANCELED: Ctrl-C. */
int condense_state(struct condensing *condensing);
int condense_embedded(struct condensing *condensing);
int condense_end(struct condensing *condensing, enum rwk_end_reason reason);
/* What event_log said: a record that the format refuses is left out. */
int condense_taken(struct condensing *condensing, int r);

/* condense_lines.c: the record EMBED_LINES. As event_log. */
int condense_take_lines(struct condensing *condensing, struct event *event);

/* condense_events.c. As above. */
int condense_events(struct condensing *condensing);

/* condense_missing.c: the modules of which unwind tables would have been needed. */
bool condense_holds_tables(const struct trace_file *file);
int condense_note_missing(struct condensing *condensing, uint32_t process, const struct unwind_chain *chain);
/* Names them; refuses with -ENODATA unless --partial was given. */
int condense_tell_missing(const struct condensing *condensing);

#endif
