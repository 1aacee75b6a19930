/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the programs have to know of this kernel, to find out what waits are for: its system calls, and where its
 * functions are. Private, as ring_event.h.
 */
#ifndef RWALKER_BPF_RING_CALLS_H
#define RWALKER_BPF_RING_CALLS_H

#include <linux/types.h>

/* What a system call's arguments say about its object. */
enum ring_call_kind {
	RING_CALL_OTHER,
	RING_CALL_DESCRIPTOR, /* the first one is a descriptor */
	RING_CALL_FUTEX,
	RING_CALL_WAIT4,
	RING_CALL_WAITID,
	RING_CALL_SLEEP,
	RING_CALL_POLL,
	RING_CALL_SELECT,
};

/* Which argument of a call says for how long it waits at most: forever if it is NULL, or negative. */
enum ring_call_limit {
	RING_LIMIT_NONE, /* of no such call */
	RING_LIMIT_POINTER_3,
	RING_LIMIT_POINTER_4,
	RING_LIMIT_POINTER_5,
	RING_LIMIT_NUMBER_3, /* an int */
	RING_LIMIT_NUMBER_4,
};

/* A function of the kernel in which tasks sleep that queue for a lock. */
enum ring_queue { RING_QUEUE_NONE, RING_QUEUE_MUTEX, RING_QUEUE_RWSEM, RING_QUEUE_SEMAPHORE, RING_QUEUE_PERCPU };
struct ring_lock_function {
	__u64 start, end;
	__u32 queue; /* enum ring_queue */
	__u32 reads; /* bool: they only want to read */
};

enum { RING_LOCK_FUNCTIONS = 24 };
enum { RING_CALLS = 1024 };

/* Where functions of the kernel are. Set once the programs are loaded, before they run: its symbols are read then. */
struct ring_object_functions {
	__u64 timer_wakeup; /* address of hrtimer_wakeup; 0: unknown, and so is how long a sleep was asked for */
	__u64 locks_start, locks_end; /* none of these is elsewhere: */
	struct ring_lock_function locks[RING_LOCK_FUNCTIONS]; /* those known; the rest is empty */
	__u64 poll_wake; /* address of pollwake; 0: unknown */
	__u64 page_wake; /* of wake_page_function */
	__u64 page_wait, page_wait_end; /* folio_wait_bit_common */
};

struct ring_object_knobs {
	__u32 on, by_cast;  /* bools; by_cast: the kernel has bpf_rdonly_cast, which makes reading cheap */
	__u32 page_size, unused;
	__u8 calls[RING_CALLS]; /* enum ring_call_kind of the kernel's own calls */
	__u8 limits[RING_CALLS]; /* enum ring_call_limit of these */
};

#endif
