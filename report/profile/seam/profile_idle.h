/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which threads were idle: nobody waits for them, and they had nothing to do. Their waits are as
 * long as the recording and say nothing about it. There are three kinds:
 *
 *	threads of the kernel that waited for work for 99 % of their time or more;
 *	threads of programs that never ran: their one wait, in S or I, is longer than the recording;
 *	threads of programs that ran for less than 1 % of the time, were woken once a second at most (by a
 *	timer that is not exact), and
 *	waited for nothing but what may come: connections to a socket that listens; one and the same epoll,
 *	poll or select without an end; and, if at least two threads of the process do so, a futex that is no lock. Who
 *	woke them must have been as quiet, but for 5 % on run queues: else they may have waited for him.
 *
 * A thread that was recorded in D, waiting for a lock, or within a function of a kworker is held up.
 * So is one that waited throughout for an answer of a stopped thread that has not read what it was
 * sent (profile_unanswered.h).
 * One that ended a recorded wait (of a program, or one in D), or held what it was for, holds somebody
 * up. These are never idle. Filters do not matter: who is idle is so in every report.
 */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_IDLE_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_IDLE_H

#include "report/profile/seam/profile_objects.h"
#include "report/profile/seam/profile_waits.h"

struct profile_thread_facts { /* one thread, all recordings */
	bool kernel_thread;
	bool held;	 /* slept in D, for a lock, or in a state in which no one waits for work */
	bool waker;	 /* ended somebody's wait, or held what it was for */
	bool otherwise;	 /* slept for something else than what may come */
	bool pooled;	 /* slept for a futex that is no lock */
	bool several;	 /* several tasks ended its waits */
	uint32_t woken_by; /* one of these, plus 1; 0: none did */
	bool unanswered; /* waited for who was stopped (profile_unanswered.h) */
	uint32_t asks;	 /* the object of its one wait */
	uint32_t unread; /* the object that it left unread, as it was stopped */
	uint32_t epoll;	 /* the descriptor, plus 1, of one in which it slept; 0: in none */
	uint64_t waits;	 /* that were recorded one by one */
	uint64_t whole;	 /* of these, began before the recording and had not ended */
	uint64_t briefs; /* that were only counted */
	uint64_t asleep; /* ns in S, I or P */
	uint64_t brief;	 /* ns in brief waits */
	uint64_t busy;	 /* ns running, and in brief waits in D */
	uint64_t queued; /* ns on run queues */
};

/*
 * The decision, as far as the thread itself decides it. Every view that sets idle threads apart asks
 * here, or for what it led to.
 */
bool profile_thread_is_idle(const struct profile_thread_facts *facts);

struct profile_facts_ground {
	struct profile_thread_facts *facts; /* by task */
	const struct profile_task *tasks;
	const struct profile_object *objects; /* that waits refer to */
	const struct profile_operation *operations;
};

/* What a wait and sums say. The wait's weight is its part within the recording. */
void profile_facts_add_wait(const struct profile_facts_ground *ground, const struct profile_wait *wait);
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
