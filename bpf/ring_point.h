/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The ABI of ring_event.h, what tracepoints and kernel functions need ("points"). Private and without padding, as there.
 */
#ifndef RWALKER_BPF_RING_POINT_H
#define RWALKER_BPF_RING_POINT_H

#include "bpf/ring_event.h"

enum { RING_MAX_POINT_SOURCES = 32 };

struct ring_point_source { /* per CPU, of one --trace or --kfunc: running totals, and what --rate-limit still allows */
	__u64 counters[RING_COUNTERS];
	__u64 due; /* when the next stack would be taken, were they taken at even distances */
};

struct ring_point_hits { /* per CPU, of one point: running totals */
	__u64 hits;    /* that the filters wanted */
	__u64 skipped; /* of these, for the rate limit */
};

struct ring_hit {
	struct ring_head head;
	__u32 point; /* number, from 1 */
	__u32 flags; /* enum ring_sample_flag */
	__u32 kernel_count, user_count;
	struct ring_task task;
	__u64 frames[]; /* kernel_count, then user_count; leaf first, the program's own on top */
};

#endif
