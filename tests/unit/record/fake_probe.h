/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The interface to libbpf (record/probe/probe.h) without a kernel: the
 * test sets what its programs would have counted and written. Defines the functions of the seam, so
 * a test program includes it once, and does not link the real ones.
 */
#pragma once

#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <string.h>

#include "common/unconst.h"
#include "record/probe/probe.h"

enum { FAKE_CPUS = 4, FAKE_RINGS = 4, FAKE_SOURCES = 2, FAKE_POINTS = 4 };

struct probe {
	uint32_t rings; /* files in memory (made_ring.h) */
	int ring_fds[FAKE_RINGS];
	struct ring_cpu cpu[FAKE_CPUS], waits[FAKE_CPUS];
	struct ring_point_source points[FAKE_SOURCES][FAKE_CPUS];
	struct ring_point_hits hits[FAKE_POINTS + 1]; /* by number */
	uint64_t missed[FAKE_SOURCES];
	bool armed[FAKE_SOURCES];
	struct probe_cost cost;
	struct ring_look_state look;
	struct ring_clock clock;
	bool attached;
	int look_fd; /* the result of a look at all tasks; the caller closes it */
};

uint32_t probe_max_frames(void)
{
	return 127;
}

uint32_t probe_rings(const struct probe *probe)
{
	return probe->rings;
}

uint32_t probe_most_rings(const struct probe *probe)
{
	(void)probe;
	return FAKE_RINGS;
}

int probe_ring_fd(const struct probe *probe, uint32_t index)
{
	return probe->ring_fds[index];
}

/* No program is loaded. */
int probe_cpu_program(const struct probe *probe)
{
	return (void)probe, -1;
}

bool probe_wait_objects(const struct probe *probe)
{
	return (void)probe, false;
}

/* --- counters --- */

int probe_counters(const struct probe *probe, enum probe_kind kind, struct ring_cpu *ret_cpus)
{
	memcpy(ret_cpus, kind == PROBE_CPU ? probe->cpu : probe->waits, sizeof(probe->cpu));
	return 0;
}

int probe_cgroups_ring(const struct probe *probe)
{
	(void)probe;
	return -1;
}

int probe_cgroups_open(const struct probe *probe, int *ret_fd)
{
	(void)probe;
	(void)ret_fd;
	return -ENODEV;
}

uint64_t probe_cgroups_lost(const struct probe *probe)
{
	(void)probe;
	return 0;
}

void probe_cost(const struct probe *probe, struct probe_cost *ret_cost)
{
	*ret_cost = probe->cost;
}

void probe_points_arm(struct probe *probe, uint32_t source, bool on)
{
	probe->armed[source] = on;
}

int probe_point_counters(const struct probe *probe, uint32_t source, struct ring_point_source *ret_cpus)
{
	memcpy(ret_cpus, probe->points[source], sizeof(probe->points[source]));
	return 0;
}

int probe_point_hits(const struct probe *probe, uint32_t point, struct ring_point_hits *ret_hits)
{
	*ret_hits = probe->hits[point];
	return 0;
}

uint64_t probe_points_missed(const struct probe *probe, uint32_t source)
{
	return probe->missed[source];
}

int probe_tracepoints(int (*take)(void *context, const char *name), void *context)
{
	(void)take, (void)context;
	return 0;
}

/* --- waits and sleepers --- */

int probe_sched_clock_is_stable(void)
{
	return true;
}

int probe_waits_attach(struct probe *probe)
{
	probe->attached = true;
	return 0;
}

void probe_waits_detach(struct probe *probe)
{
	probe->attached = false;
}

struct ring_look_state *probe_wait_look(const struct probe *probe)
{
	return unconst(&probe->look);
}

int probe_wait_look_open(const struct probe *probe)
{
	return probe->look_fd;
}

int probe_wait_hide(const struct probe *probe, pid_t tid)
{
	(void)probe, (void)tid;
	return -EEXIST;
}

int probe_read_clock(const struct probe *probe, struct ring_clock *ret_clock)
{
	*ret_clock = probe->clock;
	return 0;
}

/* User stacks of sleepers: the kernel refused the program */

int probe_sleepers_page(const struct probe *probe)
{
	(void)probe;
	return -1;
}

int probe_sleepers_want(const struct probe *probe, uint32_t tid, const struct ring_sleeper_wanted *wanted)
{
	(void)probe, (void)tid, (void)wanted;
	return -E2BIG;
}

bool probe_sleepers_forget(const struct probe *probe, uint32_t tid)
{
	(void)probe, (void)tid;
	return false;
}

int probe_sleepers_open(const struct probe *probe, int *ret_fd)
{
	(void)probe, (void)ret_fd;
	return -ENODEV;
}
