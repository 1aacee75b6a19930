/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which threads were idle: nobody waited for them, and they had nothing to do. Their waits are as
 * long as the recording and say nothing about it. There are three kinds:
 *
 *	threads of the kernel that waited for work for 99 % of their time or more;
 *	threads of programs that never ran: their one wait, in S or I, is longer than the recording;
 *	threads of programs that ran for less than 1 % of the time, were woken once a second at most (by a
 *	timer that is not exact), and waited only for what may come: connections to a listening socket; always
 *	the same epoll, or poll or select, without a timeout; and, if at least two threads of the process do so,
 *	a futex that is no lock. Their waker must have been as quiet, except for up to 5 % on run queues: else
 *	they may have waited for it.
 *
 * Some threads are never idle. A thread that was recorded in D, waiting for a lock, or within a
 * function of a kworker is held up. A thread that ended a recorded
 * wait (of a program, or one in D), or held what such a wait was for, holds up others. Filters do
 * not matter: a thread that is idle is so in every report.
 */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_IDLE_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_IDLE_H

#include "report/profile/seam/profile_objects.h"
#include "report/profile/seam/profile_waits.h"

struct profile_thread_facts { /* one thread, all recordings */
	bool kernel_thread;
	bool held;	 /* slept in D, for a lock, or in a state in which no thread waits for work */
	bool waker;	 /* ended a wait of another thread, or held what it was for */
	bool otherwise;	 /* slept for something other than incoming work */
	bool pooled;	 /* slept for a futex that is no lock */
	bool several;	 /* was woken by several tasks */
	uint32_t woken_by; /* one of its wakers, plus 1; 0: none */
	uint32_t epoll;	 /* plus 1: the descriptor of an epoll in which it slept; 0: none */
	uint64_t waits;	 /* waits that were recorded one by one */
	uint64_t whole;	 /* of these, waits that lasted throughout the recording */
	uint64_t briefs; /* waits that were only counted */
	uint64_t asleep; /* ns in S, I or P */
	uint64_t brief;	 /* ns in brief waits */
	uint64_t busy;	 /* ns running, and in brief waits in D */
	uint64_t queued; /* ns on run queues */
};

/*
 * The decision, as far as it depends only on the thread itself. Every view that treats idle threads
 * separately uses this, or a result derived from it.
 */
bool profile_thread_is_idle(const struct profile_thread_facts *facts);

struct profile_facts_ground {
	struct profile_thread_facts *facts; /* by task */
	const struct profile_task *tasks;
	const struct profile_object *objects; /* those that waits refer to */
	const struct profile_operation *operations;
};

/* Add what a wait and the sums of a task say. The wait's weight is its part within the recording. */
void profile_facts_add_wait(const struct profile_facts_ground *ground, const struct profile_wait *wait);
void profile_facts_add_sums(struct profile_thread_facts *facts, const struct profile_task_sums *sums);

/* By task, before filters; NULL if profile_filter wanted neither idle_apart nor everyone, or there were no waits. */
const struct profile_thread_facts *profile_facts(struct profile *profile);

/*
 * Decides for all tasks of a profile. *ret_idle has one element per task, and the caller frees it:
 * the first task of the same thread if that is idle, else PROFILE_NO_TASK. 0, -ENOMEM.
 */
int profile_idle_tasks(struct profile *profile, uint32_t **ret_idle);

struct profile_idle_left { /* left out of the report, of what passed the filters */
	size_t threads;
	uint64_t weight; /* of their waits, ns */
};

/* What profile_filter.idle_apart left out. */
struct profile_idle_left profile_idle_left(const struct profile *profile);

#endif
