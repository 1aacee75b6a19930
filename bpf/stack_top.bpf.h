/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The words at the top of a user stack, among which code without a frame record has its return address. */
#ifndef RWALKER_BPF_STACK_TOP_BPF_H
#define RWALKER_BPF_STACK_TOP_BPF_H

#include "bpf/kernel.h"
#include "bpf/ring_event.h"
#include "bpf/signal_stack.bpf.h"

/*
 * Reads a struct ring_top of the current task, up to the frame pointer: what is above it is in the chain already.
 * Returns its bytes; 0: there is nothing to add, or a snapshot has it.
 */
static __always_inline u64 stack_top_take(struct task_struct *task, void *to, u32 *flags)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);
	const bool x86 = bpf_core_field_exists(regs->bp);
	u64 sp = regs->sp, frame = x86 ? regs->bp : regs->regs[29], link = x86 ? 0 : regs->regs[30];
	u64 size = RING_TOP_WORDS * 8;
	struct ring_top *top = to;

	if (snapshot_bytes || sp % 8)
		return 0;
	if (frame >= sp && frame - sp < size)
		size = (frame - sp) & ~7ULL;
	barrier_var(size);
	if (size > RING_TOP_WORDS * 8 || (!size && !link))
		return 0;
	if (size && bpf_probe_read_user(top->words, size, (void *)sp))
		return 0;
	top->stack = sp;
	top->frame = frame;
	top->link = link;
	size += RING_TOP_HEAD * 8;
	*flags |= (u32)(size / 8) << RING_SAMPLE_TOP_SHIFT;
	return size;
}

#endif
