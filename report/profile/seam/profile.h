/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The interface between reading traces and rendering them: weighted call chains and walked tasks of
 * all given traces, after the filters. Below it nothing prints; above it nothing knows about files,
 * chunks or ELF.
 *
 * Everything is a small number: frames, call chains, tasks and sources are interned while the
 * traces are read; names are looked up only when a view asks (profile_symbol), once per frame. A
 * call chain is a path in one tree of nodes: node 0 is the root, a chain is identified by its leaf
 * node. Kernel frames are leaf-ward of user frames. Returned pointers are valid as long as the
 * profile.
 */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/profile/seam/profile_cgroup.h"
#include "report/profile/seam/profile_filter.h"
#include "report/profile/seam/profile_walk.h"

enum profile_source_kind { /* in the order of reports */
	PROFILE_CPU,
	PROFILE_OFFCPU,
	PROFILE_WAKERS,
	PROFILE_TRACEPOINT,
	PROFILE_KFUNC,
	PROFILE_TASKS,
	PROFILE_SOURCE_KINDS,
	PROFILE_ALL_KINDS = (1 << PROFILE_SOURCE_KINDS) - 1, /* bits */
};

struct profile_source {
	enum profile_source_kind kind;
	const char *name;        /* "cycles", "cpu-clock", a probe's name */
	const char *weight_unit; /* "samples", "cycles", "ns" */
	uint64_t frequency;
	uint64_t samples, weight; /* after filters, including what is hidden: the denominators */
	uint64_t duration;        /* ns recorded, the longest of the traces */
	uint64_t recorded;	  /* ns recorded within the requested times, the sum of all traces */
	bool user_stacks, software_fallback;
	bool left_out; /* excluded by --source or --probe */
};

struct profile_task {
	uint32_t host, tgid, tid;
	uint64_t start;
	const char *comm;
	bool kernel_thread;
	const struct profile_cgroup *cgroup; /* the one it was in; NULL: not recorded */
};

struct profile_node { /* of the call chain tree */
	uint32_t parent, frame;
};

enum profile_note {
	NOTE_NONE,
	NOTE_TRUNCATED, /* at the root: the recorded part of the stack ends here */
	NOTE_NO_CFI,
	NOTE_BAD_RETURN,
	NOTE_TOO_DEEP,
	NOTE_TAIL,    /* callers from here on were found by frame pointers; some may be missing */
	NOTE_SWITCHED, /* at the root: the stack continues elsewhere */
	NOTE_SWITCHED_TAIL, /* like NOTE_TAIL, on another stack */
	NOTE_NO_MEMORY, /* at the root: the stack was not in memory when it was to be copied */
	NOTE_CALLER_UNKNOWN, /* callers may be missing before the next one, which was found by frame pointers */
	NOTES
};

struct profile_frame {
	uint32_t module;
	/* Kernel: offset in the module; user: link-time address or file offset; no module: raw address. */
	uint64_t address;
	/* Where it was first seen, unless PROFILE_EACH_ADDRESS was set; 0 if it was not stored. */
	uint64_t run_time_address;
	bool kernel;
	bool caller; /* the address is a return address: after the call */
	uint8_t note; /* enum profile_note: not code, but a note about the chain */
	uint16_t inline_depth; /* 0: a real function; else inlined in it, at this depth */
};

struct profile_module {   /* number 0: no module, "[unknown]" */
	const char *name; /* base name, or "[kernel]", "[ext4]", "[vdso]", "[anon]" */
	const char *path;
	const char *build_id; /* lower-case hex, "" if there is none */
	bool kernel;
};

struct profile_symbol {
	const char *name; /* demangled unless --mangled; NULL: unknown */
	uint64_t offset;  /* of the frame's address in the symbol, or in the function it is inlined in */
	uint64_t start;   /* module address of the symbol */
	const char *file; /* full path as far as known; NULL: unknown */
	uint32_t line;	  /* 0: none in particular */
	bool inlined, no_offset; /* no_offset: no start either; the name is from DWARF, or a note */
	bool placed; /* no name, but the start of the function is known from its unwind information */
};

enum profile_chain_flag {
	CHAIN_KERNEL_TRUNCATED = 1,
	CHAIN_USER_TRUNCATED = 2,
	CHAIN_USER_MISSING = 4,
	CHAIN_LATE = 8, /* from the second half of its recording; only with PROFILE_EACH_HALF */
};

struct profile_entry { /* unique (source, chain, task, flags, CPU) */
	uint32_t source, node, task;
	uint16_t flags, cpu; /* cpu: PROFILE_NO_CPU if not known, or PROFILE_EACH_CPU was not set */
	uint64_t samples, weight;
	/* Of waits: the parts of the weight, ns, in which threads waited for a CPU, and that quotas took. */
	uint64_t run_queue, throttled;
};

struct profile;

/*
 * Reads all traces ("-" = stdin). 0, or -errno after reporting why. A damaged trace is read as far
 * as possible, and the account says so.
 */
int profile_create(const char *const *paths, size_t count, const struct profile_filter *filter,
		   const struct profile_names *names, struct profile **ret_profile);
void profile_destroy(struct profile *profile);

/* Call at the end: -ENOMEM, after reporting it, if names are missing for lack of memory. The report is not valid. */
int profile_check_names(const struct profile *profile);

/* Sources are in the order of reports, entries by source, node, task, tasks of walks by walk, task. */
size_t profile_sources(const struct profile *profile, const struct profile_source **ret_sources);
size_t profile_entries(const struct profile *profile, const struct profile_entry **ret_entries);
const struct profile_node *profile_nodes(const struct profile *profile, size_t *ret_count);
const struct profile_frame *profile_frames(const struct profile *profile, size_t *ret_count);
const struct profile_module *profile_modules(const struct profile *profile, size_t *ret_count);
const struct profile_task *profile_tasks(const struct profile *profile, size_t *ret_count);
/* The name of a task's process: the last comm of its first thread, if that is known. Not safe to print unescaped. */
const char *profile_process_comm(const struct profile *profile, uint32_t task);
/* Whether the task passes -c, --pid and --tid. */
bool profile_task_wanted(const struct profile *profile, uint32_t task);
size_t profile_walks(const struct profile *profile, const struct profile_walk **ret_walks);
size_t profile_walk_tasks(const struct profile *profile, const struct profile_walk_task **ret_rows);

/*
 * Looks up the frame's name, once. The profile uses pc-1 for callers: a frame seen both as leaf and
 * as caller is two frames.
 */
const struct profile_symbol *profile_symbol(struct profile *profile, uint32_t frame);

#endif
