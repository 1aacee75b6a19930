/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a profile reports about its losses, and its notes, for tests. */
#ifndef RWALKER_TESTS_UNIT_REPORT_ACCOUNT_H
#define RWALKER_TESTS_UNIT_REPORT_ACCOUNT_H

#include <string.h>

#include "report/profile/seam/profile_account.h"

/*
 * Whether a note of the account, or a detail of one, contains `part`; *ret_lost (may be NULL):
 * whether the account reports losses.
 */
static inline bool account_has(struct profile *profile, const char *part, bool *ret_lost)
{
	struct profile_account account;
	bool found = false;

	profile_account(profile, &account);
	for (size_t i = 0; i < account.count; i++) {
		found |= strstr(account.notes[i].text, part) != NULL;
		for (size_t j = 0; j < account.notes[i].detail_count; j++)
			found |= strstr(account.notes[i].details[j], part) != NULL;
	}
	if (ret_lost)
		*ret_lost = profile_lost(profile);
	return found;
}

#endif
