/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whom the report is about: settled after all sections were read, as only then it is known which threads did nothing.
 * What tells is noted while they are read, of all waits, whatever the filters.
 */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_SETTLE_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_SETTLE_H

#include "report/profile/tables/profile_internal.h"

/* Whether anybody will ask who was idle. */
bool profile_wants_facts(const struct profile *profile);
/* -ENOMEM. */
int profile_note_wait(struct profile *profile, const struct profile_wait *wait);
int profile_note_sums(struct profile *profile, const struct profile_task_sums *sums);

/* Makes entries of walked tasks. -ENOMEM. */
int profile_settle_walks(struct profile *profile);
/* Marks or drops the waits of idle threads, and makes entries of the rest and of their wakeups. -ENOMEM. */
int profile_settle_waits(struct profile *profile);

#endif
