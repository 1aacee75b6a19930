/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/schedule.h"

enum { NEVER_ENDS = -1 };
#define SECOND UINT64_C(1000000000)

static int64_t how_many(const struct record_walk *walk)
{
	if (!walk->wanted)
		return 0;
	if (walk->count)
		return walk->count;
	return walk->interval ? NEVER_ENDS : 1;
}

void schedule_init(struct schedule *schedule, const struct record_config *config, uint64_t now)
{
	const struct record_walk *walk = &config->walk;
	const struct record_profile *profile = &config->profile;
	bool profile_ends = profile->wanted && profile->seconds > 0;

	*schedule = (struct schedule){
		.limit = config->duration ? now + (uint64_t)config->duration * SECOND : UINT64_MAX,
		.profile_end = profile_ends ? now + (uint64_t)profile->seconds * SECOND : UINT64_MAX,
		.next_walk = walk->wanted ? now : UINT64_MAX,
		.interval = (uint64_t)walk->interval * SECOND,
		.walks_left = how_many(walk),
		.profiles = profile->wanted,
		.profile_ends = profile_ends,
		/* one walk beside a profile is a look at its start, not an end */
		.walks_end = walk->wanted && (walk->count || (!walk->interval && !profile->wanted)),
	};
}

bool schedule_take_walk(struct schedule *schedule, uint64_t now)
{
	if (now < schedule->next_walk || !schedule->walks_left)
		return false;
	if (schedule->walks_left > 0)
		schedule->walks_left--;
	if (!schedule->walks_left) {
		schedule->next_walk = UINT64_MAX;
		return true;
	}
	do
		schedule->next_walk += schedule->interval;
	while (schedule->next_walk <= now);
	return true;
}

bool schedule_take_profile_end(struct schedule *schedule, uint64_t now)
{
	if (!schedule->profiles || now < schedule->profile_end)
		return false;
	schedule->profiles = false;
	schedule->profile_end = UINT64_MAX;
	return true;
}

bool schedule_is_over(const struct schedule *schedule, uint64_t now)
{
	if (now >= schedule->limit)
		return true;
	if (!schedule->profile_ends && !schedule->walks_end)
		return false;
	return (!schedule->profile_ends || !schedule->profiles) && (!schedule->walks_end || !schedule->walks_left);
}

static uint64_t earlier(uint64_t left, uint64_t right)
{
	return left < right ? left : right;
}

uint64_t schedule_next(const struct schedule *schedule)
{
	return earlier(schedule->limit, earlier(schedule->profile_end, schedule->next_walk));
}
