/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of the door to libbpf for tracepoints and kernel functions: how to attach to them, and
 * what their programs have counted.
 */
#ifndef RWALKER_RECORD_PROBE_PROBE_POINTS_H
#define RWALKER_RECORD_PROBE_PROBE_POINTS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/ring.h"

struct points;
struct probe;

struct probe_points_settings {
	struct points *points; /* hook and error of each are set */
	uint32_t first_source; /* id of the first; the others follow */
	uint64_t rate_limit;   /* 0: none */
	void (*progress)(void *context, size_t done, size_t total); /* while functions are attached one by one */
	void *context;
};

/* Starts or stops writing the hits of a source, given by its index in points->sources. */
void probe_points_arm(struct probe *probe, uint32_t source, bool on);

/* Running totals: per CPU number below cpus->possible, and of all CPUs. 0, -errno. */
int probe_point_counters(const struct probe *probe, uint32_t source, struct ring_point_source *ret_cpus);
int probe_point_hits(const struct probe *probe, uint32_t point, struct ring_point_hits *ret_hits);
/* How often the kernel did not run the programs of a source, as far as it reports this. */
uint64_t probe_points_missed(const struct probe *probe, uint32_t source);

/* The part of the door to libbpf that lists the kernel's tracepoints, even without tracefs. */

/* Calls `take` for every tracepoint in the kernel's BTF. Returns 0, or what `take` returned. */
int probe_tracepoints(int (*take)(void *context, const char *name), void *context);

#endif
