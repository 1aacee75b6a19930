/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What waits were for, while the profile is built. */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_OBJECTS_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_OBJECTS_H

#include "report/profile/seam/profile_waits.h"
#include "report/profile/tables/profile_internal.h"

/* Sets the wait's operation, object, asked and ready, and part of `held`. 0, -ENOMEM. */
int profile_bind_object(struct profile *profile, const struct trace_model *model, uint32_t host,
			const struct event_wait *record, struct profile_wait *wait);
/* Call after all events were added: names the processes that objects belong to. */
void profile_name_objects(struct profile *profile);

#endif
