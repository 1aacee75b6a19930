/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/stack/walk_near.h"

#define DAY UINT64_C(86400000000000)

static struct walk_near between(uint64_t at, uint64_t moment)
{
	return (struct walk_near){true, at > moment, at > moment ? at - moment : moment - at};
}

struct walk_near walk_near(const struct profile_walk *walk, const struct profile_walk *first,
			   const struct profile_moment *moment)
{
	struct walk_near near;

	if (moment->kind == PROFILE_MOMENT_OFFSET)
		return between(walk->time - first->time, moment->ns);
	if (!walk->realtime)
		return (struct walk_near){0};
	if (moment->kind == PROFILE_MOMENT_WALL)
		return between(walk->realtime, moment->ns);
	near = between(walk->realtime % DAY, moment->ns);
	if (near.distance > DAY / 2) /* midnight is between them */
		near = (struct walk_near){true, !near.after, DAY - near.distance};
	return near;
}

size_t walk_nearest(const struct profile_walk *walks, size_t count, const struct profile_moment *moment)
{
	uint64_t least = UINT64_MAX;
	size_t nearest = count;

	for (size_t i = 0; i < count; i++) {
		const struct walk_near near = walk_near(&walks[i], &walks[0], moment);

		if (!near.known || near.distance >= least)
			continue;
		least = near.distance;
		nearest = i;
	}
	return nearest;
}
