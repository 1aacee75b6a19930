/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What is set apart in the profile of fake_seam.h, by its waits and sums. */
#pragma once

#include "report/profile/seam/profile_apart.h"
#include "tests/unit/report/view/fake_seam_objects.h"
#include "tests/unit/report/view/fake_seam_struct.h"

enum profile_apart profile_task_apart(const struct profile *profile, uint32_t task)
{
	struct profile_kernel_time time = {0};
	bool throughout = false;

	for (size_t i = 0; i < profile->wait_count; i++) {
		if (profile->waits[i].waker == task && !profile->tasks[profile->waits[i].task].kernel_thread)
			profile_kernel_time_add_wakeup(&time, &profile->waits[i]);
		if (profile->waits[i].task != task)
			continue;
		profile_kernel_time_add_wait(&time, &profile->waits[i]);
		throughout |= profile_wait_is_throughout(profile->tasks, &profile->waits[i]);
	}
	for (size_t i = 0; i < profile->sum_count; i++)
		if (profile->sums[i].task == task)
			profile_kernel_time_add_sums(&time, &profile->sums[i]);
	if (profile->tasks[task].kernel_thread && profile_kernel_time_is_nothing_done(&time))
		return PROFILE_NOTHING_DONE;
	return throughout ? PROFILE_THROUGHOUT : PROFILE_NOT_APART;
}

struct profile_set_apart profile_set_apart(const struct profile *profile)
{
	return profile->set_apart;
}
