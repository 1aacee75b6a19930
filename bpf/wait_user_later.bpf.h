/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * User stacks of waits that get a record: taken from the switch-in on, when it is known which waits
 * these are, and before the thread is back in user space (enum ring_user_way).
 */
#ifndef RWALKER_BPF_WAIT_USER_LATER_BPF_H
#define RWALKER_BPF_WAIT_USER_LATER_BPF_H

#include "bpf/wait_task_work.bpf.h"
#include "bpf/wait_user.bpf.h"

/* What the wait's record says about the user stack. */
static __always_inline u32 plan_user_stack(struct task_struct *task, const struct wait_entry *entry)
{
	const bool hook = wait_knobs.user_way == RING_BY_SYS_EXIT;

	if (!wants_user_stacks())
		return 0;
	if (!has_user_stack(task))
		return RING_WAIT_USER_KTHREAD;
	if (entry->flags & ENTRY_USER_TOLD || wait_knobs.user_way == RING_BY_NONE ||
	    (hook && !(entry->flags & ENTRY_IN_SYSCALL)))
		return RING_WAIT_USER_BEFORE;
	return RING_WAIT_USER_LATER;
}

/*
 * Since when waits of the sleeping task's present system call have had no user stack; 0 if the task
 * was elsewhere then.
 */
static __always_inline u64 still_pending(struct task_struct *task, const struct wait_entry *entry)
{
	u64 ip, sp;

	read_user_registers(task, &ip, &sp);
	return ip == entry->ip && sp == entry->sp ? entry->pending : 0;
}

/* The current task is about to run on: takes the user stack of its waits since it was last in user space. */
static __noinline void take_pending(struct task_struct *task)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task, 0, 0);
	u64 ip, sp, since, now;

	if (!entry || !entry->pending)
		return;
	since = entry->pending;
	entry->pending = 0;
	read_user_registers(task, &ip, &sp);
	now = bpf_ktime_get_ns();
	if (now < since) /* may be by the run queue's clock */
		now = since;
	tell_user_stack(task, now, since, ip == entry->ip && sp == entry->sp ? USER_MISSING_NONE : USER_MISSING_CHANGED);
}

/* For the task whose switch-in or system call was noted on this CPU (note_pending()). */
static __always_inline void take_noted(void)
{
	struct ring_cpu *cpu = ring_this_cpu();

	if (cpu && cpu->pending) {
		cpu->pending = 0;
		take_pending(bpf_get_current_task_btf());
	}
}

/* Preemptible, so per-CPU data cannot be used here. */
static int take_on_the_way(struct bpf_map *map, void *key, void *value)
{
	bpf_preempt_disable();
	take_pending(bpf_get_current_task_btf());
	bpf_preempt_enable();
	return 0;
}

/*
 * Called after the record of a wait with USER_LATER. One stack serves all waits of a call: it is
 * asked for with the first.
 */
static __always_inline void want_user_stack(struct task_struct *task, struct wait_entry *entry, u64 now)
{
	if (entry->pending)
		return;
	entry->pending = now;
	read_user_registers(task, &entry->ip, &entry->sp);
}

/*
 * Called at the end of a switch-in whose wait is the first of a call. Not by want_user_stack(), whose callers have
 * little room left on the stack: old kernels count what is scheduled as called.
 */
static __noinline void schedule_user_stack(struct task_struct *task, struct wait_entry *entry)
{
	const u64 since = entry->pending;

	if (task_work_schedule(task, take_on_the_way))
		return;
	entry->pending = 0;
	tell_user_stack(task, since, since, USER_MISSING_UNSCHEDULED);
}

/* For the hooks that look at this CPU's own memory and at nothing else. */
static __always_inline void note_pending(struct ring_cpu *cpu, u64 pending)
{
	if (wait_knobs.user_way == RING_BY_SWITCH || wait_knobs.user_way == RING_BY_SYS_EXIT)
		cpu->pending = pending;
}

#endif
