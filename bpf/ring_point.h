/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of the ABI in ring_event.h for tracepoints and kernel functions ("points"). Private and
 * without padding, as there.
 */
#ifndef RWALKER_BPF_RING_POINT_H
#define RWALKER_BPF_RING_POINT_H

#include "bpf/ring_event.h"

enum { RING_MAX_POINT_SOURCES = 32 };

/* Per CPU, of one --trace or --kfunc: running totals, and how much --rate-limit still allows. */
struct ring_point_source {
	__u64 counters[RING_COUNTERS];
	__u64 runs, run_ns; /* as in struct ring_cpu */
	__u64 due; /* when the next stack would be due if they were evenly spaced */
};

struct ring_point_hits { /* per CPU, of one point: running totals */
	__u64 hits;    /* those that passed the filters */
	__u64 skipped; /* of these, skipped by the rate limit */
};

#endif
