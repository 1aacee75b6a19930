/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The filter for what waits were for (profile_filter.on). The names, owners and other ends of
 * objects are known only after all sections were read, and come from all waits. So this filter runs
 * after the others, and the quality of the stacks still counts what it leaves out.
 */
#ifndef RWALKER_REPORT_PROFILE_PROFILE_CHOOSE_H
#define RWALKER_REPORT_PROFILE_PROFILE_CHOOSE_H

#include "report/profile/tables/profile_internal.h"

/* Marks or drops the waits that the filter leaves out; does nothing without one. -ENOMEM. */
int profile_choose_waits(struct profile *profile);

#endif
