/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What ran on each CPU of a recording at a given time, derived from waits: a thread that was
 * switched in on the CPU then or earlier, and switched out from it, with its next wait, later. If
 * another thread was switched in there in between, the waits contradict each other and the CPU is
 * unknown. A thread may change its comm while it runs: it was switched in as one task and out as
 * another, and the time of the change is unknown. All of this works only if every switch is a wait
 * of the recording, so not if short waits were merely counted; then all CPUs are unknown. Idle CPUs
 * are unknown, too: that no known thread ran does not mean that none did.
 */
#ifndef RWALKER_REPORT_WAIT_AT_H
#define RWALKER_REPORT_WAIT_AT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/view/waits.h"

struct running_at {
	struct running_cpu {
		bool exists;	  /* known from the waits */
		uint32_t task;	  /* the task switched in; PROFILE_NO_TASK: unknown */
		uint32_t left_as; /* the same, or the same thread with another comm */
		uint64_t in, out; /* of its time on the CPU */
	} *cpus;
	size_t count;
};

/* The recording's waits are `count` in the index's order, from `first` on. */
int running_at_init(struct running_at *running, const struct profile_recording *recording,
		    const struct wait_index *index, size_t first, size_t count, uint64_t time);
void running_at_deinit(struct running_at *running);

#endif
