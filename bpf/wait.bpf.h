/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The entries of all tasks. An entry is created together with its task, by the first look at all
 * tasks, or by the recorder for tasks that are hidden from that look: never in the scheduler. It is
 * written by the CPU that switches the task, and its waker by the CPU that wakes it up; the
 * scheduler orders the two.
 */
#ifndef RWALKER_BPF_WAIT_BPF_H
#define RWALKER_BPF_WAIT_BPF_H

#include "bpf/ring.bpf.h"
#include "bpf/wait_entry.bpf.h"
#include "bpf/wait_judge.bpf.h"

enum {
	WAIT_HEAD_CLASS = 16, WAIT_HEAD_FLAGS = 24, /* where they begin, in bits */
	WAIT_WAKER_KERNEL = 128, /* a kernel thread */
};
#define WAIT_HEAD_CLOSED ((u32)ENTRY_CLOSED << WAIT_HEAD_FLAGS)
#define WAIT_HEAD_THROTTLED ((u32)ENTRY_THROTTLED << WAIT_HEAD_FLAGS)
#define WAIT_HEAD_MOVED ((u32)ENTRY_MOVED << WAIT_HEAD_FLAGS)
#define WAIT_HEAD_ODD (0xffff | WAIT_HEAD_CLOSED) /* hidden, first_seen, ENTRY_CLOSED */

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wait_entry);
} wait_entries SEC(".maps");

/* The enum wait_sum_kind of the latest sums. */
static __always_inline u32 sum_kind(const struct wait_entry *entry)
{
	if (entry->sum_class != WAIT_BLOCKED)
		return WAIT_SUM_PREEMPTED + entry->sum_class - WAIT_PREEMPTED;
	if ((entry->sum_state & TASK_UNINTERRUPTIBLE) && !(entry->sum_state & TASK_NOLOAD))
		return WAIT_SUM_UNINTERRUPTIBLE;
	return entry->sum_state & TASK_INTERRUPTIBLE ? WAIT_SUM_INTERRUPTIBLE : WAIT_SUM_OTHER_BLOCKED;
}

/* Adds the latest sums to those of their kind. */
static __always_inline void settle_sum(struct wait_entry *entry, struct ring_sum *sums)
{
	u32 kind = sum_kind(entry);

	if (kind >= WAIT_SUM_KINDS)
		return;
	sums[kind].count += entry->sum_count;
	sums[kind].total += entry->sum_total;
	sums[kind].run_queue += entry->sum_run_queue;
}

/* For the wait that add_sum() was called for last. Few are throttled, so there are no latest sums of that. */
static __always_inline void add_throttled(struct wait_entry *entry)
{
	u32 kind = sum_kind(entry);

	if (kind < WAIT_SUM_KINDS)
		entry->sums[kind].throttled += entry->throttle.throttled;
}

/* Not inline: most waits of a task are like the last one. */
static __noinline void begin_sum(struct wait_entry *entry)
{
	settle_sum(entry, entry->sums);
	entry->sum_state = entry->state;
	entry->sum_class = entry->wait_class;
	entry->sum_count = entry->sum_total = entry->sum_run_queue = 0;
}

static __always_inline void add_sum(struct wait_entry *entry, u64 length, u64 run_queue)
{
	if (entry->sum_state != (u16)entry->state || entry->sum_class != entry->wait_class)
		begin_sum(entry);
	entry->sum_count++;
	entry->sum_total += length;
	entry->sum_run_queue += run_queue;
}

#endif
