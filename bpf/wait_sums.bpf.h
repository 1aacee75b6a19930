/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What is only summed, by task: told once a second, as the task is switched, and at the end. */
#ifndef RWALKER_BPF_WAIT_SUMS_BPF_H
#define RWALKER_BPF_WAIT_SUMS_BPF_H

#include "bpf/wait_filter.bpf.h"

#define WAIT_SUMS_EVERY 1000000000ULL /* ns */

static __always_inline void fill_sums(struct task_struct *task, const struct wait_entry *entry, u64 now,
				      struct ring_sums *record)
{
	record->head = head_of(RING_SUMS, now, wait_knobs.source);
	record->since = entry->since < now ? entry->since : now;
	record->running = entry->running;
	task_describe(task, &record->task);
	__builtin_memcpy(record->kinds, entry->sums, sizeof(record->kinds));
}

static __always_inline void forget_sums(struct wait_entry *entry, u64 now)
{
	__builtin_memset(entry->sums, 0, sizeof(entry->sums));
	entry->running = 0;
	entry->since = now;
}

/* What finds no room in the ring is not lost: it is told with what comes next. */
static __noinline void tell_sums(struct ring_cpu *cpu, struct task_struct *task, struct wait_entry *entry, u64 now)
{
	struct ring_sums *record;

	if (task_is_own(task) || !task_is_wanted(task)) {
		forget_sums(entry, now);
		return;
	}
	record = scratch_enter(cpu);
	if (record) {
		fill_sums(task, entry, now, record);
		if (ring_output(record->head.cpu, record, sizeof(*record)) == RING_COUNT_RECORDED)
			forget_sums(entry, now);
	}
	scratch_leave(cpu);
}

static __always_inline void settle_running(struct task_struct *task, struct wait_entry *entry)
{
	u64 ran = task->se.sum_exec_runtime;

	if (entry->since)
		entry->running += ran - entry->ran;
	entry->ran = ran;
}

#endif
