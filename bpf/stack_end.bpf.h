/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where the user stack of the current task ends. The kernel keeps the end of the main stack; for
 * others the mapping is looked up once and remembered by thread.
 */
#ifndef RWALKER_BPF_STACK_END_BPF_H
#define RWALKER_BPF_STACK_END_BPF_H

#include "bpf/user_stack.bpf.h"

enum { STACK_RANGES = 256 }; /* a power of two */

struct stack_range { /* the mapping that a thread's stack is in */
	u64 thread; /* tgid and tid; 0: none */
	u64 start, end;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STACK_RANGES);
	__type(key, u32);
	__type(value, struct stack_range);
} stack_ranges SEC(".maps");

static long note_range(struct task_struct *task, struct vm_area_struct *vma, struct stack_range *range)
{
	range->start = vma->vm_start;
	range->end = vma->vm_end;
	return 0;
}

static __always_inline bool on_signal_stack(struct task_struct *task, u64 sp)
{
	return sp - task->sas_ss_sp < task->sas_ss_size;
}

/*
 * 0 if unknown. look: whether the mapping may be looked up here (never in the scheduler, which
 * holds locks that the lookup may need).
 */
static __always_inline u64 stack_end(struct task_struct *task, u64 sp, bool look)
{
	u64 thread = (u64)task->tgid << 32 | (u32)task->pid, main_end = task->mm->start_stack;
	u32 place = (task->pid ^ task->tgid) & (STACK_RANGES - 1);
	struct stack_range *known, found = {};

	if (on_signal_stack(task, sp))
		return task->sas_ss_sp + task->sas_ss_size;
	if (on_main_stack(main_end, sp))
		return main_end;
	known = bpf_map_lookup_elem(&stack_ranges, &place);
	if (!known)
		return 0;
	if (known->thread == thread && sp >= known->start && sp < known->end)
		return known->end;
	if (!look || bpf_find_vma(task, sp, note_range, &found, 0) || found.end <= sp)
		return 0;
	known->thread = thread;
	known->start = found.start;
	known->end = found.end;
	return found.end;
}

#endif
