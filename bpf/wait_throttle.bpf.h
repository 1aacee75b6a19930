/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How much of a wait a quota took: time in which the thread was runnable, but its control group, or one above it, had
 * used up its cpu.max (version 1: cpu.cfs_quota_us) on that CPU. The kernel counts such time as that of a run queue.
 *
 * Since Linux 6.18, a thread of such a group goes on until it returns to user space; there the kernel takes it off the
 * CPU and marks it (task->throttled). For how long follows from the kernel's account of the time for which the group
 * was throttled on that CPU, which is read at the switch-out and at the switch-in.
 * Before: bpf/throttle_spans.bpf.h.
 */
#ifndef RWALKER_BPF_WAIT_THROTTLE_BPF_H
#define RWALKER_BPF_WAIT_THROTTLE_BPF_H

#include "bpf/throttle_spans.bpf.h"

static __always_inline bool marks_throttled(void)
{
	return wait_knobs.throttle == RING_THROTTLE_MARKED;
}

/* For how long the group of a run queue was throttled there, by that run queue's clock. */
static __always_inline u64 throttled_so_far(const struct cfs_rq *queue, u64 clock)
{
	u64 since = BPF_CORE_READ(queue, throttled_clock_self), sum = BPF_CORE_READ(queue, throttled_clock_self_time);

	return since && clock > since ? sum + clock - since : sum;
}

struct throttle_search {
	const struct task_group *group;
	u32 cpu, found;
};

static long throttle_step(u32 index, struct throttle_search *search)
{
	const struct task_group *group = search->group;
	const struct cfs_rq *queue = queue_on(group, search->cpu);

	(void)index;
	search->found = BPF_CORE_READ_BITFIELD_PROBED(queue, throttled);
	if (!search->found)
		search->group = BPF_CORE_READ(group, parent);
	return search->found || !search->group;
}

/*
 * For a runnable thread that leaves the CPU or is off it, and has been throttled for `so_far`. Notes the nearest group
 * whose own quota is used up there. Not inline: most threads are not throttled.
 */
static __noinline const struct task_group *note_throttled(struct task_struct *task, struct wait_entry *entry,
							  u64 clock, u64 so_far)
{
	const struct cfs_rq *queue = task->se.cfs_rq;
	struct throttle_search search = {.group = BPF_CORE_READ(queue, tg), .cpu = task->thread_info.cpu};

	if (!entry)
		return NULL;
	entry->throttle = (struct ring_throttle){0};
	entry->throttle_queue = as_number(queue);
	entry->throttle_before = throttled_so_far(queue, clock) - so_far;
	bpf_loop(THROTTLE_LEVELS, throttle_step, &search, 0);
	if (!search.found)
		return NULL;
	describe_throttler(search.group, &entry->throttle);
	return search.group;
}

/* 0 if the thread was moved to another group meanwhile: then it is not known. */
static __always_inline u64 marked_part(struct task_struct *task, const struct wait_entry *entry, u64 clock)
{
	const struct cfs_rq *queue = task->se.cfs_rq;
	u64 sum;

	if (as_number(queue) != entry->throttle_queue)
		queue = queue_on(BPF_CORE_READ(queue, tg), entry->out_cpu);
	if (as_number(queue) != entry->throttle_queue)
		return 0;
	sum = throttled_so_far(queue, clock);
	return sum > entry->throttle_before ? sum - entry->throttle_before : 0;
}

static __always_inline bool is_maybe_throttled(const struct wait_entry *entry, u64 run_queue)
{
	if (marks_throttled())
		return entry->head & WAIT_HEAD_THROTTLED;
	return wait_knobs.throttle == RING_THROTTLE_PROBED && *(volatile __u64 *)&throttles_begun &&
	       run_queue >= THROTTLE_LEAST;
}

struct throttle_taking {
	struct task_struct *task;
	struct wait_entry *entry;
	u64 now, run_queue;
};

static long take_step(u32 index, struct throttle_taking *taking)
{
	struct wait_entry *entry = taking->entry;
	u64 part, run_queue = taking->run_queue;

	(void)index;
	if (marks_throttled())
		part = marked_part(taking->task, entry, taking->now - queue_offset());
	else
		part = probed_part(taking->task, entry, taking->now - run_queue, taking->now);
	part = part < run_queue ? part : run_queue;
	entry->throttle.throttled = part;
	if (part)
		entry->flags |= ENTRY_THROTTLED;
	else
		entry->flags &= ~ENTRY_THROTTLED;
	taking->run_queue -= part;
	return 1;
}

/*
 * Takes the throttled part out of `run_queue`, the time on run queues until `now` (from switch_now()), and notes it in
 * the entry. Returns the rest.
 */
static __noinline u64 take_throttled(struct task_struct *task, struct wait_entry *entry, u64 now, u64 run_queue)
{
	struct throttle_taking taking = {.task = task, .entry = entry, .now = now, .run_queue = run_queue};

	if (entry)
		ONE_WAY_OUT(take_step, &taking);
	return taking.run_queue;
}

#endif
