/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The two halves of the account: profile_account.c tells what is missing from the traces, profile_account_quality.c how good
 * what is there is. Each adds lines to profile->lines.
 */
#ifndef RWALKER_REPORT_PROFILE_ACCOUNT_LINES_H
#define RWALKER_REPORT_PROFILE_ACCOUNT_LINES_H

#include "report/profile_internal.h"

/* Appends one formatted line. -ENOMEM. */
int account_line(struct profile *profile, const char *format, ...) __attribute__((format(printf, 2, 3)));
double account_share(uint64_t part, uint64_t whole); /* percent */

/* Stacks cut short, missing or trimmed, maps unavailable, frames without names and why. */
int account_quality(struct profile *profile);

/* Why addresses of the module have no name, in a few words. */
const char *account_why(const struct module *module);

#endif
