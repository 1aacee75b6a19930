/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The context of a wait: a system call with its arguments, or something else. */
#ifndef RWALKER_BPF_OBJECT_CALL_H
#define RWALKER_BPF_OBJECT_CALL_H

#include "bpf/kernel_calls.bpf.h"
#include "bpf/wait_judge.bpf.h"

/* Whether the call is one of a 32-bit program, or was made by int 0x80. */
static __always_inline bool is_compat(struct task_struct *task)
{
	struct task_struct___x86 *x86 = (void *)task;
	struct task_struct___arm64 *arm64 = (void *)task;

	if (bpf_core_field_exists(x86->thread_info.status))
		return x86->thread_info.status & TS_COMPAT;
	return arm64->thread_info.flags & TIF_32BIT_MASK;
}

/* marks: enum ring_mark, of its frames. */
static __always_inline u32 context_of_call(struct task_struct *task, u32 state, u32 marks)
{
	long number;

	if (task->flags & PF_IO_WORKER)
		return WAIT_IN_IO_WORKER;
	if (task->flags & (PF_KTHREAD | PF_USER_WORKER))
		return WAIT_IN_KERNEL_THREAD;
	if (state & (TASK_STOPPED_BIT | TASK_TRACED_BIT))
		return WAIT_IN_STOP;
	if (state & TASK_FROZEN) /* for no call, whatever it was in */
		return WAIT_IN_UNKNOWN;
	if (!in_system_call(task, &number))
		return (marks & (RING_MARK_ENTRY | RING_MARK_BACK)) == RING_MARK_ENTRY ? WAIT_IN_FAULT :
											 WAIT_IN_UNKNOWN;
	if (marks & RING_MARK_BACK || !in_unfinished_call(task, &number))
		return WAIT_IN_UNKNOWN;
	return is_compat(task) ? WAIT_IN_COMPAT_CALL : WAIT_IN_CALL;
}

#endif
