/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What ran on each CPU of one recording at a moment, as its waits tell: a thread that came in on a CPU at that moment
 * or before, and left that same CPU with its next wait, after it. Nobody else may have come in there meanwhile, or the
 * waits contradict each other and nothing is said. A thread may have got another comm while it ran: it came in as one
 * task and left as another, and when it changed is not known. All of this holds only where every switch is a wait of the recording, thus
 * not where short waits were merely counted; all CPUs are unknown then. Idle CPUs are unknown too: that nobody
 * known ran does not say that nobody did.
 */
#ifndef RWALKER_REPORT_VIEW_RUNNING_AT_H
#define RWALKER_REPORT_VIEW_RUNNING_AT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/view/wait_index.h"

struct running_at {
	struct running_cpu {
		bool exists;	  /* the waits name it */
		uint32_t task;	  /* that came in; PROFILE_NO_TASK: unknown */
		uint32_t left_as; /* the same, or the same thread by another comm */
		uint64_t in, out; /* of the task's stay */
	} *cpus;
	size_t count;
};

/* The recording's waits are `count` in the index's order, from `first` on. */
int running_at_init(struct running_at *running, const struct profile_recording *recording, const struct wait_index *index,
		    size_t first, size_t count, uint64_t time);
void running_at_deinit(struct running_at *running);

#endif
