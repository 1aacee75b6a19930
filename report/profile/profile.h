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
#ifndef RWALKER_REPORT_PROFILE_PROFILE_H
#define RWALKER_REPORT_PROFILE_PROFILE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/kinds.h"

struct profile;
struct profile_wait;

/* The control group (version 2) that a task was in, and the container that it belongs to. */
struct profile_cgroup { /* texts are never NULL */
	const char *path;      /* "/system.slice/nginx.service"; "id:N" if the trace has no path for it */
	bool known;	       /* the trace has a path */
	const char *container; /* the start of its id; "": in none */
	const char *id;	       /* the full id of the container */
};

/* The path; "" if it was not recorded. */
static inline const char *profile_cgroup_path(const struct profile_cgroup *cgroup)
{
	return cgroup ? cgroup->path : "";
}

/* The container; "" if it is in none, or was not recorded. */
static inline const char *profile_container(const struct profile_cgroup *cgroup)
{
	return cgroup ? cgroup->container : "";
}

enum profile_cgroups_known {
	PROFILE_CGROUPS_NONE,	    /* no trace has them */
	PROFILE_CGROUPS_ELSEWHERE, /* version 2 was used for nothing but its root, and a host has version 1 */
	PROFILE_CGROUPS_SOME,
};

/* About all tasks, whatever the filters. */
enum profile_cgroups_known profile_cgroups_known(const struct profile *profile);

/*
 * Which parts of the traces become a profile, and where names may come from apart from the traces.
 * Filters choose the threads that a profile is about, not those that may appear in it: wakers have
 * names and stacks even if no filter lets them pass. Filters are applied while events are read,
 * before weights are summed, except -U and -K, which leave out frames but not their weight. Plain
 * data, owned by the caller. It and what it points to must live until profile_create() returns, the
 * names as long as the profile.
 */
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
	PROFILE_EACH_EVENT = 16, /* every single event, for struct profile_events */
	/* Also lists recordings without waits, like PROFILE_EACH_EVENT: numbered as the origins (profile_origins()). */
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
	bool apart; /* waits throughout, and of kernel threads that did nothing, are set apart (profile_waits.h) */
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

enum { PROFILE_NO_CPU = UINT16_MAX, PROFILE_NO_SOURCE = UINT32_MAX };

struct profile_walk { /* one pass over all tasks */
	uint32_t host, number;
	uint32_t scope; /* equal for walks of one recording, whose tasks give its objects their names */
	uint64_t time, realtime; /* its start; realtime ns since 1970, 0: unknown */
	uint64_t seen, kept;
};

struct profile_walk_task {
	uint32_t walk; /* index in the list of walks */
	uint32_t source; /* PROFILE_NO_SOURCE: not shown */
	uint32_t task, node, flags;
	char state[24]; /* "D", "S", "R", "D (killable)" ...: letter first */
	uint64_t wait;  /* ns */
	enum wait_bound bound;
	uint32_t cpu;
	bool on_cpu, iowait;
	/* What it slept for, as in a struct profile_wait. */
	uint32_t operation, object; /* numbers of profile_objects.h; 0: not known, or it did not sleep */
	uint64_t asked, page;
	uint32_t owner; /* task that held the lock or futex at that moment, if HELD_BY_OWNER */
	uint8_t held;	/* enum profile_wait_held */
	const char *no_user; /* why a requested user stack is missing; NULL: it is not, or there can be none */
};

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

/*
 * The single events of a profile, each with its time, from all given traces, after the filters:
 * samples of CPUs, tracepoints and functions, waits, and the wakeups that ended them. Available
 * only if PROFILE_EACH_EVENT was set; the profile's entries are the sums of these weights.
 * Also the probes, of which a source may have many, with the recorder's counts.
 *
 * Times are CLOCK_MONOTONIC ns of their recording: compare them within one recording only.
 */
enum { PROFILE_NO_PROBE = UINT32_MAX };

enum profile_event_kind { /* in this order at equal times */
	PROFILE_EVENT_WAKEUP,
	PROFILE_EVENT_SAMPLE,
	PROFILE_EVENT_WAIT
};

struct profile_event {
	enum profile_event_kind kind;
	uint64_t time;	 /* wait: its end, or when it was last looked at */
	uint64_t weight; /* in the source's unit */
	uint32_t recording, source;
	uint32_t probe;	 /* sample: number, or PROFILE_NO_PROBE */
	uint32_t task, node, flags; /* wakeup: the waker, its call chain, enum profile_chain_flag */
	uint16_t cpu;	 /* wakeup: PROFILE_NO_CPU */
	const struct profile_wait *wait; /* the wait; wakeup: the wait that it ended; else NULL */
};

/* An iterator over all events: by recording, then time. Plain data, owned by the caller. */
struct profile_events {
	const struct profile *profile;
	size_t samples, wakeups, waits; /* returned so far */
};

void profile_events_begin(const struct profile *profile, struct profile_events *ret_events);
bool profile_events_next(struct profile_events *events, struct profile_event *ret_event);

/* The requested part of a recording; from > to if there is none. Events may be slightly outside. */
void profile_recording_part(const struct profile *profile, uint32_t recording, uint64_t *ret_from,
			    uint64_t *ret_to);

/* A tracepoint or kernel function of a source, in all recordings that have it. */
struct profile_probe {
	uint32_t source;
	const char *name;
	/* The recorder's counts, to which the report's filters do not apply. */
	uint64_t hits;	   /* hits that passed the recorder's filters: each has an event, was skipped, or was lost */
	uint64_t skipped;  /* of these, the hits beyond the rate limit */
	uint64_t missed;   /* not in `hits`: the kernel did not run the program */
	bool counted;	   /* whether all recordings have the counts */
	uint64_t duration; /* ns, the sum of all recordings */
	uint64_t events;   /* in the traces, before the report's filters */
	uint64_t samples;  /* of these, after the filters */
};

/* By source, then name. */
size_t profile_probes(const struct profile *profile, const struct profile_probe **ret_probes);

/* Where and when the traces of a profile were recorded, and how many events they lack. */
struct profile_origin { /* one recording; texts are "" if the trace does not have them, and belong to the profile */
	const char *host, *kernel, *machine;
	uint64_t cpus;	   /* 0: unknown */
	uint64_t realtime; /* at its start, ns since 1970, UTC; 0: unknown */
	uint64_t length;   /* ns, of the whole recording, whatever the filters */
};

/* The number of recordings, in the order of the traces. */
size_t profile_origins(const struct profile *profile);
void profile_origin(const struct profile *profile, size_t number, struct profile_origin *ret_origin);

/* The name of a host, by the number that tasks, walks and recordings use; "" if no trace has it. */
const char *profile_host_name(const struct profile *profile, uint32_t host);

struct profile_span { /* times of its recording, both included */
	uint64_t from, until;
};

/* Whether less was recorded than asked for at some time, to keep the recorder's cost down. */
bool profile_coarser(const struct profile *profile);

/*
 * Span number `number` of a recording in which names may be wrong because records of processes were
 * missing. Spans are ascending and disjoint. False if there are no more.
 */
bool profile_unsure(const struct profile *profile, uint32_t recording, size_t number, struct profile_span *ret_span);

struct profile_losses { /* of all recordings, before filters */
	uint64_t recorded; /* events */
	uint64_t lost;	   /* events that should be in the traces and are not */
	bool any;	   /* whether anything was recorded */
};

void profile_losses(const struct profile *profile, struct profile_losses *ret_losses);

/* Dumps: recordings by a recorder that keeps only the last of what it records. What they hold, and why. */
enum { PROFILE_DUMP_VALUE = 48 };

struct profile_dump { /* texts belong to the profile */
	uint64_t number;
	uint64_t length, asked; /* ns */
	const char *rule, *comm; /* rule NULL: unknown */
	uint32_t tid;		 /* 0: the trigger was not about a task */
	uint64_t value;
};

/* The dump that is recording `number` (profile_origins()). False if it is not a dump. */
bool profile_dump(const struct profile *profile, size_t number, struct profile_dump *ret_dump);

/* The value of a trigger in the unit of its rule: "812 ms", "43 %", "". */
const char *profile_dump_value(const char *rule, uint64_t value, char text[PROFILE_DUMP_VALUE]);

/* Where the names of a module's functions came from, if any were looked up. The texts live as long as the profile. */
struct profile_module_names {
	const char *from;    /* "the trace", "its debug file" ...; NULL: nothing names its functions */
	const char *path;    /* of the file they came from, or "" */
	const char *why;     /* why the other functions have no name */
	const char *refused; /* a wrong file found in place of the right one, or "" */
};

void profile_module_names(const struct profile *profile, uint32_t module,
			  struct profile_module_names *ret_names);

#endif
