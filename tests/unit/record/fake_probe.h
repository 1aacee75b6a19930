/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The interface to libbpf (record/probe/probe.h, record/probe/probe_points.h) without a kernel: the
 * test sets what its programs would have counted and written. Defines the functions of the seam, so
 * a test program includes it once, and does not link the real ones.
 */
#pragma once

#include "tests/unit/record/fake_probe_struct.h"
#include "tests/unit/record/fake_probe_waits.h"

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

/* --- counters --- */

int probe_cpu_counters(const struct probe *probe, struct ring_cpu *ret_cpus)
{
	memcpy(ret_cpus, probe->cpu, sizeof(probe->cpu));
	return 0;
}

int probe_wait_counters(const struct probe *probe, struct ring_cpu *ret_cpus)
{
	memcpy(ret_cpus, probe->waits, sizeof(probe->waits));
	return 0;
}

int probe_lives(const struct probe *probe, struct ring_lives *ret_cpus)
{
	memcpy(ret_cpus, probe->lives, sizeof(probe->lives));
	return probe->blind ? -ENODEV : 0;
}

/* None: what follows cgroups is not tested with it. */
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
