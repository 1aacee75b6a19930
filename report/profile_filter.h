/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What of the traces becomes a profile, and where names may come from beside them. Filters are applied while events are
 * read, before weights are summed, but for -U and -K, which leave frames out and the weight where it was.
 * Plain data of the caller's; it and what it points to must live until profile_create() returns, the names as
 * long as the profile.
 */
#ifndef RWALKER_REPORT_PROFILE_FILTER_H
#define RWALKER_REPORT_PROFILE_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum profile_moment_kind {
	PROFILE_MOMENT_NONE,	/* no limit */
	PROFILE_MOMENT_OFFSET,	/* ns since the start of each recording */
	PROFILE_MOMENT_WALL,	/* ns since 1970, UTC */
	PROFILE_MOMENT_DAYTIME, /* ns since midnight, UTC, of the day on which the recording was or, where it ran on, the next */
};

struct profile_moment { /* as somebody said it */
	enum profile_moment_kind kind;
	uint64_t ns;
};

enum { PROFILE_WAITS_OPEN = 1 << 30, PROFILE_WAITS_ENDED = 1 << 29 };

struct profile_filter {
	const regex_t *comm; /* NULL: all */
	const uint32_t *pids, *tids;
	size_t pid_count, tid_count; /* 0: all */
	const uint64_t *cpus;        /* bitmap of cpu_bits bits, NULL: all */
	size_t cpu_bits;
	uint64_t from, to;  /* offsets from the trace's start, ns; to = UINT64_MAX: no end */
	struct profile_moment from_moment, to_moment; /* in place of these, where they are given */
	uint32_t sources;   /* bit per enum profile_source_kind; 0: all */
	const char *states; /* letters for walks and waits, NULL: all */
	uint64_t min_wait;  /* walks: -w, ns */
	uint64_t least_wait, most_wait; /* waits: -m and -M, ns, of the whole wait; most 0: any */
	uint32_t classes;   /* waits: bit per enum profile_wait_class, PROFILE_WAITS_OPEN, _ENDED; 0: all */
	bool user_only, kernel_only;
	bool raw_frames; /* keep BPF's own frames */
	const char *const *probes; /* tracepoints and functions, names or globs; then nothing else passes */
	size_t probe_count;	   /* 0: all */
	bool each_event; /* keep every event on its own, for profile_events.h */
};

struct profile_names {                 /* where names may come from beside the trace */
	const char *const *debug_dirs; /* NULL-terminated; default /usr/lib/debug */
	bool debug_dirs_given;         /* by the user, who wants more names than the trace has; otherwise a module
					* that the trace names is the same everywhere, whatever lies on this machine */
	const char *symfs;             /* prefix for local files; "" = / ; NULL: no local files at all */
	const char *kallsyms, *vmlinux;
	bool debuginfod;               /* ask the servers that DEBUGINFOD_URLS names */
	struct name_cache *cache;      /* NULL: none */
	struct progress *progress;     /* NULL: nobody looks */
	bool mangled;
	bool full; /* names with parameters and all template arguments */
	bool quick; /* no DWARF: no lines, no inlined functions */
};

#endif
