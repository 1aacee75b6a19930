/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The part of the ABI in ring_event.h that walks over all tasks (bpf/tasks.bpf.c). Private, as there. */
#ifndef RWALKER_BPF_RING_WALK_H
#define RWALKER_BPF_RING_WALK_H

#include "bpf/ring_event.h"

enum ring_walk_task_flag {
	RING_WALK_TRACE_FLAGS = 127, /* enum walk_task_flag, of these */
	/* After the frames, in this order: a struct ring_object, a struct ring_beside, a struct ring_name. */
	RING_WALK_OBJECT = 1 << 16,
	RING_WALK_BESIDE = 1 << 17,
	RING_WALK_NAME = 1 << 18,
};

enum ring_walk_filter { /* which tasks a walk keeps; RING_WALK_DEFAULT is D and R */
	RING_WALK_DEFAULT,
	RING_WALK_ALL,
	RING_WALK_RUNNING,
};

/* Set before each walk, read after it. */
struct ring_walk {
	__u64 clock_offset; /* CLOCK_MONOTONIC - sched_clock, ns (may wrap) */
	__u64 least_wait;   /* ns; tasks that have waited for less are filtered */
	__u64 filter;	    /* enum ring_walk_filter */
	__u64 seen, kept, own, filtered;
	__u64 until; /* CLOCK_MONOTONIC: tasks that are met later are left out */
	__u64 left_out;
};

struct ring_walk_task {
	__u64 time; /* CLOCK_MONOTONIC */
	__u64 wait; /* ns since switch-out */
	__u32 bound, cpu; /* enum wait_bound */
	__u32 state, exit_state;
	__u32 flags; /* enum ring_walk_task_flag */
	__u32 count; /* of frames */
	__u64 switches; /* so far; all that is read while this stays the same belongs to one moment */
	struct ring_task task;
	__u64 frames[];
};

#endif
