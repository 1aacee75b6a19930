/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The account of a made-up profile: a part of fake_seam.h, which includes this. */
#pragma once

#include "report/profile/seam/profile_account.h"
#include "tests/unit/report/view/fake_seam_struct.h"

void profile_account(struct profile *profile, struct profile_account *ret_account)
{
	*ret_account = (struct profile_account){.notes = profile->notes, .count = profile->note_count};
}

void profile_account_of(struct profile *profile, unsigned int kinds, struct profile_account *ret_account)
{
	(void)kinds;
	profile_account(profile, ret_account);
}

bool profile_lost(struct profile *profile)
{
	return profile->lost;
}
