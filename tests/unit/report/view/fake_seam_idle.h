/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which threads were idle in the profile of fake_seam.h, by its waits and sums. */
#pragma once

#include <string.h>

#include "report/profile/seam/profile_idle.h"
#include "tests/unit/report/view/fake_seam_objects.h"
#include "tests/unit/report/view/fake_seam_struct.h"

const struct profile_thread_facts *profile_facts(struct profile *profile)
{
	const struct profile_facts_ground ground = {profile->facts, profile->tasks, profile->objects,
						    profile->operations};

	memset(profile->facts, 0, sizeof(profile->facts));
	for (size_t i = 0; i < profile->wait_count; i++)
		profile_facts_add_wait(&ground, &profile->waits[i]);
	for (size_t i = 0; i < profile->sum_count; i++)
		profile_facts_add_sums(profile->facts, &profile->sums[i]);
	return profile->facts;
}

struct profile_idle_left profile_idle_left(const struct profile *profile)
{
	return profile->idle_left;
}
