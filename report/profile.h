/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The seam between what reads traces and what renders them: weighted call chains and walked tasks, of all traces
 * given, after the filters. Left of it nobody prints; right of it nobody knows about files, chunks or ELF.
 *
 * Everything is a small number: frames, call chains, tasks, sources are interned once while the traces are read; names are
 * looked up only when a view asks (profile_symbol), once per frame. A call chain is a path in one tree of nodes: node 0 is the
 * root, a chain is known by its leaf node. Kernel frames lie leaf-ward of user frames. Pointers lent out live as long as the profile.
 */
#ifndef RWALKER_REPORT_PROFILE_H
#define RWALKER_REPORT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/profile_filter.h"

/* In the order in which reports print them. */
enum profile_source_kind {
	PROFILE_CPU,
	PROFILE_OFFCPU,
	PROFILE_WAKERS,
	PROFILE_TRACEPOINT,
	PROFILE_KFUNC,
	PROFILE_TASKS,
	PROFILE_SOURCE_KINDS
};

struct profile_source {
	enum profile_source_kind kind;
	const char *name;        /* "cycles", "cpu-clock", a probe's name */
	const char *weight_unit; /* "samples", "cycles", "ns" */
	uint64_t frequency;
	uint64_t samples, weight; /* after filters, shown and hidden alike: the denominators */
	uint64_t duration;        /* ns recorded, longest over the traces */
	bool user_stacks, software_fallback;
	bool left_out; /* --source or --probe asked for others only */
};

struct profile_task {
	uint32_t host, tgid, tid;
	uint64_t start;
	const char *comm;
	bool kernel_thread;
};

struct profile_node { /* of the call chain tree */
	uint32_t parent, frame;
};

enum profile_note {
	NOTE_NONE,
	NOTE_TRUNCATED, /* at the root: what was recorded of the stack ends here */
	NOTE_NO_CFI,
	NOTE_BAD_RETURN,
	NOTE_TOO_DEEP,
	NOTE_TAIL,    /* callers from here on were found by frame pointers; some may be missing */
	NOTE_GUESSED, /* callers from here on were guessed */
	NOTES
};

struct profile_frame {
	uint32_t module;
	/* In the module: offset in the kernel's, link-time address or file offset in users'; raw where there is none. */
	uint64_t address;
	uint64_t run_time_address; /* of its first sighting; 0 where it was not stored */
	bool kernel;
	bool caller; /* the address is a return address: behind the call */
	uint8_t note; /* enum profile_note: no code, but what is to be said of the chain there */
	uint16_t inline_depth; /* 0: a real function; else inlined in it, so many calls deep */
};

struct profile_module {   /* number 0: no module, "[unknown]" */
	const char *name; /* base name, or "[kernel]", "[ext4]", "[vdso]", "[anon]" */
	const char *path;
	const char *build_id; /* lower-case hex, "" where there is none */
	bool kernel;
};

struct profile_symbol {
	const char *name; /* demangled unless --mangled; NULL: not known */
	uint64_t offset;  /* of the frame's address in the symbol, or in the one that it is inlined in */
	uint64_t start;   /* module address of the symbol */
	const char *file; /* full path as far as it is known; NULL: not known */
	uint32_t line;	  /* 0: none in particular */
	bool inlined, no_offset; /* no_offset: nor a start; the name is from DWARF, or a note */
};

enum profile_chain_flag { CHAIN_KERNEL_TRUNCATED = 1,
			  CHAIN_USER_TRUNCATED = 2,
			  CHAIN_USER_MISSING = 4 };

struct profile_entry { /* unique (source, chain, task, flags) */
	uint32_t source, node, task, flags;
	uint64_t samples, weight;
};

enum profile_wait_bound { PROFILE_WAIT_EXACT = 1,
			  PROFILE_WAIT_AT_LEAST,
			  PROFILE_WAIT_AT_MOST,
			  PROFILE_WAIT_NONE };

struct profile_walk { /* one pass over all tasks */
	uint32_t host, number;
	uint64_t time, realtime; /* when it began; realtime ns since 1970, 0 unknown */
	uint64_t seen, kept;
};

struct profile_walk_task {
	uint32_t walk; /* index in the list of walks */
	uint32_t task, node, flags;
	char state[24]; /* "D", "S", "R", "D (killable)" ...: letter first */
	uint64_t wait;  /* ns */
	enum profile_wait_bound bound;
	uint32_t cpu;
	bool on_cpu, iowait, queued;
	const char *no_user; /* why a user stack that was asked for is not there; NULL: it is, or there can be none */
};

/* What stands under every report so that an empty or thin profile never reads as innocent. Lines are ready to print, without newline. */
struct profile_account {
	const char *const *lines;
	size_t count;
	bool lost; /* events were lost, the trace is damaged, or Ctrl-C left something out: exit code 3 */
};

struct profile;

/*
 * Reads all traces ("-" = stdin). 0, or -errno after it said why. A damaged trace is read as far as it goes, and the account says so.
 */
int profile_create(const char *const *paths, size_t count, const struct profile_filter *filter,
		   const struct profile_names *names, struct profile **ret_profile);
void profile_destroy(struct profile *profile);

size_t profile_sources(const struct profile *profile, const struct profile_source **ret_sources); /* in report order */
size_t profile_entries(const struct profile *profile, const struct profile_entry **ret_entries);  /* sorted by source, node, task */
const struct profile_node *profile_nodes(const struct profile *profile, size_t *ret_count);
const struct profile_frame *profile_frames(const struct profile *profile, size_t *ret_count);
const struct profile_module *profile_modules(const struct profile *profile, size_t *ret_count);
const struct profile_task *profile_tasks(const struct profile *profile, size_t *ret_count);
size_t profile_walks(const struct profile *profile, const struct profile_walk **ret_walks);
size_t profile_walk_tasks(const struct profile *profile, const struct profile_walk_task **ret_rows); /* walk order, then task */
void profile_account(const struct profile *profile, struct profile_account *ret_account);

/* Looks the frame's name up, once. pc-1 for callers is the profile's affair: a frame seen both as leaf and caller is two frames. */
const struct profile_symbol *profile_symbol(struct profile *profile, uint32_t frame);

#endif
