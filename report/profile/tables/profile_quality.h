/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The quality of what was read, counted by kind of source because reports show only some kinds. */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_QUALITY_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_QUALITY_H

#include "report/profile/tables/profile_internal.h"

/* Sums these kinds (bits), and events whose kind is unknown. */
void profile_quality_sum(const struct profile *profile, unsigned int kinds, struct profile_quality *ret_sum);

#endif
