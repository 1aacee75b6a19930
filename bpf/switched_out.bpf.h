/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Since when a task that is not on a CPU is off it, where nobody watched it go. */
#ifndef RWALKER_BPF_SWITCHED_OUT_BPF_H
#define RWALKER_BPF_SWITCHED_OUT_BPF_H

#include "bpf/kernel.h"
#include "bpf/ring_event.h"

/*
 * When the task was switched out, by sched_clock. A fair task: its last arrival and what it ran since, which the
 * scheduler settles at the switch. Other classes leave prev_sum_exec_runtime alone, so that only a
 * time before the switch is known. exec_start is another such time: it is the last one the task was charged, by
 * a clock that lags where interrupts or the host stole time.
 */
static __always_inline u64 switched_out(struct task_struct *task, u64 now, u32 *ret_bound)
{
	u64 arrival = task->sched_info.last_arrival, charged = task->se.exec_start, out = arrival;
	u64 ran = task->se.sum_exec_runtime - task->se.prev_sum_exec_runtime;
	bool fair = task->prio >= MAX_RT_PRIO && task->policy != SCHED_EXT;

	*ret_bound = RING_WAIT_AT_MOST;
	if (fair && arrival <= now && ran <= now - arrival) {
		*ret_bound = RING_WAIT_EXACT;
		out = arrival + ran;
	}
	return charged > out && charged <= now ? charged : out;
}

#endif
