/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The BPF programs in the kernel, their maps and rings: the door to libbpf. Only what the plan names is loaded.
 * The probe owns the programs and map fds; callers own what they make of them (mapped rings, iterator fds).
 */
#ifndef RWALKER_RECORD_PROBE_H
#define RWALKER_RECORD_PROBE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/ring_wait.h"

struct cpus;
struct probe_points_settings;
struct filter;
struct probe;
struct ring_sleeper_wanted;

struct probe_settings {
	const struct cpus *cpus;
	const struct filter *filter;
	bool cpu, tasks; /* sources */
	bool sleepers;	 /* user stacks of walked tasks, where the kernel can */
	uint32_t sleeper_bytes; /* of each at most */
	const struct ring_wait_knobs *waits; /* of the off-CPU source, NULL: none; preempt_count is found by the probe */
	const struct probe_points_settings *points; /* NULL: none */
	bool user_stacks;
	uint32_t snapshot_bytes; /* of a user stack, for the reader to unwind; 0: none */
	bool follow; /* a command's descendants */
	uint32_t cpu_source; /* id */
	uint32_t max_frames; /* probe_max_frames() */
	size_t ring_bytes;   /* per ring; a power of two of pages */
};

const char *probe_library_version(void); /* "v1.1" */

/* What the kernel permits of a stack's depth, at most RING_MAX_FRAMES. */
uint32_t probe_max_frames(void);

/* 0, or -errno after it said why (kernel too old, no BTF, no privilege, refused). */
int probe_create(const struct probe_settings *settings, struct probe **ret_probe);
void probe_destroy(struct probe *probe);

/* Who the recorder is, so that it leaves itself out. nursery 0: none. *ret_tgid: of the recorder in the init namespace. */
int probe_set_own(struct probe *probe, pid_t nursery, uint32_t *ret_tgid);
/* Follows a stopped child of ours and all that descend from it. */
int probe_follow(struct probe *probe, pid_t command);

int probe_cpu_program(const struct probe *probe); /* fd, -1: not loaded */
uint32_t probe_rings(const struct probe *probe);
int probe_ring_fd(const struct probe *probe, uint32_t index);

/* Running totals of a source: `ret_cpus` has one entry per CPU number below cpus->possible. */
int probe_cpu_counters(const struct probe *probe, struct ring_cpu *ret_cpus);
int probe_wait_counters(const struct probe *probe, struct ring_cpu *ret_cpus);

struct probe_cost {
	uint64_t run_ns;	   /* 0 where the kernel does not count it */
	uint64_t recursion_misses; /* times the kernel skipped a program */
	uint64_t unfollowed;	   /* descendants of the command that could not be marked: no memory */
};
void probe_cost(const struct probe *probe, struct probe_cost *ret_cost);

/* The off-CPU programs begin to run; nothing is told before probe_wait_look()->armed is set. -errno after it said why. */
int probe_waits_attach(struct probe *probe);
void probe_waits_detach(struct probe *probe);
/* What the programs and the recorder tell each other about looks at all tasks. */
struct ring_look_state *probe_wait_look(const struct probe *probe);
/* Says that a thread is hidden from the look, and that its switches may be; -EEXIST: it is not. */
int probe_wait_hide(const struct probe *probe, pid_t tid);
/* One look, of the kind that is set there: the caller reads the fd to its end and closes it. */
int probe_wait_look_open(const struct probe *probe);

/* The clock program's answer; call after a sleep. */
int probe_read_clock(const struct probe *probe, struct ring_clock *ret_clock);

/* An iterator over all tasks: the caller reads it to the end and closes it. *ret_walk: settings before, totals after. */
int probe_walk_open(const struct probe *probe, struct ring_walk **ret_walk, int *ret_fd);

/* The ring of copied user stacks, RING_SLEEPER_BYTES long; -1: the kernel refused the program (said). */
int probe_sleepers_ring(const struct probe *probe);
/* Whose user stack the next round shall copy; -E2BIG: no more of them. */
int probe_sleepers_want(const struct probe *probe, uint32_t tid, const struct ring_sleeper_wanted *wanted);
/* That none is wanted of it any more. True where the program had begun with it. */
bool probe_sleepers_forget(const struct probe *probe, uint32_t tid);
/* One round, or the rest of it: reading the fd to its end may block; the caller closes it. */
int probe_sleepers_open(const struct probe *probe, uint32_t round, int *ret_fd);

#endif
