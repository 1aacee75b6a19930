/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The recorder's tgid, and what its clocks show; run on request. Called right after the caller
 * slept: its last arrival by sched_clock (which user space cannot read) is then moments before now
 * by CLOCK_MONOTONIC.
 */
#ifndef RWALKER_BPF_CLOCK_BPF_H
#define RWALKER_BPF_CLOCK_BPF_H

#include "bpf/kernel.h"
#include "bpf/ring_clock.h"

SEC("syscall")
int read_clock(struct ring_clock *clock)
{
	struct task_struct *task = bpf_get_current_task_btf();

	clock->last_arrival = task->sched_info.last_arrival;
	clock->monotonic = bpf_ktime_get_ns();
	clock->tgid = task->tgid;
	return 0;
}

#endif
