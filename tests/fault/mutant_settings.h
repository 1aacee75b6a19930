/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Filters and settings for the report of a mutant, drawn at random. */
#pragma once

#include "report/view/text/view.h"
#include "tests/random.h"

static inline struct profile_filter mutant_filter(struct random *random)
{
	struct profile_filter filter = {.to = UINT64_MAX, .each_event = true};
	uint64_t choice = random_below(random, 16);

	if (choice == 0)
		filter.sources = 1U << random_below(random, PROFILE_SOURCE_KINDS);
	else if (choice == 1)
		filter.user_only = true;
	else if (choice == 2)
		filter.kernel_only = true;
	else if (choice == 3)
		filter.each_address = true;
	else if (choice == 4)
		filter.from_moment = (struct profile_moment){PROFILE_MOMENT_WALL, random_next(random)};
	else if (choice == 5)
		filter.to_moment = (struct profile_moment){PROFILE_MOMENT_OFFSET, random_next(random) >> 30};
	else if (choice == 6)
		filter.least_wait = 1 << 20;
	else if (choice < 10)
		filter.apart = true;
	if (choice == 6 || choice > 7)
		filter.everyone = true;
	return filter;
}

static inline struct view_settings mutant_settings(struct random *random, const struct profile_filter *filter)
{
	uint64_t bits = random_next(random);

	return (struct view_settings){
		.filters = "",
		.user_only = filter->user_only,
		.kernel_only = filter->kernel_only,
		.some_waits = filter->least_wait,
		.addresses = bits & 1,
		.offsets = bits & 2,
		.timestamps = bits & 4,
		.per_process = bits & 8,
		.delimited = bits & 16,
		.min_share = bits & 32 ? 2500 : 0,
		.max_groups = bits & 64 ? 3 : 0,
		.at = {PROFILE_MOMENT_OFFSET, random_next(random) >> (40 + bits % 20)},
		.at_around = bits & 128 ? 1ULL << 30 : 0,
	};
}
