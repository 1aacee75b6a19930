/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What Ctrl-C left out of a profile. If anything was left out, the profile is incomplete: this is
 * reported on stderr when the work ends, and in the account, and the exit code is the same as for
 * lost events.
 */
#ifndef RWALKER_REPORT_PROFILE_ACCOUNT_PARTIAL_H
#define RWALKER_REPORT_PROFILE_ACCOUNT_PARTIAL_H

#include <stdbool.h>

struct profile;

/* Reports it on stderr, if anything was left out. */
void profile_say_partial(const struct profile *profile);
/* Adds a line to the account, if anything was left out. -ENOMEM. */
int account_partial(struct profile *profile);

/* Whether anything was left out so far. */
bool profile_is_partial(const struct profile *profile);

#endif
