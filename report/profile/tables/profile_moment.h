/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Converts moments to times of a section that may not be a recording of the profile yet. */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_MOMENT_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_MOMENT_H

#include "report/profile/tables/profile_internal.h"

/* False if the clocks of the section do not allow that. */
bool profile_moment_of(const struct trace_model *model, const struct profile_moment *moment,
		       uint64_t *ret_time);

#endif
