/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a profile says of its losses and notes, for tests. */
#ifndef RWALKER_TESTS_UNIT_ACCOUNT_H
#define RWALKER_TESTS_UNIT_ACCOUNT_H

#include <string.h>

#include "report/profile.h"

/* Whether a line of the account has `part` in it; *ret_lost (may be NULL): whether the account tells of losses. */
static inline bool account_has(const struct profile *profile, const char *part, bool *ret_lost)
{
	struct profile_account account;
	bool found = false;

	profile_account(profile, &account);
	for (size_t i = 0; i < account.count; i++)
		found |= strstr(account.lines[i], part) != NULL;
	if (ret_lost)
		*ret_lost = account.lost;
	return found;
}

#endif
