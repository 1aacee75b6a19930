/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --max-cpu: what is recorded at present, and what it costs. Without it, the programs that run contain only the latter. */
#ifndef RWALKER_BPF_BUDGET_BPF_H
#define RWALKER_BPF_BUDGET_BPF_H

#include "bpf/kernel.h"
#include "bpf/ring_budget.h"

const volatile bool budget_may_change;
struct ring_budget budget;

static __always_inline bool budget_paused(void)
{
	return budget_may_change && *(volatile __u64 *)&budget.paused;
}

/* The least length of a wait that gets a record, ns. always: the one that is fixed. */
static __always_inline u64 budget_least(u64 always)
{
	return budget_may_change ? *(volatile __u64 *)&budget.least : always;
}

static __always_inline u64 budget_period(u64 period)
{
	u64 changed = budget_may_change ? *(volatile __u64 *)&budget.period : 0;

	return changed ? changed : period;
}

/* Whether something was noted before a pause, during which nothing was noted. time: when. */
static __always_inline bool budget_outdated(u64 time)
{
	return budget_may_change && time < *(volatile __u64 *)&budget.since;
}

/* The time, if this run is one that is measured, else 0. An odd number of them, as programs often run in turn. */
static __always_inline u64 cost_begin(__u64 *runs)
{
	return (*runs)++ % RING_MEASURED ? 0 : bpf_ktime_get_ns();
}

static __always_inline void cost_end(u64 begin, __u64 *ns)
{
	if (begin)
		*ns += (bpf_ktime_get_ns() - begin) * RING_MEASURED;
}

#endif
