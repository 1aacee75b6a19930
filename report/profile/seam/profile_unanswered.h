/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Threads that waited for an answer that could not come: they waited throughout on a connection
 * whose other end belongs to a stopped thread that has not read what was sent to it. A thread that
 * only keeps a connection open has sent nothing, and may have nothing to do.
 */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_UNANSWERED_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_UNANSWERED_H

#include "report/profile/seam/profile_idle.h"

/* Notes in the facts of its thread what a wait says about this. stopped: the state of the thread is stopped. */
void profile_unanswered_add_wait(const struct profile_facts_ground *ground,
				 const struct profile_wait *wait, bool stopped);

/* Call after all waits were added: decides for all threads (`unanswered`). 0, -ENOMEM. */
int profile_unanswered_join(const struct profile_facts_ground *ground, size_t count);

/* Whether this is the unanswered wait of a thread for which that was decided. */
bool profile_wait_is_unanswered(const struct profile_thread_facts *facts,
				const struct profile_wait *wait);

#endif
