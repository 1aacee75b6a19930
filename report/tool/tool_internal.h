/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the files of one tool share. */
#ifndef RWALKER_REPORT_TOOL_TOOL_INTERNAL_H
#define RWALKER_REPORT_TOOL_TOOL_INTERNAL_H

#include <regex.h>
#include <stdio.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "format/event.h"
#include "format/event_lines.h"
#include "format/event_log.h"
#include "format/section_id.h"
#include "report/profile/profile_internal.h"
#include "report/read/trace_file.h"
#include "report/read/trace_model.h"
#include "report/tool/tool.h"
#include "report/tool/trace_output.h"

/*
 * The parts of --info, each about one section of a trace, in the order in which they are printed.
 * Text from a trace may contain anything: it is printed escaped, by info_text() and info_line().
 */
void info_text(FILE *out, const char *text);
/* " key text". Prints nothing if there is no text. */
void info_line(FILE *out, const char *key, const char *text);

void info_host(const struct trace_model *model, const struct trace_section *section, FILE *out);
void info_clocks(const struct trace_model *model, FILE *out);
void info_sources(const struct trace_model *model, FILE *out);
/* The probes that were hit; with `verbose`, all probes. */
void info_probes(const struct trace_model *model, bool verbose, FILE *out);
/* The number of cgroups; with `verbose`, each of them. */
void info_cgroups(const struct trace_model *model, bool verbose, FILE *out);
/* Decodes all of the section's events to count them. 0, or -errno after reporting why. */
int info_contents(struct trace_file *file, const struct trace_model *model, FILE *out);
void info_cost(const struct trace_model *model, FILE *out);
/* The modules with something to report; with `verbose`, all modules. */
void info_modules(const struct trace_model *model, bool verbose, FILE *out);

/*
 * Stand-ins for names, for --scrub. Each name gets a random one, which is the same wherever the
 * name occurs in the trace; the table of both is freed at the end, so nobody can translate them
 * back. Numbers stay: pids, addresses, times, inodes, ports. So do names of the kernel and of its
 * modules, and what matches --keep.
 *
 * What is replaced is found in the table of records (format/event_layout.h): a text stays only
 * where a row says so, bytes nowhere. A record that is added to the format is scrubbed without a
 * change here.
 */
struct scrub;

/* `keep`: names that match stay; NULL: none. 0, -ENOMEM. */
int scrub_create(const regex_t *keep, struct scrub **ret_scrub);
void scrub_destroy(struct scrub *scrub);

/*
 * These replace texts by ones that are valid as long as the scrubber. 1, or what is said; -ENOMEM,
 * -errno of the kernel's random numbers.
 */

/* The texts and bytes of a record, not of lists that follow it. 0: leave it out. */
int scrub_record(struct scrub *scrub, const struct trace_model *model, struct event *event);
int scrub_task(struct scrub *scrub, struct event_task *task);
/* A function of a module. `module` may be NULL. */
int scrub_function(struct scrub *scrub, const struct trace_module *module, struct event_text *name);
int scrub_level(struct scrub *scrub, const struct trace_module *module, struct event_line_level *level);

size_t scrub_count(const struct scrub *scrub); /* names that were replaced */

/*
 * A trace is condensed section by section. First come the STATE records
 * that refer to nothing (without the command line), then the events in time order, each user stack
 * as the chain that its snapshot unwinds to, cut at the first address that is not code. Then come
 * the records that name something (STATE, and what was embedded, without unwind information), as
 * far as events refer to them, then END.
 */

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

/* condense.c. Totals that are written again after everything else. */
bool condense_writes_total(const struct event_loss *loss);
/* Counts the modules whose unwind tables are needed but missing. */
int condense_count_missing(struct condensing *condensing, uint32_t process, const struct unwind_chain *chain);

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
int condense_accept(struct condensing *condensing, int r);

int condense_symbols(struct condensing *condensing); /* names of the code in the stacks */

/* condense_events.c. As above. */
int condense_events(struct condensing *condensing);

/* Adds to the set of what events refer to. 1: it is new; 0; -ENOMEM. */
int condense_use(struct condensing *condensing, enum condense_use use, uint32_t owner, uint64_t value);
/* An address of a module, by its number in the profile. 0, -ENOMEM. */
int condense_use_code(struct condensing *condensing, uint32_t module, uint32_t number, uint64_t address);
int condense_use_kernel(struct condensing *condensing, uint32_t module, uint64_t offset);
int condense_use_object(struct condensing *condensing, uint32_t number);
/* Call once, after the last event. */
int condense_finish_uses(struct condensing *condensing);

/* Adds a record to the log, scrubbed if need be. They return what event_log returns. */
int condense_write(struct condensing *condensing, struct event *record);
/* others: of a WAIT, WAIT_OTHERS tasks; of a WAKE, its target in an array of as many; else NULL. */
int condense_write_event(struct condensing *condensing, struct event *event, const struct event_task *task,
			 const struct event_task *others, struct event_stacks *stacks);

#endif
