/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Who waited for an answer that could not come: a thread that waited throughout at a connection, of
 * which a stopped thread has the other end, with something to read that it has not read. Whoever
 * only keeps a connection open sent nothing, and may have nothing to do.
 */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_UNANSWERED_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_UNANSWERED_H

#include "report/profile/seam/profile_idle.h"

/* What a wait says about it, noted in the facts of its thread. stopped: its state says so. */
void profile_unanswered_add_wait(const struct profile_facts_ground *ground,
				 const struct profile_wait *wait, bool stopped);

/* After all waits, decides for all threads (`unanswered`). 0, -ENOMEM. */
int profile_unanswered_join(const struct profile_facts_ground *ground, size_t count);

/* Whether it is the wait of a thread for which that was decided. */
bool profile_wait_is_unanswered(const struct profile_thread_facts *facts,
				const struct profile_wait *wait);

#endif
