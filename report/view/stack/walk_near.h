/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which of the walks of a recording is next to a moment. Offsets count from the first walk.
 */
#ifndef RWALKER_REPORT_VIEW_STACK_WALK_NEAR_H
#define RWALKER_REPORT_VIEW_STACK_WALK_NEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "report/profile/seam/profile_filter.h"
#include "report/profile/seam/profile_walk.h"

struct walk_near {
	bool known; /* false: a date was given, and the walk has none */
	bool after; /* it began after the moment */
	uint64_t distance; /* ns from the moment */
};

/* first: of the same recording. */
struct walk_near walk_near(const struct profile_walk *walk, const struct profile_walk *first,
			   const struct profile_moment *moment);

/* The number of the nearest of a recording's walks, of two the earlier one. `count`: none is known. */
size_t walk_nearest(const struct profile_walk *walks, size_t count, const struct profile_moment *moment);

#endif
