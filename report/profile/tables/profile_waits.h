/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The waits of a profile while it is built; for views, see report/profile/seam/profile_waits.h. */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_WAITS_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_WAITS_H

#include "report/profile/tables/profile_internal.h"

/* A waker's share of the wait that it ended. */
uint64_t profile_waker_weight(const struct profile_wait *wait);
/* The part of the weight in which the thread was runnable. */
uint64_t profile_run_queue_weight(const struct profile_wait *wait);

/* By recording, task, out. -ENOMEM. */
int profile_sort_waits(struct profile *profile);
/* Call after all sections were read and the sources sorted. places: the new index of each source. -ENOMEM. */
int profile_order_waits(struct profile *profile, const uint32_t *places);

#endif
