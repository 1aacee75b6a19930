/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Waits that are as long as the recording whatever happened in it. In views for people they would bury all others,
 * so they are set apart, in a line below each view. There are two kinds:
 *
 *	throughout: a thread of a program slept in S from before the start until after the end;
 *	nothing done: a kernel thread woke no program, was never in D, and for 1 % of its time or less on a CPU or
 *	waiting for one.
 *
 * The first is no verdict: such a thread may have nothing to do, or hang. Filters do not matter.
 */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_APART_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_APART_H

#include "report/profile/seam/profile_waits.h"

bool profile_wait_is_throughout(const struct profile_task *tasks, const struct profile_wait *wait);

struct profile_kernel_time { /* of a kernel thread, ns, in all recordings */
	uint64_t span, busy;
	bool waited, ended, in_d, woke;
};

void profile_kernel_time_add_wait(struct profile_kernel_time *time, const struct profile_wait *wait);
/* A wait of a program that it ended. */
void profile_kernel_time_add_wakeup(struct profile_kernel_time *time, const struct profile_wait *wait);
void profile_kernel_time_add_sums(struct profile_kernel_time *time, const struct profile_task_sums *sums);
bool profile_kernel_time_is_nothing_done(const struct profile_kernel_time *time);

enum profile_apart { PROFILE_NOT_APART, PROFILE_THROUGHOUT, PROFILE_NOTHING_DONE };

/* Of a task, in any recording; whether views set it apart does not matter. */
enum profile_apart profile_task_apart(const struct profile *profile, uint32_t task);

struct profile_set_apart { /* what profile_filter.apart left out, of what passed the filters */
	const struct profile_wait *throughout; /* copies */
	size_t throughout_count;
	size_t kernel_threads; /* that did nothing */
};

struct profile_set_apart profile_set_apart(const struct profile *profile);

#endif
