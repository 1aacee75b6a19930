/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Moments as times of a section, for what is read before it is a recording of the profile. */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_MOMENT_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_MOMENT_H

#include "report/profile/tables/profile_internal.h"

/* False if the section's clocks do not allow that. */
bool profile_moment_of(const struct trace_model *model, const struct profile_moment *moment,
		       uint64_t *ret_time);

#endif
