/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Looks at all tasks. The first one creates their entries; the last one writes the waits that have
 * not ended and what remains of the sums. A look at open waits writes these, too, and changes
 * nothing.
 */
#ifndef RWALKER_BPF_WAIT_LOOK_BPF_H
#define RWALKER_BPF_WAIT_LOOK_BPF_H

#include "bpf/wait_first.bpf.h"
#include "bpf/wait_look_write.bpf.h"

/* Starts the accounts of an entry that has none yet. */
static __always_inline void begin_account(struct task_struct *task, struct wait_entry *entry)
{
	if (!entry->since)
		begin_sums(task, entry, bpf_ktime_get_ns() - queue_drift());
	if (!entry->voluntary)
		entry->voluntary = task->nvcsw;
}

static __always_inline void look_first(struct task_struct *task)
{
	struct wait_entry *entry = entry_make(task);

	wait_look.seen++;
	if (!entry)
		return;
	begin_account(task, entry);
	if (entry->out && task->sched_info.last_arrival + queue_offset() > entry->out)
		entry->out = 0; /* a new task that ran before switches were seen */
	if (task->__state & TASK_DEAD && !task->on_cpu)
		entry->flags |= ENTRY_CLOSED; /* its parent has not waited for it yet */
	else if (!entry->out)
		look_at_wait(task, entry);
}

static __always_inline bool is_told(const struct wait_entry *entry, u64 now)
{
	if (budget_paused() || budget_outdated(entry->out))
		return false;
	return now >= entry->out && now - entry->out >= budget_least(wait_knobs.least) &&
	       now - entry->out <= wait_knobs.most &&
	       state_is_wanted(entry->state);
}

/* Not if nobody saw it get the CPU on which it is. */
static __always_inline bool is_waiting(struct task_struct *task, struct wait_entry *entry, u64 now)
{
	if (entry->out)
		return !task->on_cpu || task->sched_info.last_arrival + queue_offset() <= entry->out;
	return !task->on_cpu && began_before(task, entry, now);
}

/*
 * Writes the remaining sums. Returns the wait that has not ended and is to be written; NULL if
 * there is none, or the task writes it itself.
 */
static __always_inline struct wait_entry *look_last(struct seq_file *seq, struct task_struct *task, u64 now,
						    void *scratch)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task, 0, 0);

	if (!entry || (entry->flags & ENTRY_CLOSED))
		return NULL;
	if (task_is_own(task) || !task_is_wanted(task) || !write_sums(seq, task, entry, now, scratch))
		return NULL;
	entry->flags |= ENTRY_CLOSED;
	return is_waiting(task, entry, now) && is_told(entry, now) ? copy_entry(entry) : NULL;
}

/* Called when the page is full: the kernel comes back to this task with the next one. */
static __always_inline void look_again(struct task_struct *task)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task, 0, 0);

	if (entry)
		entry->flags &= ~ENTRY_CLOSED;
}

/* Returns a wait that goes on, or NULL. If it ends meanwhile, it is in a ring as well: the recorder finds out. */
static __always_inline struct wait_entry *look_open(struct task_struct *task, u64 now, u64 switches)
{
	const struct wait_entry *current = bpf_task_storage_get(&wait_entries, task, 0, 0);
	struct wait_entry *entry = current ? copy_entry(current) : NULL;

	if (!entry || (entry->flags & ENTRY_CLOSED) || task_is_own(task) || !task_is_wanted(task))
		return NULL;
	if (!is_waiting(task, entry, now))
		return NULL;
	return is_told(entry, now) && task->nvcsw + task->nivcsw == switches ? entry : NULL;
}

/* Read each time, so that the verifier does not distinguish the paths by it. */
static __always_inline bool look_goes_on(void)
{
	return *(volatile u32 *)&wait_look.kind == RING_LOOK_OPEN;
}

/*
 * Both kinds of look write waits in one place, because the verifier looks at each for as long as at
 * everything else.
 */
static __always_inline void look_at_open(struct seq_file *seq, struct task_struct *task, void *scratch)
{
	u64 switches = task->nvcsw + task->nivcsw; /* read, like the time, before it is known which wait it is in */
	u64 now = bpf_ktime_get_ns() - queue_drift();
	struct wait_entry *entry = look_goes_on() ? look_open(task, now, switches) :
						    look_last(seq, task, now, scratch);

	if (entry && !write_wait(seq, task, entry, now, switches, scratch) && !look_goes_on())
		look_again(task);
}

/* One reader at a time; the recorder sets the value's size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, RING_HEAD_ROOM + 8 * RING_MAX_FRAMES);
} look_scratch SEC(".maps");

#endif
