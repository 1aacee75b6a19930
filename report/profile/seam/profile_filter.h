/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which parts of the traces become a profile, and where names may come from apart from the traces.
 * Filters choose the threads that a profile is about, not those that may appear in it: wakers have
 * names and stacks even if no filter lets them pass. Filters are applied while events are read,
 * before weights are summed, except -U and -K, which leave out frames but not their weight. Plain
 * data, owned by the caller. It and what it points to must live until profile_create() returns, the
 * names as long as the profile.
 */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_FILTER_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum profile_moment_kind {
	PROFILE_MOMENT_NONE,	/* no limit */
	PROFILE_MOMENT_OFFSET,	/* ns since the start of each recording */
	PROFILE_MOMENT_WALL,	/* ns since 1970, UTC */
	PROFILE_MOMENT_DAYTIME, /* ns since midnight, UTC, of the recording's day, or of the next if it ran on */
};

struct profile_moment { /* as given by the user */
	enum profile_moment_kind kind;
	uint64_t ns;
};

struct profile;
struct profile_wait;

/* Decides whether a wait is wanted by what it was for, once names are known. */
struct profile_wait_test {
	/* 1: wanted; 0: not wanted; -ENOMEM. NULL: all waits are wanted. */
	int (*passes)(void *context, const struct profile *profile, const struct profile_wait *wait);
	void *context;
};

enum { PROFILE_WAITS_OPEN = 1 << 30, PROFILE_WAITS_ENDED = 1 << 29 };

/* What a profile keeps because somebody will ask for it. */
enum profile_needs {
	PROFILE_EACH_ADDRESS = 1, /* addresses are shown: a function at two addresses, in two processes, is two frames */
	PROFILE_EACH_CPU = 2,	  /* entries are kept apart by CPU */
	PROFILE_EACH_HALF = 4,	  /* entries are kept apart by the half of their recording: CHAIN_LATE */
	/*
	 * Waits that filters or `apart` leave out are kept and flagged, for views that follow
	 * wakers: any thread may have held up those that the report is about.
	 */
	PROFILE_EVERYONE = 8,
	PROFILE_EACH_EVENT = 16, /* every single event, for profile_events.h */
	/* Also lists recordings without waits, like PROFILE_EACH_EVENT: numbered as the origins (profile_origin.h). */
	PROFILE_EACH_RECORDING = 32,
	/* With PROFILE_EACH_EVENT: without waits and wakeups, for views that use profile_waits(), unless waits are hidden. */
	PROFILE_WAITS_APART = 64,
};

struct profile_filter {
	const regex_t *comm; /* NULL: all */
	const uint32_t *pids, *tids;
	size_t pid_count, tid_count; /* 0: all */
	bool user_threads, kernel_threads; /* only these; not both */
	const char *cgroup, *container; /* patterns; NULL: all */
	const uint64_t *cpus;        /* bitmap of cpu_bits bits, NULL: all */
	size_t cpu_bits;
	uint64_t from, to;  /* offsets from the trace's start, ns; to = UINT64_MAX: no end */
	struct profile_moment from_moment, to_moment; /* override from and to, if given */
	uint32_t sources;   /* bit per enum profile_source_kind; 0: all */
	const char *states; /* letters for walks and waits, NULL: all */
	uint64_t min_wait;  /* walks: -w, ns */
	uint64_t least_wait, most_wait; /* waits: -m and -M, ns, of the whole wait; most 0: any */
	uint32_t classes;   /* waits: bit per enum wait_class, PROFILE_WAITS_OPEN, _ENDED; 0: all */
	struct profile_wait_test on; /* waits, after all other filters */
	bool user_only, kernel_only;
	const char *const *probes; /* tracepoints and functions, names or globs: if given, nothing else passes */
	size_t probe_count;	   /* 0: all */
	uint32_t needs; /* bits of enum profile_needs */
	bool apart; /* waits throughout, and of kernel threads that did nothing, are set apart (profile_apart.h) */
};

struct profile_names {                 /* where names may come from apart from the trace */
	const char *const *debug_dirs; /* NULL-terminated; default /usr/lib/debug */
	const char *symfs;             /* prefix for local files; "" = / ; NULL: no local files at all */
	const char *kallsyms, *vmlinux;
	bool debuginfod;               /* ask the servers in DEBUGINFOD_URLS */
	struct opener *opener;         /* NULL: this process opens them itself */
	struct name_cache *cache;      /* NULL: none */
	const struct trace_inputs *inputs;   /* the traces, opened; NULL: they are opened when they are read */
	const char *sandbox;	       /* how this process is confined, a line for --info; NULL: unknown */
	const struct service *servers;    /* asks the servers; NULL: this process asks them itself */
	const struct service *output;     /* makes the file that a tool writes; NULL: the tool makes it */
	struct progress *progress;     /* NULL: no progress is shown */
	bool mangled;
	bool full; /* names with parameters and all template arguments */
	bool quick; /* no DWARF: no lines, no inlined functions */
};

#endif
