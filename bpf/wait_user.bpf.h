/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * User stacks of waits. A thread's user stack can be read only while the thread is current, and
 * before it is back in user space: when it leaves the CPU, before the length of the wait is known,
 * or from the switch-in on (enum ring_user_way).
 */
#ifndef RWALKER_BPF_WAIT_USER_BPF_H
#define RWALKER_BPF_WAIT_USER_BPF_H

#include "bpf/snapshot.bpf.h"
#include "bpf/stack_top.bpf.h"
#include "bpf/wait_filter.bpf.h"

/* task: the current one. Returns the size of its stack in bytes. */
static __always_inline u64 take_user_stack(struct task_struct *task, struct ring_user_stack *record)
{
	const u64 room = wait_max_frames * 8;
	long bytes = bpf_get_task_stack(task, record->frames, room, BPF_F_USER_STACK);

	record->flags = 0;
	record->reason = USER_MISSING_NONE;
	record->count = 0;
	if (bytes <= 0 || !task->mm) { /* an exiting task without its memory still has one frame */
		record->reason = task->flags & PF_EXITING ? USER_MISSING_EXITING : USER_MISSING_FAULT;
		return 0;
	}
	if (bytes == room)
		record->flags |= RING_SAMPLE_USER_TRUNCATED;
	record->count = bytes / 8u;
	barrier_var(bytes);
	if (bytes < 0 || bytes > room)
		return 0;
	return bytes + stack_top_take(task, (void *)record->frames + bytes, &record->flags);
}

/*
 * Writes the user stack of the current task, or why there is none. since: 0 if the task leaves the
 * CPU; else it has finished waiting.
 */
static __noinline void tell_user_stack(struct task_struct *task, u64 now, u64 since, u32 reason)
{
	bool switched = !since;
	struct ring_cpu *cpu = ring_this_cpu();
	struct ring_user_stack *record;
	struct ring_slot slot;
	u64 length = sizeof(*record);
	enum ring_counter outcome;

	if (!cpu || (!reason && !ring_has_room(bpf_get_smp_processor_id(), length + wait_max_frames * 8)))
		return; /* the reader counts waits whose stack is missing */
	record = scratch_enter(cpu, &slot);
	if (record) {
		record->head = head_of(RING_USER_STACK, now, wait_knobs.source);
		record->since = since;
		task_describe(task, &record->task);
		if (reason) {
			record->reason = reason;
			record->flags = record->count = 0;
		} else {
			length += take_user_stack(task, record);
			record->flags |= snapshot_tell(task, &slot, now, wait_knobs.source,
						       switched ? RING_MAX_HOOK_SNAPSHOT : snapshot_bytes, !switched,
						       switched ? RING_SNAPSHOT_BEFORE : 0);
		}
		outcome = ring_output(&slot, record->head.cpu, record, length);
		/* For a wait that begins, the recorder counts it, if the wait gets a record. */
		if (outcome == RING_COUNT_RECORDED && !switched && record->flags & RING_SAMPLE_NO_SNAPSHOT)
			count_one(&cpu->counters[RING_COUNT_SNAPSHOT]);
	}
	scratch_leave(&slot);
}

static __always_inline void read_user_registers(struct task_struct *task, u64 *ret_ip, u64 *ret_sp)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);

	*ret_ip = bpf_core_field_exists(regs->ip) ? regs->ip : regs->pc;
	*ret_sp = regs->sp;
}

static __always_inline bool has_user_stack(struct task_struct *task)
{
	return !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER));
}

/* --- at the switch-out --- */

enum { PATIENCE = 64 };

/*
 * A preempted thread that is in no system call, or has finished it, does not pass the hook at a
 * call's return. Its user stack is taken at the switch-out, in vain if the wait turns out to be
 * short. So it is not taken if all of the last waits were short.
 */
static __always_inline bool worth_taking(struct task_struct *prev, struct wait_entry *entry, bool preempt)
{
	long number;

	if (wait_knobs.user_before)
		return true;
	/* A task that is preempted, but not by `preempt`, has left its system call. */
	if ((preempt || entry->wait_class != WAIT_PREEMPTED) && in_system_call(prev, &number)) {
		entry->flags |= ENTRY_IN_SYSCALL;
		return false;
	}
	return entry->wait_class == WAIT_BLOCKED || entry->hasty < PATIENCE;
}

static __always_inline void user_stack_before(struct task_struct *prev, struct wait_entry *entry, u64 now, bool preempt)
{
	if (!wait_knobs.user_stacks || (!wait_knobs.user_before && wait_knobs.user_way != RING_BY_SYS_EXIT))
		return;
	if (!has_user_stack(prev) || !worth_taking(prev, entry, preempt))
		return;
	if (task_is_own(prev) || !task_is_wanted(prev))
		return;
	entry->flags |= ENTRY_USER_TOLD;
	tell_user_stack(prev, now, 0, USER_MISSING_NONE);
}

static __always_inline void learn_length(struct wait_entry *entry, u64 length)
{
	if (wait_knobs.user_way != RING_BY_SYS_EXIT || entry->wait_class == WAIT_BLOCKED ||
	    (entry->flags & ENTRY_IN_SYSCALL))
		return;
	if (length < budget_least(wait_knobs.least) / 4)
		entry->hasty += entry->hasty < PATIENCE;
	else
		entry->hasty = 0;
}

#endif
