/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether those whom the command line names (-c, --pid, --tid, --chains=TARGET) are in the traces at all, and whether
 * the filters leave anything to show, so that a mistake is reported instead of an empty page.
 */
#ifndef RWALKER_REPORT_TARGETS_H
#define RWALKER_REPORT_TARGETS_H

#include "report/options/report_options.h"
#include "report/profile/seam/profile.h"

/*
 * What is only in the `base` (NULL: none) will do. 0, also if something of the trace was lost; or -ENOENT after
 * reporting who there is instead.
 */
int targets_check(struct profile *profile, const struct profile *base, const struct report_options *options);

#endif
