/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the programs must know about the running kernel to find out what waits are for: its system
 * calls, and the addresses of its functions. Private, like ring_event.h.
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
	RING_CALL_CLONE, /* with CLONE_VFORK, it waits for the child to execute a program or exit */
	RING_CALL_SLEEP,
	RING_CALL_POLL,
	RING_CALL_SELECT,
};

/* A kernel function in which tasks sleep that queue for a lock. */
enum ring_queue { RING_QUEUE_NONE, RING_QUEUE_MUTEX, RING_QUEUE_RWSEM, RING_QUEUE_SEMAPHORE, RING_QUEUE_PERCPU };
struct ring_lock_function {
	__u64 start, end;
	__u32 queue; /* enum ring_queue */
	__u32 reads; /* bool: they only want to read */
};

struct ring_function {
	__u64 start, end; /* 0, 0: the kernel has no such function */
};

/* What a kernel function among a thread's frames says: that it is not, or not only, in its system call's own work. */
enum ring_mark {
	RING_MARK_ENTRY = 1,   /* a page fault */
	RING_MARK_FAULT = 2,   /* any fault, also one by the kernel for a call */
	RING_MARK_BEFORE = 4,  /* the call has not begun */
	RING_MARK_BACK = 8,    /* on its way back to user space */
	RING_MARK_RECLAIM = 16,
	RING_MARK_UNKNOWN = 32, /* some frames are missing */
};

struct ring_marked_function {
	__u64 bytes;
	__u64 mark; /* enum ring_mark */
};

enum { RING_LOCK_FUNCTIONS = 24, RING_TRANSMITS = 3 };
enum { RING_MARKED_BITS = 5, RING_MARKED_FUNCTIONS = 1 << RING_MARKED_BITS };
enum { RING_CALLS = 1024 };

/*
 * Addresses of kernel functions. Set after the programs are loaded and before they run: that is
 * when symbols are read.
 */
struct ring_object_functions {
	__u64 timer_wakeup; /* address of hrtimer_wakeup; 0: unknown, and so are the requested lengths of sleeps */
	__u64 percpu_wakeup; /* of percpu_rwsem_wake_function; 0: unknown */
	struct ring_function bh_enable, backlog;	 /* __local_bh_enable_ip, process_backlog */
	struct ring_function transmits[RING_TRANSMITS]; /* which send packets, and call bh_enable thereafter */
	__u64 locks_start, locks_end; /* all of these are in this range: */
	struct ring_lock_function locks[RING_LOCK_FUNCTIONS]; /* the known ones; the rest is empty */
	__u64 marks_known; /* bool: enough of these: */
	__u64 starts[RING_MARKED_FUNCTIONS]; /* ascending; the rest is ~0 */
	struct ring_marked_function marked[RING_MARKED_FUNCTIONS];
};

struct ring_object_knobs {
	__u32 on, by_cast;  /* bools; by_cast: the kernel has bpf_rdonly_cast, which makes reading cheap */
	__u32 page_size, max_frames;
	__u32 age_bits, unused; /* names are written again after 1 << age_bits ticks, or a little later */
	__u8 calls[RING_CALLS]; /* enum ring_call_kind of the kernel's own calls */
};

#endif
