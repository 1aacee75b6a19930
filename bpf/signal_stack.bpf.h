/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the interrupted stack of a signal handler that runs on a stack of its own (sigaltstack(2)).
 * The kernel has put the interrupted registers on the handler's stack, after its description of
 * that stack (struct ucontext: uc_stack), by which they are found: Linux
 * arch/x86/include/asm/sigframe.h, arch/arm64/kernel/signal.c.
 */
#ifndef RWALKER_BPF_SIGNAL_STACK_BPF_H
#define RWALKER_BPF_SIGNAL_STACK_BPF_H

#include "bpf/kernel.h"
#include "bpf/ring_snapshot.h"
#include "bpf/stack_end.bpf.h"

const volatile __u32 snapshot_bytes; /* of a stack, at most; 0: no snapshots */

enum {
	RED_ZONE = 128, /* bytes below the stack pointer that a leaf function may use */
	SIGNAL_STACK_WORDS = 4096,
	SP_BEHIND_X86 = 18, /* words from uc_stack.ss_sp to the saved stack pointer */
	SP_BEHIND_ARM64 = 52,
	FRAME_ROOM = (SP_BEHIND_ARM64 + 1) * 8, /* less than the smallest snapshot */
};

struct frame_search { /* small: on 6.1, the programs with it use all of their stack */
	const struct ring_snapshot *snapshot;
	u64 start, length; /* of the handler's stack */
	u64 found;
};

static __always_inline bool is_x86(void)
{
	return bpf_core_field_exists(struct pt_regs___kernel, orig_ax);
}

static long look_for_frame(u32 number, struct frame_search *search)
{
	u64 at = (u64)number * 8;
	const u64 *words;

	barrier_var(at); /* the verifier knows the bounds of this register only */
	if (at >= snapshot_bytes - FRAME_ROOM || at + FRAME_ROOM > search->snapshot->size)
		return 1;
	words = (const void *)search->snapshot->stack + at;
	if (words[0] != search->start || words[2] != search->length)
		return 0;
	search->found = words[is_x86() ? SP_BEHIND_X86 : SP_BEHIND_ARM64];
	/* If not, the frame is of a handler that interrupted another one on the same stack. */
	return search->found - search->start >= search->length;
}

/* 0 if the task is not on such a stack, or the frame was not found. `snapshot` holds the stack from sp on. */
static __noinline u64 interrupted_sp(struct task_struct *task, u64 sp, struct ring_snapshot *snapshot)
{
	struct frame_search search = {.snapshot = snapshot, .start = task->sas_ss_sp, .length = task->sas_ss_size};

	if (!on_signal_stack(task, sp))
		return 0;
	bpf_loop(SIGNAL_STACK_WORDS, look_for_frame, &search, 0);
	return search.found && !on_signal_stack(task, search.found) ? search.found : 0;
}

#endif
