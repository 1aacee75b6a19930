/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Decides which threads the report is about. This needs all sections: only then is it known which
 * threads were idle. While sections are read, facts are noted from all waits, whatever the filters.
 */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_SETTLE_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_SETTLE_H

#include "report/profile/tables/profile_internal.h"

/* Whether anybody will ask which threads were idle. */
bool profile_wants_facts(const struct profile *profile);
/* -ENOMEM. */
int profile_note_wait(struct profile *profile, const struct profile_wait *wait);
int profile_note_sums(struct profile *profile, const struct profile_task_sums *sums);

/* Makes the entries of walked tasks. -ENOMEM. */
int profile_settle_walks(struct profile *profile);
/* Marks or drops the waits of idle threads, and makes entries for the rest and their wakeups. -ENOMEM. */
int profile_settle_waits(struct profile *profile);

#endif
