/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Why a task leaves the CPU, or has left it: enum wait_class. */
#ifndef RWALKER_BPF_WAIT_JUDGE_BPF_H
#define RWALKER_BPF_WAIT_JUDGE_BPF_H

#include "bpf/kernel.h"
#include "bpf/ring_wait.h"
#include "bpf/switched_out.bpf.h"

static __always_inline bool in_system_call(struct task_struct *task, long *ret_number)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);

	*ret_number = bpf_core_field_exists(regs->orig_ax) ? regs->orig_ax : regs->syscallno;
	return *ret_number >= 0;
}

/* False on the way back to user space: the call's registers are still there then, but already hold its result. */
static __always_inline bool in_unfinished_call(struct task_struct *task, long *ret_number)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);

	if (!in_system_call(task, ret_number))
		return false;
	return bpf_core_field_exists(regs->orig_x0) ? regs->regs[0] == regs->orig_x0 : regs->ax == -ENOSYS;
}

/* For a runnable task that is off the CPU and was not preempted in the kernel: its registers show what it did. */
static __always_inline u8 judge_runnable(struct task_struct *task)
{
	enum { X86_SCHED_YIELD = 24, ARM64_SCHED_YIELD = 124 };
	bool is_x86 = bpf_core_field_exists(struct pt_regs___kernel, orig_ax);
	long number;

	if (!in_unfinished_call(task, &number))
		return WAIT_PREEMPTED;
	if (number == (is_x86 ? X86_SCHED_YIELD : ARM64_SCHED_YIELD))
		return WAIT_YIELDED;
	if (bpf_core_field_exists(task->preempt_notifiers.first) && task->preempt_notifiers.first)
		return WAIT_PREEMPTED; /* on its way back to its guest, within a call that continues */
	return WAIT_CANCELLED;
}

/*
 * `preempt` alone does not decide: a task that is interrupted in user space is switched on its way
 * back there, by a plain call of the scheduler in state 0, just like one that yields. A pending
 * signal cancels a sleep before it begins: the state is 0 again (since 6.15 also in the
 * tracepoint), and the switch still counts as voluntary. A wakeup that arrives before the sleep
 * also leaves state 0 and an involuntary switch, but in the middle of a system call.
 */
static __always_inline u8 judge_switch(struct task_struct *prev, bool preempt, u32 state, bool voluntary)
{
	if (preempt)
		return WAIT_PREEMPTED;
	if (state)
		return prev->__state ? WAIT_BLOCKED : WAIT_CANCELLED;
	if (voluntary)
		return WAIT_CANCELLED;
	if (prev->flags & (PF_KTHREAD | PF_IO_WORKER))
		return WAIT_YIELDED; /* it called the scheduler itself: it is not returning to user space */
	return judge_runnable(prev);
}

#endif
