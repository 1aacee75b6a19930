/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The filter that asks what waits were for (profile_filter.on). Objects have names, owners and other ends only when all
 * sections have been read, and from all waits; so it comes after the other filters, and what it leaves out has been
 * counted in the quality of the stacks.
 */
#ifndef RWALKER_REPORT_PROFILE_PROFILE_CHOOSE_H
#define RWALKER_REPORT_PROFILE_PROFILE_CHOOSE_H

#include "report/profile/tables/profile_internal.h"

/* Marks or drops the waits that the filter leaves out; does nothing without one. -ENOMEM. */
int profile_choose_waits(struct profile *profile);

#endif
