/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The records of waits in EVENTS chunks (FORMAT.md §6): a wait that has ended, the stacks of its waker, a user stack
 * that could only be read later, and sums of waits that were too short for a record of their own. A wait is matched
 * with its waker's stacks by target and time, and with its user stack by task and time; both may be in other chunks.
 * Members are in the order of the fields on disk; (t) (s) (z) as in event.h.
 */
#ifndef RWALKER_FORMAT_EVENT_WAIT_H
#define RWALKER_FORMAT_EVENT_WAIT_H

#include <stdbool.h>
#include <stdint.h>

enum wait_class {
	WAIT_BLOCKED,	/* asleep until another task or an interrupt called for a wakeup */
	WAIT_PREEMPTED, /* runnable; another task got the CPU */
	WAIT_YIELDED,
	WAIT_CANCELLED, /* about to sleep, but already woken, or a signal was pending */
	WAIT_STARTED,	/* from the fork to its first run; first it is on no run queue yet */
	WAIT_CLASSES
};

enum wait_flag {
	WAIT_HAS_KERNEL = 1,
	WAIT_HAS_USER = 2,
	WAIT_HAS_RUN_QUEUE = 4, /* blocked, started: the run queue part follows; others are run queue time as a whole */
	WAIT_HAS_WAKER = 8,
	WAIT_MOVED = 16,	 /* it was switched out on another CPU: out_cpu follows */
	WAIT_USER_MISSING = 32,	 /* asked for and not got; the reason follows */
	WAIT_USER_LATER = 64,	 /* a USER_STACK follows */
	WAIT_IOWAIT = 128,
	WAIT_BEGAN_BEFORE = 256, /* it began before the recording */
	WAIT_OUT_EARLIEST = 512, /* it began then or later: the length is an upper bound */
	WAIT_NOT_ENDED = 1024,	 /* time is when it was last looked at */
	WAIT_KERNEL_TRUNCATED = 2048,
	WAIT_USER_TRUNCATED = 4096,
	WAIT_HAS_SNAPSHOT = 8192, /* its number follows */
	WAIT_OUT_LATEST = 16384, /* it began then or earlier: the length is a lower bound */
	WAIT_HAS_CALL = 32768,	 /* what it was for follows: call and object */
	WAIT_HAS_ASKED = 65536,	 /* how long the call was asked to wait follows */
	WAIT_HAS_OWNER = 131072, /* the task that held what it was for follows */
	WAIT_HAS_READY = 262144, /* what was ready in the end follows: a descriptor and its object */
	WAIT_FOR_READING = 524288,   /* it was for a lock for reading: other readers would not have held it up */
	WAIT_OWNER_READS = 1048576, /* `owner` was one of the readers; it may have let go before */
	WAIT_OWNER_AT_END = 134217728,	/* `owner` held it at `time`, in a wait that goes on; else when it began */
	WAIT_OWNER_CHANGED = 268435456, /* and is not known to have held it when the wait began */
	WAIT_HAS_THROTTLED = 67108864, /* for how long the quota of a cgroup kept it from running follows, and which */
};

/* Where a thread waited. A system call's number is above the lower three bits of event_wait.call. */
enum wait_call {
	WAIT_IN_UNKNOWN,	    /* not known */
	WAIT_IN_CALL,	    /* a system call */
	WAIT_IN_COMPAT_CALL,	    /* one of a 32-bit program */
	WAIT_IN_FAULT,	    /* in no call: a page fault */
	WAIT_IN_KERNEL_THREAD, /* it makes no calls */
	WAIT_IN_IO_WORKER,	    /* a worker of io_uring, for a call that another thread made */
	WAIT_IN_STOP,	    /* stopped by a signal or a tracer */
	WAIT_CALL_BITS = 3,
};

/* The other tasks of a wait, for callers that write one. */
enum wait_other { WAIT_WAKER, WAIT_OWNER, WAIT_OTHERS };

enum waker_context { WAKER_NONE, WAKER_TASK, WAKER_SOFTIRQ, WAKER_IRQ, WAKER_UNKNOWN };

struct event_wait {
	uint32_t cpu, task, source; /* cpu of the switch-in; task: number in the chunk */
	uint64_t flags;		    /* enum wait_flag */
	uint32_t wait_class;
	uint64_t state;	  /* the kernel's __state at the switch-out, raw mask */
	uint64_t missing; /* enum user_missing */
	uint32_t kernel, user;
	uint64_t time;	    /* of the switch-in */
	uint64_t length;    /* ns since the switch-out */
	uint64_t run_queue; /* ns of it, at the end */
	uint64_t throttled; /* ns of it, runnable too, but kept from running: neither blocked nor run queue */
	uint32_t throttler; /* event_object.number of the cgroup; 0: not known */
	uint32_t out_cpu, context, waker; /* context: enum waker_context; waker: number in the chunk */
	uint64_t woken; /* ns before `time` */
	uint32_t snapshot; /* event_snapshot.number; 0: none */
	uint64_t call;	   /* enum wait_call, and number << WAIT_CALL_BITS */
	uint32_t object;   /* event_object.number; 0: not known */
	uint64_t asked;	   /* ns; 0: not known */
	uint32_t owner;	   /* of a lock or futex: number in the chunk; 0: not known */
	uint32_t ready;	   /* of epoll: a descriptor that was ready, plus 1; 0: not known */
	uint32_t ready_object; /* what it led to: event_object.number; 0: not known */
	bool callers_known; /* as in struct event_sample */
};

/* The task that called for the wakeup of `target`, with stacks; the context is in the wait. */
struct event_wake {
	uint32_t cpu, task, source;
	uint64_t flags; /* enum sample_flag */
	uint32_t target, context;
	uint64_t missing;
	uint32_t kernel, user;
	uint64_t time;
	uint32_t snapshot;
	bool callers_known;
};

/* The user stack of the task's waits that ended in [time - since, time] and have WAIT_USER_LATER. */
struct event_user_stack {
	uint32_t cpu, task, source;
	uint64_t flags; /* enum sample_flag */
	uint64_t missing;
	uint32_t user;
	uint64_t time, since;
	uint32_t snapshot;
	bool callers_known;
};

enum wait_sum_kind {
	WAIT_SUM_INTERRUPTIBLE,
	WAIT_SUM_UNINTERRUPTIBLE,
	WAIT_SUM_OTHER_BLOCKED,
	WAIT_SUM_PREEMPTED,
	WAIT_SUM_YIELDED,
	WAIT_SUM_CANCELLED,
	WAIT_SUM_STARTED,
	WAIT_SUM_KINDS
};

struct event_wait_sum {
	uint64_t count, total, run_queue, throttled; /* ns; total: all */
};

/* Sums of one task, from time - span to time. flags: one bit per enum wait_sum_kind that follows. */
struct event_wait_sums {
	uint64_t time; /* (t) */
	uint32_t task, source;
	uint64_t span, running; /* ns; running: on a CPU, as accounted by the kernel */
	uint64_t flags;
	struct event_wait_sum kinds[WAIT_SUM_KINDS];
};

#endif
