/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * User stacks of waits. One can be read only while its thread is current and in the system call, or interrupt, in which it
 * waited: when it leaves the CPU, or when the call returns.
 */
#ifndef RWALKER_BPF_WAIT_USER_BPF_H
#define RWALKER_BPF_WAIT_USER_BPF_H

#include "bpf/snapshot.bpf.h"
#include "bpf/wait_filter.bpf.h"

/* Of the current task; the number of its bytes. */
static __always_inline u64 take_user_stack(void *ctx, struct task_struct *task, struct ring_user_stack *record)
{
	const u64 room = wait_max_frames * 8;
	long bytes = bpf_get_stack(ctx, record->frames, room, BPF_F_USER_STACK);

	record->flags = 0;
	record->reason = RING_USER_TAKEN;
	record->count = 0;
	if (bytes <= 0) {
		record->reason = task->flags & PF_EXITING ? RING_USER_EXITING : RING_USER_FAULT;
		return 0;
	}
	if (bytes == room)
		record->flags |= RING_SAMPLE_USER_TRUNCATED;
	record->count = bytes / 8u;
	return bytes;
}

/* Tells the user stack of the current task, or why there is none. switched: it leaves the CPU, else it is done with waiting. */
static __noinline void tell_user_stack(void *ctx, struct task_struct *task, u64 now, u64 since, u32 reason)
{
	bool switched = !since;
	struct ring_cpu *cpu = ring_this_cpu();
	struct ring_user_stack *record;
	u64 length = sizeof(*record);

	if (!cpu)
		return;
	record = scratch_enter(cpu);
	if (record) {
		record->head = head_of(RING_USER_STACK, now, wait_knobs.source);
		record->since = since;
		task_describe(task, &record->task);
		if (reason) {
			record->reason = reason;
			record->flags = record->count = 0;
		} else {
			length += take_user_stack(ctx, task, record);
			if (snapshot_tell(task, cpu, now, wait_knobs.source,
					  switched ? RING_MAX_HOOK_SNAPSHOT : snapshot_bytes, !switched,
					  switched ? RING_SNAPSHOT_BEFORE : 0))
				record->flags |= RING_SAMPLE_SNAPSHOT;
		}
		(void)ring_output(record->head.cpu, record, length); /* a wait that misses its stack is counted by the reader */
	}
	scratch_leave(cpu);
}

static __always_inline void read_user_registers(struct task_struct *task, u64 *ret_ip, u64 *ret_sp)
{
	struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);

	*ret_ip = bpf_core_field_exists(regs->ip) ? regs->ip : regs->pc;
	*ret_sp = regs->sp;
}

/*
 * A preempted thread that is in no system call, or is done with it, passes no place where its user stack could be taken
 * later: it is taken before, for nothing where the wait turns out to be short. So it is not where the last ones all were.
 */
static __always_inline bool worth_taking(const struct wait_entry *entry)
{
	enum { PATIENCE = 64 };

	return entry->wait_class == RING_WAIT_BLOCKED || !wait_knobs.least || entry->hasty < PATIENCE;
}

static __always_inline void learn_length(struct wait_entry *entry, u64 length)
{
	if (!wait_knobs.user_stacks || entry->wait_class == RING_WAIT_BLOCKED || (entry->flags & WAIT_IN_SYSCALL))
		return;
	if (length < wait_knobs.least / 4)
		entry->hasty++;
	else
		entry->hasty = 0;
}

/* What the wait's record says of the user stack; notes what is to be done for it. now 0: nothing will be done any more. */
static __always_inline u32 plan_user_stack(struct task_struct *task, struct wait_entry *entry, u64 now)
{
	if (!wait_knobs.user_stacks)
		return 0;
	if (task->flags & PF_KTHREAD)
		return RING_WAIT_USER_KTHREAD;
	if (!(entry->flags & WAIT_IN_SYSCALL))
		return RING_WAIT_USER_BEFORE;
	if (now && !entry->pending) {
		entry->pending = now;
		read_user_registers(task, &entry->ip, &entry->sp);
	}
	return RING_WAIT_USER_LATER;
}

/* Since when waits of the system call that a sleeping task is in have no user stack; 0: the task was elsewhere then. */
static __always_inline u64 still_pending(struct task_struct *task, const struct wait_entry *entry)
{
	u64 ip, sp;

	read_user_registers(task, &ip, &sp);
	return ip == entry->ip && sp == entry->sp ? entry->pending : 0;
}

/* The system call of the current task returns: the user stack of the waits within it. */
static __always_inline void take_pending(void *ctx, struct task_struct *task)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task, 0, 0);
	u64 ip, sp, since, now;

	if (!entry || !entry->pending)
		return;
	since = entry->pending;
	entry->pending = 0;
	read_user_registers(task, &ip, &sp);
	now = bpf_ktime_get_ns();
	if (now < since) /* which may be by the run queue's clock */
		now = since;
	tell_user_stack(ctx, task, now, since,
			ip == entry->ip && sp == entry->sp ? RING_USER_TAKEN : RING_USER_CHANGED);
}

#endif
