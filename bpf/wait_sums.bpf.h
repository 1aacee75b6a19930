/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Sums, by task, of waits that have no record: written once a second, when the task is switched, and at the end. */
#ifndef RWALKER_BPF_WAIT_SUMS_BPF_H
#define RWALKER_BPF_WAIT_SUMS_BPF_H

#include "bpf/wait_filter.bpf.h"

#define WAIT_SUMS_EVERY 1000000000ULL /* ns */

/* `now` is from switch_now(), like entry->since. */
static __always_inline void fill_sums(struct task_struct *task, struct wait_entry *entry, u64 now,
				      struct ring_sums *record)
{
	record->head = head_of(RING_SUMS, now + queue_drift(), wait_knobs.source);
	record->since = (entry->since < now ? entry->since : now) + queue_drift();
	record->running = task->se.sum_exec_runtime - entry->ran;
	task_describe(task, &record->task);
	__builtin_memcpy(record->kinds, entry->sums, sizeof(record->kinds));
	settle_sum(entry, record->kinds);
}

static __always_inline void begin_sums(struct task_struct *task, struct wait_entry *entry, u64 now)
{
	entry->since = now;
	entry->ran = task->se.sum_exec_runtime;
}

static __always_inline void forget_sums(struct task_struct *task, struct wait_entry *entry, u64 now)
{
	__builtin_memset(entry->sums, 0, sizeof(entry->sums));
	entry->sum_count = entry->sum_total = entry->sum_run_queue = 0;
	begin_sums(task, entry, now);
}

/* Sums for which the ring has no room are not lost: they are written with the next ones. */
static __noinline void tell_sums(struct ring_cpu *cpu, struct task_struct *task, struct wait_entry *entry, u64 now)
{
	struct ring_sums *record;
	struct ring_slot slot;

	if (task_is_own(task) || !task_is_wanted(task)) {
		forget_sums(task, entry, now);
		return;
	}
	record = scratch_enter(cpu, &slot);
	if (record) {
		fill_sums(task, entry, now, record);
		if (ring_output(&slot, record->head.cpu, record, sizeof(*record)) == RING_COUNT_RECORDED)
			forget_sums(task, entry, now);
	}
	scratch_leave(&slot);
}

#endif
