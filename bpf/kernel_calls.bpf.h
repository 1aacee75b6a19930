/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Like bpf/kernel.h, for what a thread is in: its call, its stack, its timer, its work. */
#ifndef RWALKER_BPF_KERNEL_CALLS_H
#define RWALKER_BPF_KERNEL_CALLS_H

#include "bpf/kernel_files.bpf.h"

#define PF_WQ_WORKER 0x00000020
#define TS_COMPAT 0x0002		/* x86 */
#define TIF_32BIT_MASK (1UL << 22)	/* arm64 */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct hrtimer {
	s64 _softexpires;
	void *function;
};

struct hrtimer_sleeper { /* begins with its struct hrtimer */
	struct task_struct *task;
};

struct worker {
	void *current_func;
};

struct kthread {
	void *data;
};

struct pid {
	unsigned int level;
};

struct thread_info___x86 {
	u32 status;
};

struct thread_info___arm64 {
	unsigned long flags;
};

struct thread_struct___x86 {
	unsigned long sp;
};

struct cpu_context {
	unsigned long sp;
};

struct thread_struct___arm64 {
	struct cpu_context cpu_context;
};

struct signal_struct___runtime {
	unsigned long long sum_sched_runtime;
};

struct task_struct___files {
	struct files_struct *files;
	struct signal_struct___runtime *signal;
	struct pid *thread_pid;
	void *worker_private;
};

struct task_struct___x86 {
	struct thread_struct___x86 thread;
	struct thread_info___x86 thread_info;
};

struct task_struct___arm64 {
	struct thread_struct___arm64 thread;
	struct thread_info___arm64 thread_info;
};

struct pt_regs___arguments { /* x86 */
	unsigned long di, si, dx, r10, r8;
};

#pragma clang attribute pop

/*
 * The verifier allows no arithmetic on typed pointers, nor their use as numbers. Negation makes it
 * forget the type.
 */
static __always_inline u64 as_number(const void *pointer)
{
	u64 number = (u64)pointer;

	asm volatile("%0 = -%0\n%0 = -%0" : "+r"(number));
	return number;
}

struct call_arguments {
	u64 values[4];
};

static __always_inline struct call_arguments call_arguments(struct task_struct *task)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);
	struct pt_regs___arguments *x86 = (void *)regs;

	if (bpf_core_field_exists(x86->di))
		return (struct call_arguments){{x86->di, x86->si, x86->dx, x86->r10}};
	return (struct call_arguments){{regs->orig_x0, regs->regs[1], regs->regs[2], regs->regs[3]}};
}

#endif
