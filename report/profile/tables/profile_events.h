/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The events of a profile while it is built; for views, see report/profile/seam/profile_events.h. */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_EVENTS_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_EVENTS_H

#include "report/profile/tables/profile_internal.h"

/* After profile_order_waits(), with the same places. -ENOMEM. */
int profile_order_events(struct profile *profile, const uint32_t *places);
void profile_free_events(struct profile *profile);

#endif
