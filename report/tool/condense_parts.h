/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Private to condense*.c. A trace is condensed section by section. First come the STATE records
 * that refer to nothing (without the command line), then the events in time order, each user stack
 * as the chain that its snapshot unwinds to, cut at the first address that is not code. Then come
 * the records that name something (STATE, and what was embedded, without unwind information), as
 * far as events refer to them, then END.
 */
#ifndef RWALKER_REPORT_TOOL_CONDENSE_PARTS_H
#define RWALKER_REPORT_TOOL_CONDENSE_PARTS_H

#include "common/array.h"
#include "common/hash_map.h"
#include "format/event_log.h"
#include "format/section_id.h"
#include "report/profile/profile_internal.h"
#include "report/tool/scrub.h"
#include "report/tool/tool.h"
#include "report/tool/trace_output.h"

struct condense_counts {
	uint64_t unwound, broken; /* user stacks; of these, those through modules whose unwind tables are missing */
	uint64_t snapshots_missing; /* referred to by events */
	uint64_t cut;		    /* chains whose path would have been too long */
	uint64_t left_out;	    /* records that cannot be copied: unknown, without a task, beyond a limit */
	uint64_t malformed;	    /* damaged chunks, which end early */
	uint64_t events_late;
	uint64_t astray, unknown; /* user stacks that were cut at a non-code address, or where no code is known */
};

struct condense_place { /* whether an address of an address space is code; if so, its use was noted */
	uint64_t space, address; /* space 0: empty */
	bool leaf, found;
};

enum { CONDENSE_PLACE_BITS = 15 };

/* What the events of a section refer to, and what follows from that. */
enum condense_use {	 /* owner                        value */
	USE_MODULE = 1, /* id in the section            0 */
	USE_CODE,	/* module's number in the profile   address in it */
	USE_LINEAGE,	/* tgid: of a user stack, or of an ancestor of its process   0 */
	USE_BLIND,	/* tgid: its first stack was in no mapping, though some were known; 1: one is kept */
	USE_LATE,	/* tgid                         key of a mapping that was not there from the beginning */
	USE_OBJECT,	/* number in the section        0 */
};

struct condense_code { /* an address in a stack */
	uint32_t module; /* id in the section */
	uint32_t number; /* of the module in the profile */
	uint64_t address; /* link-time; of the kernel, an offset; of memory without a file, in its process */
};

struct condense_missing { /* by module number in the profile */
	const struct module *module;
	uint64_t stacks, last; /* last: the stack that was counted last, from 1 */
};

struct condensing {
	struct profile *profile;
	struct trace_file *file;
	struct trace_output output;
	struct scrub *scrub; /* NULL: names stay */
	struct condense_counts counts;
	struct condense_missing *missing;
	size_t missing_room;
	bool partial;
	bool holds_tables; /* the recorder embedded unwind information */
	char (*ids)[SECTION_ID_TEXT]; /* of the new sections, by the number of the old one; "": none yet */
	/* Of the current section: */
	struct trace_model *model;
	struct event_log *log;
	struct hash_map used; /* a set of enum condense_use, owner and value */
	struct hash_map build_ids; /* of modules that were hit, in all sections so far: a later one may add to this */
	struct condense_counts before; /* the counts at the start of the section */
	struct condense_place *places; /* 1 << CONDENSE_PLACE_BITS */
	ARRAY(struct condense_code) code;
	struct chain_context context;
	uint64_t kernel[RWK_MAX_FRAMES], user[RWK_MAX_PATH];
};

/* condense.c: totals that are written again after everything else. */
bool condense_writes_total(const struct event_loss *loss);

/*
 * condense_records.c: copies the records of a section that are not events: those before the events,
 * and after them those that events refer to. 0, -ENOMEM, -errno of reading or writing; -ECANCELED:
 * Ctrl-C.
 */
int condense_state(struct condensing *condensing);
int condense_referred(struct condensing *condensing);
int condense_embedded(struct condensing *condensing);
int condense_end(struct condensing *condensing, enum rwk_end_reason reason);
int condense_object_names(struct condensing *condensing); /* stand-ins for them */
/* Handles the result of event_log: a record that the format rejects is left out. */
int condense_taken(struct condensing *condensing, int r);

/* condense_symbols.c: writes the names of the code in the stacks. */
int condense_symbols(struct condensing *condensing);

/* condense_events.c: the events. As above. */
int condense_events(struct condensing *condensing);

/* condense_stacks.c: the stacks of one event, cut. `flags` and the other pointers lead to members of the event. */
struct condense_user {
	uint32_t leaf, *snapshot;
	uint64_t *flags, truncated; /* the flag for a cut stack */
	uint64_t *missing;
};

int condense_stacks(struct condensing *condensing, const struct event_task *task, uint32_t kernel,
		    const struct condense_user *user, struct event_stacks *stacks);

/* condense_referred.c: adds to the set of what events refer to. 1: it is new; 0; -ENOMEM. */
int condense_use(struct condensing *condensing, enum condense_use use, uint32_t owner, uint64_t value);
bool condense_is_used(const struct condensing *condensing, enum condense_use use, uint32_t owner, uint64_t value);
/* An address of a module, by its number in the profile. 0, -ENOMEM. */
int condense_use_code(struct condensing *condensing, uint32_t module, uint32_t number, uint64_t address);
int condense_use_kernel(struct condensing *condensing, uint32_t module, uint64_t offset);
int condense_use_object(struct condensing *condensing, uint32_t number);
/* Call once, after the last event. */
int condense_settle(struct condensing *condensing);
/* Whether a record of STATE or EMBED names something that an event refers to, or nothing at all. May clear a text. */
bool condense_is_referred(struct condensing *condensing, struct event *event);

/* condense_write.c: adds a record to the log, scrubbed if need be. They return what event_log returns. */
int condense_write(struct condensing *condensing, struct event *record);
/* others: of a WAIT, WAIT_OTHERS tasks; of a WAKE, its target in an array of as many; else NULL. */
int condense_write_event(struct condensing *condensing, struct event *event, const struct event_task *task,
			 const struct event_task *others, struct event_stacks *stacks);
/* Of a module or, if `tgid` is not 0, of a process's JIT code; ascending. */
int condense_write_symbols(struct condensing *condensing, uint32_t module, uint32_t tgid,
			   struct event_symbol *symbols, size_t count);
/* Of an EMBED_LINES record. */
int condense_write_lines(struct condensing *condensing, struct event *event);

/* condense_missing.c: the modules whose unwind tables are needed but missing. */
bool condense_holds_tables(const struct trace_file *file);
int condense_note_missing(struct condensing *condensing, uint32_t process, const struct unwind_chain *chain);
/* Lists these modules; returns -ENODATA unless --partial was given. */
int condense_tell_missing(struct condensing *condensing);

#endif
