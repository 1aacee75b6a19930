/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --max-cpu: what the recorder changes while programs run, so that they cost less. The rules of
 * bpf/ring_event.h apply.
 */
#ifndef RWALKER_BPF_RING_BUDGET_H
#define RWALKER_BPF_RING_BUDGET_H

struct ring_budget {
	__u64 paused; /* nothing is recorded */
	__u64 least; /* ns: shorter waits are summed */
	__u64 period; /* of ticks, ns; 0: as the event says, which is its first one if that was changed */
	__u64 since; /* CLOCK_MONOTONIC: anything noted of a wait before this is outdated; 0: nothing is */
};

enum { RING_MEASURED = 61 }; /* of so many runs of a program, one is timed */

#endif
