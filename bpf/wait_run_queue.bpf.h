/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How much of a wait was spent runnable, waiting for a CPU: by the kernel's own account of run
 * queues. That account is wrong for one kind of wait. Since Linux 6.12, a thread that has run for
 * more than its share stays on the run queue for some milliseconds after it went to sleep (its
 * dequeue is delayed). If it is moved to another CPU meanwhile, the kernel takes that for the start
 * of a wait for a CPU, which then lasts until the thread runs again. Such a wait is marked when the
 * thread is moved. Its run queue time is then the time since the wakeup; 0 if wakers are not
 * recorded.
 *
 * A new task exists before it is put on a run queue: its parent may be preempted in between.
 */
#ifndef RWALKER_BPF_WAIT_RUN_QUEUE_BPF_H
#define RWALKER_BPF_WAIT_RUN_QUEUE_BPF_H

#include "bpf/wait_filter.bpf.h"

static __noinline void note_moved(struct wait_entry *entry)
{
	if (!entry)
		return;
	if (entry->out)
		__sync_fetch_and_or(&entry->head, WAIT_HEAD_MOVED); /* the last look may be writing its flags */
	else
		entry->first_flags |= ENTRY_MOVED;
}

/* Whether a thread was moved before the first look: it is asleep, and yet the kernel says it waits for a CPU. */
static __always_inline u8 moved_before(struct task_struct *task)
{
	return task->sched_info.last_queued && !task->on_cpu && !is_queued(task) ? ENTRY_MOVED : 0;
}

static __noinline u64 since_waking(const struct wait_entry *entry, u64 now, u64 length)
{
	u64 part;

	if (!wait_knobs.wakers || entry->waker_context == WAKER_NONE)
		return 0;
	part = since(entry->waker.time, now + queue_drift());
	return part < length ? part : length;
}

/* By the kernel's account. */
static __always_inline u64 queued_part(struct task_struct *next, const struct wait_entry *entry,
				       u64 now, u64 length)
{
	u64 part = next->sched_info.run_delay - entry->run_delay, queued = next->sched_info.last_queued;
	u64 clock = queue_clock(next, now);

	if (queued && clock > queued)
		part += clock - queued;
	return part < length ? part : length;
}

static __always_inline bool is_partly_queued(const struct wait_entry *entry)
{
	return entry->wait_class == WAIT_BLOCKED || entry->wait_class == WAIT_STARTED;
}

/* For the wait that ends at `now`, by the clock of entry->out, after `length`. */
static __always_inline u64 run_queue_part(struct task_struct *next, const struct wait_entry *entry, u64 now,
					  u64 length)
{
	if (!is_partly_queued(entry))
		return length;
	if (UNLIKELY(entry->head & WAIT_HEAD_MOVED))
		return since_waking(entry, now, length);
	return queued_part(next, entry, now, length);
}

/*
 * For a wait that goes on; `now` is by the clock of entry->out. A blocked task that has been woken
 * up has waited for a CPU since then; one that has not been woken up has not, nor has a new task
 * that was not queued yet.
 */
static __always_inline u64 run_queue_so_far(struct task_struct *task, const struct wait_entry *entry, u64 now)
{
	u64 length = since(entry->out, now), part = task->sched_info.run_delay - entry->run_delay;
	u64 queued = task->sched_info.last_queued;

	if (!is_partly_queued(entry))
		return length;
	if (!is_queued(task))
		return 0;
	if (entry->head & WAIT_HEAD_MOVED)
		return since_waking(entry, now, length);
	if (queued)
		part += since(queued + queue_offset(), now);
	return part < length ? part : length;
}

#endif
