/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Threads that waited for an answer that somebody owes: they waited throughout on a connection at
 * whose other end a process had not answered, and was not waiting for more (PROFILE_OWES). A thread
 * that only keeps a connection open may have nothing to do.
 *
 * The thread that owes the answer is not idle, either. By TCP the kernel tells who sent last, so
 * that is known even if the other end is on another host. A unix socket does not: there it takes a
 * thread that waited throughout at the other end.
 */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_UNANSWERED_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_UNANSWERED_H

#include "report/profile/seam/profile_idle.h"

/* Notes in the facts of its thread what a wait says about this. */
void profile_unanswered_add_wait(const struct profile_facts_ground *ground,
				 const struct profile_wait *wait);

/* Call after all waits were added: decides for all threads (`unanswered`, `owes`). 0, -ENOMEM. */
int profile_unanswered_join(const struct profile_facts_ground *ground, size_t count);

/* Whether this is the unanswered wait of a thread for which that was decided. */
bool profile_wait_is_unanswered(const struct profile_thread_facts *facts,
				const struct profile_wait *wait);

/* Whether in this wait, a thread owes an answer for which no recorded thread waits throughout. */
bool profile_wait_holds_up_unseen(const struct profile_thread_facts *facts,
				  const struct profile_wait *wait);

#endif
