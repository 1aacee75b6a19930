/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks that the threads named on the command line (-c, --pid, --tid, --chains=TARGET) are in the
 * traces at all, and that the filters leave something to show. So a mistake is reported instead of
 * an empty page.
 */
#ifndef RWALKER_REPORT_TARGETS_H
#define RWALKER_REPORT_TARGETS_H

#include "report/profile/profile.h"
#include "report/report_options.h"

/*
 * It is enough if they are in `base` (NULL: none). 0, also if events of the trace were lost; or
 * -ENOENT after reporting which threads there are instead.
 */
int targets_check(struct profile *profile, const struct profile *base, const struct report_options *options);

#endif
