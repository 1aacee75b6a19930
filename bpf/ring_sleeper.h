/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of the ABI in ring_event.h for user stacks of sleepers: between bpf/sleepers.bpf.c, the
 * helper that copies (record/helper/iterator_helper.h), and the recorder. Private, as there.
 */
#ifndef RWALKER_BPF_RING_SLEEPER_H
#define RWALKER_BPF_RING_SLEEPER_H

#include "bpf/ring_event.h"
#include "bpf/ring_snapshot.h"

enum {
	RING_MAX_SLEEPERS = 16384, /* of one round */
};

enum ring_sleeper_stage {
	RING_SLEEPER_WANTED,
	RING_SLEEPER_BEGUN, /* a helper was asked to copy: never again in this round */
	RING_SLEEPER_DONE,
};

/* By tid, written by the recorder: whose stack is wanted. */
struct ring_sleeper_wanted {
	__u64 start;	/* CLOCK_BOOTTIME */
	__u64 switches; /* so far; it has slept since then */
	__u64 futex;	/* the futex it sleeps for, which may be a mutex; 0: none */
	__u64 began;	/* CLOCK_MONOTONIC: the sleep, or later */
	__u32 stage, outcome;
};

struct ring_sleeper_place { /* in the memory of a process */
	__u64 from, to;	   /* to: at most the end of the mapping. from 0: nowhere */
	__u64 file_system; /* of the mapping's file, as statfs(2) has it (f_type); 0: memory without a file */
};

/*
 * What the helper shall copy before it reads on. A page that it shares with the program; the copy
 * counts only if the record that is read next is of the same task and has the same stack pointer.
 */
struct ring_sleeper_asked {
	struct ring_sleeper_place stack, mutex;
	__u32 tgid, tid;
	__u32 operation, value; /* of the call that waits for the mutex */
	/* by the helper: */
	__u32 owner;	    /* of the mutex: its tid in the task's pid namespace; 0: not known */
	__u32 owner_shared; /* it may be in another process */
};

struct ring_sleeper {
	__u64 start;
	__u32 tid, outcome; /* enum user_missing */
	__u64 address; /* of the stack's first byte: the stack pointer, rounded down to a word */
	/* by the helper: */
	__u32 size;  /* of the stack */
	__u32 flags; /* enum snapshot_flag */
	struct ring_task owner; /* owner of the mutex `futex`; tid 0: not known */
	__u64 registers[RING_REGISTERS];
	__u64 stack[];
};

#endif
