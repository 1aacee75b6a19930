/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which threads were idle: nobody waits for them, and they had nothing to do. Their waits are as
 * long as the recording and say nothing about it. There are two kinds:
 *
 *	threads of the kernel that waited for work for 99 % of their time or more, and
 *	threads of programs that never ran: their one wait, in S or I, is longer than the recording.
 *
 * A thread with a recorded wait in D, or that ended a recorded wait (of a program, or one in D),
 * holds somebody up, or is held up itself: it is never idle. Filters do not matter: who is idle is
 * so in every report.
 */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_IDLE_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_IDLE_H

#include "report/profile/seam/profile_waits.h"

struct profile_thread_facts { /* one thread, all recordings */
	bool kernel_thread;
	bool held;	 /* slept in D, or in a state in which no one waits for work */
	bool waker;	 /* ended somebody's wait */
	uint64_t waits;	 /* that were recorded one by one */
	uint64_t whole;	 /* of these, began before the recording and had not ended */
	uint64_t briefs; /* that were only counted */
	uint64_t asleep; /* ns in S, I or P */
	uint64_t busy;	 /* ns running, on run queues, and in brief waits in D */
};

/* The decision. Every view that sets idle threads apart asks here, or for what it led to. */
bool profile_thread_is_idle(const struct profile_thread_facts *facts);

/* What a wait and sums say; `facts` and `tasks` are by task. The wait's weight is its part within the recording. */
void profile_facts_add_wait(struct profile_thread_facts *facts, const struct profile_task *tasks,
			    const struct profile_wait *wait);
void profile_facts_add_sums(struct profile_thread_facts *facts, const struct profile_task_sums *sums);

/* By task, before filters; NULL if profile_filter wanted neither idle_apart nor everyone, or there were no waits. */
const struct profile_thread_facts *profile_facts(struct profile *profile);

/*
 * Decides for all tasks of a profile: *ret_idle has one element for each, which the caller frees:
 * the first task of the same thread, or PROFILE_NO_TASK if that was not idle. 0, -ENOMEM.
 */
int profile_idle_tasks(struct profile *profile, uint32_t **ret_idle);

struct profile_idle_left { /* out of the report, of what passed the filters */
	size_t threads;
	uint64_t weight; /* of their waits, ns */
};

/* What profile_filter.idle_apart left out. */
struct profile_idle_left profile_idle_left(const struct profile *profile);

#endif
