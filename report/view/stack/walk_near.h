/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the walk of a recording that is nearest to a moment. Offsets count from the first walk.
 */
#ifndef RWALKER_REPORT_VIEW_STACK_WALK_NEAR_H
#define RWALKER_REPORT_VIEW_STACK_WALK_NEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "report/profile/seam/profile_filter.h"
#include "report/profile/seam/profile_walk.h"

struct walk_near {
	bool known; /* false: a date was given, and the walk's is not known */
	bool after; /* it began after the moment */
	uint64_t distance; /* ns from the moment */
};

/* first: the first walk of the same recording. */
struct walk_near walk_near(const struct profile_walk *walk, const struct profile_walk *first,
			   const struct profile_moment *moment);

/* The number of the nearest of a recording's walks; the earlier one of two. `count` if none is known. */
size_t walk_nearest(const struct profile_walk *walks, size_t count, const struct profile_moment *moment);

#endif
