/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Waits that were under way at the first look at all tasks. It determines when they began, because
 * at their switch-in it is too late. Its results are kept apart from what switches write: another
 * CPU may be switching the same task.
 */
#ifndef RWALKER_BPF_WAIT_FIRST_BPF_H
#define RWALKER_BPF_WAIT_FIRST_BPF_H

#include "bpf/wait_run_queue.bpf.h"
#include "bpf/wait_throttle.bpf.h"
#include "bpf/wait_user.bpf.h"
#include "bpf/walk_lock.bpf.h"

/* A copy of a task's entry, which stays as it is: the task may be switched in meanwhile. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wait_entry);
} look_entry SEC(".maps");

static __always_inline struct wait_entry *copy_entry(const struct wait_entry *entry)
{
	u32 zero = 0;
	struct wait_entry *copy = bpf_map_lookup_elem(&look_entry, &zero);

	if (copy)
		__builtin_memcpy(copy, entry, sizeof(*copy));
	return copy;
}

/*
 * For a task that is off the CPU. A runnable one was preempted, or has been woken up since. If
 * woken up, it has waited for the CPU for less time than it has been off it, and its earlier state
 * is not known any more.
 */
static __always_inline u8 judge_first(struct task_struct *task, u32 state, u64 out)
{
	u64 queued = task->sched_info.last_queued;

	if (!task->sched_info.last_arrival)
		return WAIT_STARTED;
	if (state)
		return is_queued(task) ? WAIT_PREEMPTED : WAIT_BLOCKED;
	if (queued && queued + wait_look.clock_offset > out + SWITCHED_CLOSE)
		return WAIT_BLOCKED;
	if (task->flags & (PF_KTHREAD | PF_IO_WORKER))
		return WAIT_PREEMPTED;
	return judge_runnable(task) == WAIT_YIELDED ? WAIT_YIELDED : WAIT_PREEMPTED;
}

/*
 * The kernel lock that the task waits for: nobody saw it begin to. By now it may run, and may have got the lock, of
 * which nobody will tell again.
 */
static __noinline void find_first_lock(struct task_struct *task, struct wait_entry *entry)
{
	struct wait_entry *copy = copy_entry(entry);

	if (!copy)
		return;
	find_lock(task, copy, OBJECT_AT_LOOK);
	if (!copy->lock.address || entry->lock.address)
		return;
	entry->lock.flags = copy->lock.flags;
	entry->lock.held = copy->lock.held;
	entry->lock.owner = copy->lock.owner;
	note_lock(entry, copy->lock.address);
	if (task->on_cpu || task->sched_info.last_arrival != entry->first_arrival)
		note_lock(entry, 0);
}

/*
 * Also for a task on a CPU, which may be on its way off. If it runs again before it is seen to
 * leave, this is discarded.
 */
static __always_inline void look_at_wait(struct task_struct *task, struct wait_entry *entry)
{
	u32 bound = WAIT_EXACT, state = 0;
	u64 out = task->start_time; /* if it has never run */

	entry->first_arrival = task->sched_info.last_arrival;
	if (entry->first_arrival) {
		out = switched_out(as_number(task), bpf_ktime_get_ns() - wait_look.clock_offset, &bound);
		out += wait_look.clock_offset;
		state = state_or_frozen(task, task->__state);
	}
	if (state & TASK_WAKING)
		state = 0;
	entry->first_state = state;
	entry->first_class = judge_first(task, state, out);
	entry->first_flags = RING_WAIT_BEGAN_BEFORE | (bound == WAIT_EXACT ? 0 : RING_WAIT_OUT_LATEST) |
			     (state ? moved_before(task) : 0);
	entry->first_out = out;
	entry->run_delay = task->sched_info.run_delay;
	if (marks_throttled() && task->throttled) {
		(void)note_throttled(task, entry, bpf_ktime_get_ns() - wait_look.clock_offset,
				     since(out, bpf_ktime_get_ns()));
		entry->first_class = WAIT_PREEMPTED;
		entry->first_flags |= ENTRY_THROTTLED;
	}
	entry->first_seen = !entry->out;
	if (wait_knobs.locks && entry->first_class == WAIT_BLOCKED && state)
		find_first_lock(task, entry);
}

/* The wait that the first look found becomes the task's current one. */
static __always_inline void take_first(struct wait_entry *entry)
{
	entry->first_seen = false;
	entry->out = entry->first_out;
	entry->state = entry->first_state;
	entry->wait_class = entry->first_class;
	entry->flags = entry->first_flags;
}

/* The task has an entry, and was off the CPU when the first look created it. False if it has run in between. */
static __noinline bool began_before(struct task_struct *task, struct wait_entry *entry, u64 now)
{
	long number;

	if (!entry->first_seen || entry->first_arrival != task->sched_info.last_arrival)
		return false;
	take_first(entry);
	if (waits_for_io(task))
		entry->flags |= RING_WAIT_IOWAIT;
	if (wait_knobs.user_way == RING_BY_SYS_EXIT && in_system_call(task, &number))
		entry->flags |= ENTRY_IN_SYSCALL;
	return entry->out && entry->out <= now;
}

#endif
