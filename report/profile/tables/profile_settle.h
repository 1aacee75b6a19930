/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Decides which waits the report is about (profile_apart.h). This needs all sections. While they are read, the times
 * of kernel threads are noted from all waits, whatever the filters.
 */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_SETTLE_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_SETTLE_H

#include "report/profile/tables/profile_internal.h"

/* Whether anybody will ask for them. */
bool profile_notes_kernel_times(const struct profile *profile);
/* Do nothing unless they are of kernel threads and somebody will ask. -ENOMEM. */
int profile_note_wait(struct profile *profile, const struct profile_wait *wait);
int profile_note_sums(struct profile *profile, const struct profile_task_sums *sums);

/* Whether these sums are of a thread that is set apart. */
bool profile_sums_are_apart(const struct profile *profile, const struct profile_task_sums *sums);

/* Makes the entries of walked tasks. -ENOMEM. */
int profile_settle_walks(struct profile *profile);
/* Marks or drops the waits that are set apart, and makes entries for the rest and their wakeups. -ENOMEM. */
int profile_settle_waits(struct profile *profile);

#endif
