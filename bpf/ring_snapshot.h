/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of the ABI in ring_event.h for snapshots of user stacks. Private, as there. A snapshot
 * is written right before its record, which is the next one of that CPU with the same time and
 * source.
 */
#ifndef RWALKER_BPF_RING_SNAPSHOT_H
#define RWALKER_BPF_RING_SNAPSHOT_H

#include "bpf/ring_event.h"

enum {
	RING_MAX_SNAPSHOT = 64 << 10,	   /* bytes of a stack */
	RING_MAX_HOOK_SNAPSHOT = 16 << 10, /* the same, inside the scheduler */
	RING_REGISTERS_X86 = 21,	   /* words of the kernel's struct pt_regs */
	RING_REGISTERS_ARM64 = 34,
	RING_REGISTERS = RING_REGISTERS_ARM64,
};

enum ring_snapshot_flag { /* besides enum snapshot_flag */
	RING_SNAPSHOT_BEFORE = 4,   /* for a wait that is beginning and may turn out too short */
	RING_SNAPSHOT_MORE = 8,	    /* another stack of the thread: belongs to the snapshot written right before */
};

struct ring_snapshot {
	struct ring_head head;
	__u64 address; /* of the stack's first byte: the stack pointer, rounded down to a word */
	__u32 size;    /* of the stack */
	__u32 flags;
	struct ring_task task;
	__u64 registers[RING_REGISTERS]; /* in the kernel's order */
	__u64 stack[];
};

#endif
