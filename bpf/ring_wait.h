/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records of waits; the rules of bpf/ring_event.h apply. A wait is written when it ends. Its user stack comes
 * before it (taken when the thread went to sleep) or after it (taken before the thread runs on), because it can be
 * read only while the thread is current. Its waker's stacks come before it, at the wakeup. The reader joins them.
 */
#ifndef RWALKER_BPF_RING_WAIT_H
#define RWALKER_BPF_RING_WAIT_H

#include "bpf/ring_event.h"
#include "bpf/ring_object.h"

enum ring_wait_flag {
	RING_WAIT_IOWAIT = 1,
	RING_WAIT_BEGAN_BEFORE = 2,
	RING_WAIT_OUT_LATEST = 4, /* `out` is a bound: the wait may have begun earlier */
	RING_WAIT_NOT_ENDED = 8,
	RING_WAIT_KERNEL_TRUNCATED = 16,
	RING_WAIT_HAS_WAKER = 32, /* a struct ring_waker precedes the frames */
	RING_WAIT_USER_LATER = 64,
	RING_WAIT_USER_BEFORE = 128,
	RING_WAIT_USER_KTHREAD = 256, /* requested, but there is none */
	RING_WAIT_HAS_OBJECT = 512, /* a struct ring_object precedes the frames, after the waker */
	RING_WAIT_THROTTLED = 1024, /* a struct ring_throttle precedes the frames, after the object */
};

struct ring_waker {
	__u64 time;
	__u64 context; /* enum waker_context */
	struct ring_task task;
};

struct ring_throttle {
	__u64 throttled;      /* ns; not in run_queue */
	__u64 token;	      /* of the path of the group whose quota was used up (RING_NAME), 0: not known */
	__u64 id;	      /* st_ino of its folder */
	__u64 quota, period; /* ns */
};

struct ring_wait {
	struct ring_head head; /* time: of the switch-in */
	__u64 out;
	__u64 out_key; /* which the user stack taken at the switch-out has, too. NOT_ENDED with USER_LATER:
			  since which switch-in waits of the same system call have no user stack; 0: only this one */
	__u64 run_queue;
	__u32 state;
	__u16 wait_class, out_cpu;
	__u32 flags;
	__u32 kernel_count;
	struct ring_task task;
	/* [ring_waker] · [ring_object · [ring_beside]] · [ring_throttle] · frames · NOT_ENDED: switches so far */
	__u64 rest[];
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

struct ring_user_stack {
	struct ring_head head;
	__u64 since; /* switch-in of the first wait it belongs to; 0: taken at a switch-out, head.time is its out_key */
	__u32 reason; /* enum user_missing: why there is no stack */
	__u32 flags;  /* enum ring_sample_flag */
	__u64 count;
	struct ring_task task;
	__u64 frames[];
};

struct ring_sum {
	__u64 count, total, run_queue, throttled; /* ns; total: all */
};

struct ring_sums { /* of one task since the last record of this kind */
	struct ring_head head;
	__u64 since;
	__u64 running; /* ns */
	struct ring_task task;
	struct ring_sum kinds[WAIT_SUM_KINDS];
};

/*
 * The run queue's clock is the one by which the scheduler itself accounts. It may pause for microseconds at a wakeup.
 * Reading it is free; reading the exact clock costs as much as everything else that is done at a switch.
 */
enum ring_wait_clock {
	RING_CLOCK_EXACT,   /* CLOCK_MONOTONIC at each switch */
	RING_CLOCK_SHIFTED, /* lengths by the run queue's clock; a wait that is written ends at the exact time */
	RING_CLOCK_QUEUE,   /* the run queue's clock, calibrated; only without wakers, whose times are exact */
};

/*
 * Where the user stack of a wait is taken once the wait is known to get a record: in the sleeper's own context, which
 * alone can read it. If all waits get records, it is taken before the wait, when the thread leaves the CPU.
 */
enum ring_user_way {
	RING_BY_NONE,
	RING_BY_TASK_WORK, /* on the way back to user space; costs only threads whose stack is wanted; Linux 6.18 */
	RING_BY_SWITCH,	   /* at the end of the switch to the thread: a probe that every switch hits */
	RING_BY_SYS_EXIT,  /* at the return of its system call: a hook that every call hits */
};

/* How the time that quotas take is known. */
enum ring_throttle_way {
	RING_THROTTLE_UNKNOWN,
	RING_THROTTLE_NONE,   /* the kernel has no quotas */
	RING_THROTTLE_MARKED, /* by the kernel, on the thread */
	RING_THROTTLE_PROBED, /* by programs on two of its functions */
};

/* How it is known which lock of the kernel a wait is for. */
enum ring_lock_way {
	RING_LOCKS_UNKNOWN,
	RING_LOCKS_TRACED, /* by the kernel's tracepoints at contended locks, which fire for those that spin as well */
	RING_LOCKS_MARKED, /* by the kernel, on the task, else by the lock's list of waiters */
};

struct ring_wait_knobs {
	__u64 least, most; /* ns: shorter waits are summed, longer ones left out */
	__u32 states;	   /* bits of prev_state, and RING_STATE_RUNNABLE */
	__u32 wakers, user_stacks; /* bools */
	__u32 source, wakers_source;
	__u32 user_way; /* enum ring_user_way */
	__u32 user_before;  /* bool: at the switch-out of each wait */
	__u32 most_entries; /* of tasks; 0: any number */
	__u32 locks; /* enum ring_lock_way */
	__u32 throttle; /* enum ring_throttle_way */
	__u64 clock; /* enum ring_wait_clock */
	__s64 preempt_count; /* offset of a CPU's preempt count from its run queue, bytes; 0: unknown */
};
enum { RING_STATE_RUNNABLE = 1 << 30 /* prev_state 0 */, RING_STATES_ALL = 0x7fffffff };

enum ring_look { RING_LOOK_FIRST, RING_LOOK_LAST, RING_LOOK_OPEN /* changes nothing */ }; /* looks at all tasks */
struct ring_look_state {
	__u64 clock_offset; /* CLOCK_MONOTONIC - sched_clock, ns (may wrap): varies by microseconds */
	__u64 clock_base;   /* the same at the first reading */
	__u64 kind;	    /* enum ring_look */
	__u64 armed;	    /* CLOCK_MONOTONIC: since when events are written; 0: they are not yet */
	__u64 seen;	    /* tasks that the first look saw */
	__u64 until;	    /* CLOCK_MONOTONIC: tasks that are met later are left out of a look */
	__u64 left_out;
};

#endif
