/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records of waits, as bpf/ring_event.h has those of samples: the same rules hold. A wait is told when it ends; its
 * user stack, which can be read only while its thread is current, comes before it (taken when it went to sleep) or after it
 * (when its system call returns); its waker's stacks come before it, at the wakeup. Who reads the rings joins them.
 */
#ifndef RWALKER_BPF_RING_WAIT_H
#define RWALKER_BPF_RING_WAIT_H

#include "bpf/ring_event.h"

enum ring_wait_class { /* record/waits.c asserts that these are the format's */
	RING_WAIT_BLOCKED,
	RING_WAIT_PREEMPTED,
	RING_WAIT_YIELDED,
	RING_WAIT_CANCELLED,
	RING_WAIT_STARTED,
	RING_WAIT_CLASSES
};

enum ring_wait_flag {
	RING_WAIT_IOWAIT = 1,
	RING_WAIT_BEGAN_BEFORE = 2,
	RING_WAIT_OUT_EARLIEST = 4, /* `out` is a bound: it may have begun later */
	RING_WAIT_NOT_ENDED = 8,
	RING_WAIT_KERNEL_TRUNCATED = 16,
	RING_WAIT_HAS_WAKER = 32, /* a struct ring_waker lies before the frames */
	RING_WAIT_USER_LATER = 64,
	RING_WAIT_USER_BEFORE = 128,
	RING_WAIT_USER_KTHREAD = 256, /* asked for, and there is none */
};

enum ring_waker_context { RING_WAKER_NONE, RING_WAKER_TASK, RING_WAKER_SOFTIRQ, RING_WAKER_IRQ, RING_WAKER_UNKNOWN };

struct ring_waker {
	__u64 time;
	__u64 context; /* enum ring_waker_context */
	struct ring_task task;
};

struct ring_wait {
	struct ring_head head; /* time: of the switch-in */
	__u64 out;
	__u64 out_key; /* how the user stack that was taken at the switch-out calls that moment; not ended, USER_LATER: since which
			  switch-in waits of the same system call have none yet, 0: this one only */
	__u64 run_queue;
	__u32 state;
	__u16 wait_class, out_cpu;
	__u32 flags;
	__u32 kernel_count;
	struct ring_task task;
	__u64 rest[]; /* [struct ring_waker] · frames · NOT_ENDED: the task's switches so far */
};

struct ring_wake {
	struct ring_head head;
	__u32 context;
	__u32 flags; /* enum ring_sample_flag */
	__u32 kernel_count, user_count;
	struct ring_task task; /* the waker */
	struct ring_task target;
	__u64 frames[];
};

enum ring_user_reason { RING_USER_TAKEN, RING_USER_FAULT, RING_USER_EXITING, RING_USER_CHANGED };

struct ring_user_stack {
	struct ring_head head;
	__u64 since; /* switch-in of the first wait it is of; taken at a switch-out: 0, and head.time is the wait's out_key */
	__u32 reason; /* enum ring_user_reason: why there is none */
	__u32 flags;  /* enum ring_sample_flag */
	__u64 count;
	struct ring_task task;
	__u64 frames[];
};

enum ring_sum_kind {
	RING_SUM_INTERRUPTIBLE,
	RING_SUM_UNINTERRUPTIBLE,
	RING_SUM_OTHER_BLOCKED,
	RING_SUM_PREEMPTED,
	RING_SUM_YIELDED,
	RING_SUM_CANCELLED,
	RING_SUM_STARTED,
	RING_SUM_KINDS
};

struct ring_sum {
	__u64 count, total, run_queue;
};

struct ring_sums { /* of one task since the last record of this kind */
	struct ring_head head;
	__u64 since;
	__u64 running; /* ns */
	struct ring_task task;
	struct ring_sum kinds[RING_SUM_KINDS];
};

/*
 * The run queue's clock is what the scheduler itself accounts by (it may stand still for a few microseconds around a
 * wakeup), and costs nothing to read; the exact one costs as much as all else that is done at a switch.
 */
enum ring_wait_clock {
	RING_CLOCK_EXACT,   /* CLOCK_MONOTONIC at each switch */
	RING_CLOCK_SHIFTED, /* lengths by the run queue's clock; what is told ends at the exact time */
	RING_CLOCK_QUEUE,   /* the run queue's clock, calibrated: without wakers, whose times are exact */
};

struct ring_wait_knobs {
	__u64 least, most; /* ns: shorter waits are summed, longer ones left out */
	__u32 states;	   /* bits of prev_state, and WAIT_STATE_RUNNABLE */
	__u32 wakers, user_stacks; /* bools */
	__u32 source, wakers_source, unused;
	__u64 clock; /* enum ring_wait_clock */
	__s64 preempt_count; /* where a CPU's preempt count lies behind its run queue, bytes; 0: not known */
};
enum { RING_STATE_RUNNABLE = 1 << 30 /* prev_state 0 */, RING_STATES_ALL = 0x7fffffff };

/* The first and the last look at all tasks. */
enum ring_look { RING_LOOK_FIRST, RING_LOOK_LAST };
struct ring_look_state {
	__u64 clock_offset; /* CLOCK_MONOTONIC - sched_clock, ns (may wrap) */
	__u64 kind;	    /* enum ring_look */
	__u64 armed;	    /* events are told */
	__u64 seen;	    /* tasks, by the first look */
	__u64 wakes_lost;   /* wakers' stacks that found no room */
};

#endif
