/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The stacks of the current task, kernel and user, from a program's context: a tick, a tracepoint or a function. */
#ifndef RWALKER_BPF_STACKS_BPF_H
#define RWALKER_BPF_STACKS_BPF_H

#include "bpf/kernel.h"
#include "bpf/ring.bpf.h"
#include "bpf/stack_top.bpf.h"

struct stacks {
	u32 flags; /* enum ring_sample_flag */
	u32 kernel_count, user_count;
};

static __always_inline u32 user_stack_missing(struct task_struct *task)
{
	if (task->flags & PF_KTHREAD)
		return RING_SAMPLE_NO_USER_KTHREAD;
	if ((task->flags & PF_EXITING) && !task->mm)
		return RING_SAMPLE_NO_USER_EXITING;
	return RING_SAMPLE_NO_USER_FAULT;
}

/*
 * Takes one after the other, each of at most `room` bytes. Returns their size in bytes. A missing
 * kernel stack is counted.
 */
static __always_inline u64 stacks_take(void *ctx, struct task_struct *task, void *frames, u64 room, bool user_too,
				       __u64 *counters, struct stacks *ret_stacks)
{
	long kernel = bpf_get_stack(ctx, frames, room, 0), user = 0;
	u64 top = 0;

	ret_stacks->flags = 0;
	if (kernel < 0) {
		count_one(&counters[RING_COUNT_KERNEL_STACK]);
		kernel = 0;
	}
	if (kernel == room)
		ret_stacks->flags |= RING_SAMPLE_KERNEL_TRUNCATED;
	if (user_too) {
		user = bpf_get_stack(ctx, frames + kernel, room, BPF_F_USER_STACK);
		if (user <= 0) {
			ret_stacks->flags |= user_stack_missing(task);
			user = 0;
		}
		if (user == room)
			ret_stacks->flags |= RING_SAMPLE_USER_TRUNCATED;
		if (user)
			top = stack_top_take(task, frames + kernel + user, &ret_stacks->flags);
	}
	ret_stacks->kernel_count = kernel / 8u;
	ret_stacks->user_count = user / 8u;
	return kernel + user + top;
}

/* For a record that is in its ring. */
static __always_inline void stacks_count(u32 flags, __u64 *counters)
{
	if (flags & (RING_SAMPLE_KERNEL_TRUNCATED | RING_SAMPLE_USER_TRUNCATED))
		count_one(&counters[RING_COUNT_TRUNCATED]);
	if (flags & (RING_SAMPLE_NO_USER_EXITING | RING_SAMPLE_NO_USER_FAULT))
		count_one(&counters[RING_COUNT_USER_STACK]);
	if (flags & RING_SAMPLE_NO_SNAPSHOT)
		count_one(&counters[RING_COUNT_SNAPSHOT]);
}

#endif
