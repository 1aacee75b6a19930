/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of the ABI in ring_event.h that copies user stacks of sleepers (bpf/sleepers.bpf.c).
 * Private, as there.
 */
#ifndef RWALKER_BPF_RING_SLEEPER_H
#define RWALKER_BPF_RING_SLEEPER_H

#include "bpf/ring_event.h"
#include "bpf/ring_snapshot.h"

enum {
	RING_MAX_SLEEPERS = 16384, /* of one round */
	RING_SLEEPER_SLOTS = 5,	   /* one for the helper at work, the others for helpers that are stuck */
	RING_SLEEPER_BYTES = 2 << 20, /* of the ring */
};

enum ring_sleeper_outcome {
	RING_SLEEPER_TAKEN,
	RING_SLEEPER_RAN,     /* since its kernel stack was walked */
	RING_SLEEPER_BUSY,    /* its mm lock is held for writing, or has waiters */
	RING_SLEEPER_FAULT,   /* its stack cannot be read */
	RING_SLEEPER_EXITING,
	RING_SLEEPER_NO_USER, /* a kernel thread within a user process */
};

/* By tid, written by the recorder: whose stack is wanted. */
struct ring_sleeper_wanted {
	__u64 start;	/* CLOCK_BOOTTIME */
	__u64 switches; /* so far; it has slept since then */
	__u64 futex;	/* the futex it sleeps for, which may be a mutex; 0: none */
	__u64 begun;	/* 0; 1 after the program has started on it: never again in this round */
};

struct ring_sleeper {
	__u64 start;
	__u32 tid, round;
	__u32 outcome; /* enum ring_sleeper_outcome */
	__u32 flags;   /* enum ring_snapshot_flag */
	__u64 address; /* of the stack's first byte: the stack pointer, rounded down to a word */
	__u64 size;    /* of the stack */
	struct ring_task owner; /* owner of the mutex `futex`; tid 0: not known */
	__u64 registers[RING_REGISTERS];
	__u64 stack[];
};

#endif
