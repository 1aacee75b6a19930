/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The BPF programs in the kernel, their maps and rings: the door to libbpf. Only what the plan names is loaded. The
 * probe owns the programs and map fds; callers own what they make of them (mapped rings, iterator fds).
 */
#ifndef RWALKER_RECORD_PROBE_PROBE_H
#define RWALKER_RECORD_PROBE_PROBE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/ring.h"

struct cpu_set;
struct cpus;
struct filter;
struct kallsyms;
struct points;
struct probe;

/* Programs, in the order of loading; those before PROBE_WRITERS write to the rings. */
enum probe_kind { PROBE_CPU, PROBE_WAITS, PROBE_POINTS, PROBE_WRITERS, PROBE_TASKS = PROBE_WRITERS,
		  PROBE_SLEEPERS, /* user stacks of walked tasks */
		  PROBE_LIVES,    /* counts of forks, renames, exits */
		  PROBE_CGROUPS,  /* list control groups, and follow new ones */
		  PROBE_KINDS };

struct probe_points_settings {
	struct points *points; /* hook and error of each are set */
	uint32_t first_source; /* id of the first; the others follow */
	uint64_t rate_limit;   /* 0: none */
	void (*progress)(void *context, size_t done, size_t total); /* while functions are attached one by one */
	void *context;
};

struct probe_settings {
	const struct cpus *cpus;
	const struct filter *filter;
	bool wants[PROBE_KINDS];
	const struct ring_wait_knobs *waits; /* of the off-CPU source; the probe fills in preempt_count */
	const struct probe_points_settings *points;
	bool objects; /* what waits are for, and what walked tasks sleep for, if the kernel allows reading it */
	bool user_stacks;
	uint32_t snapshot_bytes; /* of a user stack, for the reader to unwind; 0: none */
	bool follow; /* a command's descendants */
	uint32_t cpu_source; /* id */
	uint32_t max_frames; /* probe_max_frames() */
	size_t ring_bytes;   /* per ring; a power of two of pages */
	bool budget;	     /* probe_set_budget() will be called */
};

const char *probe_library_version(void); /* "v1.1" */

/* 1 if the kernel calls the scheduler's clock stable, 0 if not; -errno: unknown. */
int probe_sched_clock_is_stable(void);

bool kernel_has_kprobes(void); /* that perf events can open */
/* The stack depth that the kernel permits, at most RING_MAX_FRAMES. */
uint32_t probe_max_frames(void);

/* 0, or -errno after reporting why (kernel too old, no BTF, no privilege, refused). */
int probe_create(const struct probe_settings *settings, struct probe **ret_probe);
void probe_destroy(struct probe *probe);

/*
 * Sets which processes are the recorder's own, to be left out. spawner, flight 0: none. *ret_tgid:
 * the recorder's tgid in the init namespace.
 */
int probe_set_own(struct probe *probe, pid_t spawner, pid_t flight, uint32_t *ret_tgid);

/* Sets the addresses of kernel functions that show what waits are for. Call before anything is attached or walked. */
void probe_set_functions(struct probe *probe, const struct kallsyms *table);
/* Follows a stopped child of ours and all its descendants. */
int probe_follow(struct probe *probe, pid_t command);

int probe_cpu_program(const struct probe *probe); /* fd, -1: not loaded */
/* Rings are created for CPUs that are online. */
uint32_t probe_rings(const struct probe *probe);
uint32_t probe_most_rings(const struct probe *probe);
int probe_ring_fd(const struct probe *probe, uint32_t index);
/* Bytes of all maps except the rings; only while we have the privileges to ask. */
uint64_t probe_memory(const struct probe *probe);
/* To be called once a second. True if CPUs that came online got rings, which come after the existing ones. */
bool probe_follow_cpus(struct probe *probe, const struct cpu_set *online);

/* Running totals of programs that write to rings: `ret_cpus` has one entry per CPU number below cpus->possible. */
int probe_counters(const struct probe *probe, enum probe_kind kind, struct ring_cpu *ret_cpus);

/* Forks, renames and exits so far, one entry per CPU number below cpus->possible. -ENODEV: they are not counted. */
int probe_lives(const struct probe *probe, struct ring_lives *ret_cpus);
/* The processes that share memory with their parents, as they come; NULL: not known. */
const struct ring_shares *probe_shares(const struct probe *probe);

/* The ring that reports created and removed cgroups, RING_CGROUP_BYTES long; -1: there is none. */
int probe_cgroups_ring(const struct probe *probe);
/* Lists all cgroups, as struct ring_cgroup: reading the fd to its end may block; the caller closes it. */
int probe_cgroups_open(const struct probe *probe, int *ret_fd);
uint64_t probe_cgroups_lost(const struct probe *probe); /* records for which the ring had no room */

struct probe_cost {
	uint64_t recursion_misses; /* times that the kernel skipped a program */
	uint64_t unfollowed;	   /* descendants of the command that could not be marked: no memory */
};
void probe_cost(const struct probe *probe, struct probe_cost *ret_cost);
/* Sets what the programs record from now on. 0; -errno, reported: what was paused cannot be recorded again. */
int probe_set_budget(struct probe *probe, const struct ring_budget *budget);

/*
 * Starts the off-CPU programs; nothing is written before probe_wait_look()->armed is set. 0, or
 * -errno after reporting why.
 */
int probe_waits_attach(struct probe *probe);
void probe_waits_detach(struct probe *probe);
/* Whether the time that quotas of CPU time take is known apart, after probe_waits_attach(). */
bool probe_waits_throttled(const struct probe *probe);
bool probe_wait_objects(const struct probe *probe); /* whether its records say what waits were for */
bool probe_walk_objects(const struct probe *probe); /* whether walks say what tasks sleep for */
/* For wait_objects_share(): the number in the programs for waits and in those for walks, if they read objects. */
__u64 *probe_wait_names_forgotten(const struct probe *probe);
__u64 *probe_walk_names_forgotten(const struct probe *probe);
/* State of the looks at all tasks, shared by programs and recorder. */
struct ring_look_state *probe_wait_look(const struct probe *probe);
/* Marks a thread as hidden from the look, so its switches may be hidden too; -EEXIST: it is not hidden. */
int probe_wait_hide(const struct probe *probe, pid_t tid);
/* Begins a look, of the kind that is set in that state: the caller reads the fd to its end and closes it. */
int probe_wait_look_open(const struct probe *probe);

/* --- tracepoints and functions --- */

/* Starts or stops writing the hits of a source, given by its index in points->sources. */
void probe_points_arm(struct probe *probe, uint32_t source, bool on);

/* Running totals: per CPU number below cpus->possible, and of all CPUs. 0, -errno. */
int probe_point_counters(const struct probe *probe, uint32_t source, struct ring_point_source *ret_cpus);
int probe_point_hits(const struct probe *probe, uint32_t point, struct ring_point_hits *ret_hits);
/* How often the kernel did not run the programs of a source, as far as it reports this. */
uint64_t probe_points_missed(const struct probe *probe, uint32_t source);

/* Calls `take` for every tracepoint in the kernel's BTF, even without tracefs. Returns 0, or what `take` returned. */
int probe_tracepoints(int (*take)(void *context, const char *name), void *context);

/* --- clocks, walks, sleepers --- */

/* The clock program's answer; call after a sleep. */
int probe_read_clock(const struct probe *probe, struct ring_clock *ret_clock);

/*
 * An iterator over all tasks: the caller reads it to the end and closes it. *ret_walk: settings before, totals after.
 */
int probe_walk_open(const struct probe *probe, struct ring_walk **ret_walk, int *ret_fd);

/* The page of struct ring_sleeper_asked, as a file to map; -1: the kernel refused the program (reported). */
int probe_sleepers_page(const struct probe *probe);
/* Makes the next round copy this thread's user stack; -E2BIG: no room for more threads. */
int probe_sleepers_want(const struct probe *probe, uint32_t tid, const struct ring_sleeper_wanted *wanted);
/* The thread's user stack is no longer wanted. True if a helper had started on it. */
bool probe_sleepers_forget(const struct probe *probe, uint32_t tid);
/* Begins a round, or the rest of one: the file for the helper (iterator_helper.h); the caller closes it. */
int probe_sleepers_open(const struct probe *probe, int *ret_fd);

#endif
