/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where each thread's time went. Every part is measured separately: running by the kernel's
 * accounting, the others by waits, including those that were only summed. What is left of the
 * wall-clock time is unknown: interrupts and stolen time, which the kernel charges to no task,
 * and what was lost or cut.
 */
#ifndef RWALKER_REPORT_WAIT_SUMMARY_H
#define RWALKER_REPORT_WAIT_SUMMARY_H

#include "report/view/waits.h"

enum { THREAD_BLOCKED_S, THREAD_BLOCKED_D, THREAD_BLOCKED_OTHER, THREAD_BLOCKED_STATES };

struct thread_time { /* one thread in one recording, ns */
	uint32_t recording, task;
	uint64_t wall, running, run_queue, throttled, iowait, waits; /* throttled: by the quota of a cgroup */
	uint64_t blocked[THREAD_BLOCKED_STATES];
	bool whole; /* its part of the recording is known */
	bool asked; /* it passes the filters; if not, it has no times */
};

struct thread_times {
	const struct wait_index *index;
	struct thread_time *rows; /* parallel to the index's threads */
};

/* 0, -ENOMEM. `index` must outlive it. */
int thread_times_init(struct thread_times *times, const struct wait_index *index);
void thread_times_deinit(struct thread_times *times);

/* The sum of its parts: the wall-clock time without what is unknown. */
uint64_t thread_time_accounted(const struct thread_time *time);

#endif
