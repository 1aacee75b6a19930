/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What Ctrl-C left out of a profile. Where that is anything the profile is a part only: it is said on stderr when the work ends, and
 * in the account, and the exit code is that of lost events.
 */
#ifndef RWALKER_REPORT_PROFILE_PARTIAL_H
#define RWALKER_REPORT_PROFILE_PARTIAL_H

#include <stdbool.h>
#include <stdint.h>

struct profile;

struct profile_reading { /* of the events of all traces */
	uint64_t done, whole; /* bytes */
	bool cut;
};

/* Says it on stderr, if there is anything to say. */
void profile_say_partial(const struct profile *profile);
/* Adds a line to the account; likewise. -ENOMEM. */
int account_partial(struct profile *profile);

/* Whether anything was left out up to now. */
bool profile_is_partial(const struct profile *profile);

#endif
