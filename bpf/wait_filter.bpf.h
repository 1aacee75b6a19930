/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the off-CPU programs record, and which waits that includes. */
#ifndef RWALKER_BPF_WAIT_FILTER_BPF_H
#define RWALKER_BPF_WAIT_FILTER_BPF_H

#include "bpf/filter.bpf.h"
#include "bpf/ring.bpf.h"
#include "bpf/wait.bpf.h"

const volatile struct ring_wait_knobs wait_knobs;
const volatile __u32 wait_max_frames = RING_MAX_FRAMES;

struct ring_look_state wait_look;
static u32 entries; /* of tasks that have not ended; not counted without a limit */

/* The task's entry, made if it has none and there is room. */
static __always_inline struct wait_entry *entry_make(struct task_struct *task)
{
	struct wait_entry *entry = bpf_task_storage_get(&wait_entries, task, 0, 0);

	if (entry || (wait_knobs.most_entries && *(volatile u32 *)&entries >= wait_knobs.most_entries))
		return entry;
	entry = bpf_task_storage_get(&wait_entries, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (entry && wait_knobs.most_entries)
		__sync_fetch_and_add(&entries, 1);
	return entry;
}

/* Its task has ended. */
static __always_inline void entry_forget(void)
{
	if (wait_knobs.most_entries)
		__sync_fetch_and_add(&entries, -1);
}

static __always_inline bool state_is_wanted(u32 state)
{
	return wait_knobs.states & (state ? state : RING_STATE_RUNNABLE);
}

static __always_inline bool wants_user_stacks(void)
{
	return wait_knobs.user_stacks;
}

/* RECORDED: go on; else the counter of the reason why not. */
static __always_inline enum ring_counter wait_predicate(struct task_struct *task, const struct wait_entry *entry,
							u64 length, u32 cpu)
{
	if (task_is_own(task))
		return RING_COUNT_OWN;
	if (length > wait_knobs.most || !state_is_wanted(entry->state) || !cpu_is_wanted(cpu))
		return RING_COUNT_FILTERED;
	return task_is_wanted(task) ? RING_COUNT_RECORDED : RING_COUNT_FILTERED;
}

static __always_inline struct ring_head head_of(enum ring_kind kind, u64 now, u32 source)
{
	return (struct ring_head){.time = now, .cpu = bpf_get_smp_processor_id(), .kind = kind, .source = source};
}

/*
 * The offset that is added to the run queue's clock. It is constant, so the length of a wait is a
 * difference by one clock: the offset that is read once a second is too large by a few
 * microseconds, different each time. The exception: user stacks that are taken at the switch-out
 * are identified by that moment, and are written before the wait.
 */
static __always_inline u64 queue_offset(void)
{
	if (wait_knobs.clock == RING_CLOCK_EXACT || wait_knobs.user_before || wait_knobs.user_way == RING_BY_SYS_EXIT)
		return wait_look.clock_offset;
	return wait_look.clock_base;
}

static __always_inline u64 switch_now(struct task_struct *next)
{
	if (wait_knobs.clock != RING_CLOCK_EXACT && bpf_core_field_exists(next->se.cfs_rq->rq))
		return next->se.cfs_rq->rq->clock + queue_offset();
	return bpf_ktime_get_ns();
}

/* The clock of the task's run queue; `now` is from switch_now(). 0: not known. */
static __always_inline u64 queue_clock(struct task_struct *task, u64 now)
{
	if (!bpf_core_field_exists(task->se.cfs_rq->rq))
		return 0;
	return wait_knobs.clock != RING_CLOCK_EXACT ? now - queue_offset() : task->se.cfs_rq->rq->clock;
}

/*
 * What to add to a time from switch_now() to get CLOCK_MONOTONIC, as far as that is known without
 * reading that clock.
 */
static __always_inline u64 queue_drift(void)
{
	return wait_look.clock_offset - queue_offset();
}

/* Sets *now to CLOCK_MONOTONIC. Returns what to add to times from switch_now(). */
static __always_inline u64 exact_now(u64 *now)
{
	u64 shift = wait_knobs.clock == RING_CLOCK_SHIFTED ? bpf_ktime_get_ns() - *now : queue_drift();

	*now += shift;
	return shift;
}

/* The difference of two times, one of which may be by the other clock and thus slightly off. */
static __always_inline u64 since(u64 before, u64 now)
{
	return now > before ? now - before : 0;
}

#endif
