/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What is known of a task's current wait. */
#ifndef RWALKER_BPF_WAIT_ENTRY_BPF_H
#define RWALKER_BPF_WAIT_ENTRY_BPF_H

#include "bpf/kernel.h"
#include "bpf/ring_wait.h"

enum wait_entry_flag {
	/* Copied into the record as they are. */
	ENTRY_TOLD = RING_WAIT_IOWAIT | RING_WAIT_BEGAN_BEFORE | RING_WAIT_OUT_LATEST,
	ENTRY_MOVED = 8,	      /* to another CPU while asleep: the kernel's account of run queues is wrong for it */
	ENTRY_THROTTLED = 16, /* a quota kept it from running: `throttle` says for how long, at the end */
	ENTRY_USER_TOLD = 32,  /* its user stack was written when it left the CPU */
	ENTRY_IN_SYSCALL = 64, /* it left the CPU within a system call, whose return a hook would see */
	ENTRY_CLOSED = 128,    /* the last look has written all there was to write */
};

struct wait_waker { /* data for a struct ring_waker */
	u64 time, start;
	u32 tgid, tid;
	u64 comm[RING_COMM_SIZE / 8];
};

struct wait_lock {
	u64 address; /* of the lock that the task waits for, or is about to; 0: of none */
	u32 flags;   /* LCB_F_* */
	u32 held;    /* enum wait_held */
	struct ring_task owner;
};

/*
 * Ordered by use, because most entries are not in any cache when they are used. The kernel's own
 * word and the first WAIT_SWITCH_BYTES share one cache line, for every switch. A wakeup, and the
 * end of a wait that is only summed, need the next line. The rest is for waits that are written.
 */
enum { WAIT_SWITCH_BYTES = 56, WAIT_LINE = 64, WAIT_BRIEF = 16 };

struct wait_entry {
	union {
		struct {
			u8 hidden; /* the recorder made it for a task not seen by the first look: until a switch-out */
			u8 first_seen;
			u8 wait_class, flags;
		};
		u32 head; /* all four at once: a switch-out writes them all, and most switches find nothing odd here */
	};
	u16 out_cpu;
	/* Preempted waits since a long one: is the next one's user stack taken before its length is known? */
	u8 hasty;
	u8 brief; /* waits since one that got a record, up to WAIT_BRIEF: is the next one's object worth noting? */
	u32 state;
	u32 voluntary; /* the task's nvcsw at its last switch-out */
	u64 out; /* when its current wait began; 0: it is on a CPU, or has not been seen to leave one yet */
	u64 run_delay; /* the kernel's sched_info.run_delay at `out` */
	u64 since, ran; /* for the next record of sums: where it starts, and the task's sum_exec_runtime then */
	u64 pending; /* switch-in of the first wait whose user stack has not been taken yet; 0: none */

	struct wait_waker waker;
	u64 sum_total, sum_run_queue; /* of waits like the latest one, not yet in `sums` */
	u32 sum_count;
	u16 sum_state; /* what they have in common: state and class */
	u8 sum_class;
	u8 waker_context; /* and WAIT_WAKER_KERNEL */

	struct ring_sum sums[WAIT_SUM_KINDS];
	u64 ip, sp; /* user registers at `pending` */
	u64 noted, noted_out; /* its descriptor's file, or its futex's owner, at the switch-out `noted_out` */
	struct wait_lock lock;
	struct ring_throttle throttle;
	u64 throttle_queue, throttle_before; /* at the switch-out: its run queue, and for how long that was throttled */
	/* When the first look found the task: its last arrival; since when it had been off the CPU. */
	u64 first_arrival, first_out;
	u32 first_state;
	u8 first_class, first_flags;
	u16 unused_too;
};
_Static_assert(__builtin_offsetof(struct wait_entry, waker) == WAIT_SWITCH_BYTES &&
		       __builtin_offsetof(struct wait_entry, sums) == WAIT_SWITCH_BYTES + WAIT_LINE,
	       "each part has its line");

#endif
