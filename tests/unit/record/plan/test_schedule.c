/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * "A recording from start to end" in ARCHITECTURE.md, as dates: what happens in which second. Time
 * is counted in tenths of a second, as the recorder does.
 */
#include "record/plan/schedule.h"

#include <stdlib.h>

#include "common/time_units.h"
#include "tests/test.h"

struct history {
	uint64_t walks[32]; /* tenths of a second */
	size_t walk_count;
	int64_t profile_end, over; /* tenths; -1: not within 60 s */
	int64_t point_ends[RECORD_MAX_POINTS];
};

/* Follows the schedule as the recorder does; `slow`: each walk takes that many tenths. */
static struct history live(const struct record_config *config, uint64_t slow)
{
	const uint64_t start = 12345 * SECOND + 678;
	struct history history = {.profile_end = -1, .over = -1};
	struct schedule schedule;

	for (size_t i = 0; i < RECORD_MAX_POINTS; i++)
		history.point_ends[i] = -1;
	schedule_init(&schedule, config, start);
	for (uint64_t tenth = 0; tenth < 600; tenth++) {
		uint64_t now = start + tenth * (SECOND / 10), began = tenth;

		if (schedule_take_end(&schedule, SCHEDULE_PROFILE, now))
			history.profile_end = (int64_t)began;
		for (unsigned int i = 0; i < RECORD_MAX_POINTS; i++)
			if (schedule_take_end(&schedule, SCHEDULE_POINTS + i, now))
				history.point_ends[i] = (int64_t)began;
		if (schedule_take_walk(&schedule, now) && history.walk_count < 32) {
			history.walks[history.walk_count++] = began;
			tenth += slow;
			now = start + tenth * (SECOND / 10);
		}
		if (schedule_is_over(&schedule, now)) {
			history.over = (int64_t)tenth;
			break;
		}
	}
	return history;
}

static void walk_beside_a_profile(struct test *t)
{
	const struct record_config ended = {.profile = {.wanted = true, .lasts = 3 * SECOND}, .walk = {.wanted = true}};
	const struct record_config endless = {.profile = {.wanted = true}, .walk = {.wanted = true}};

	CHECK_INT(t, live(&ended, 0).over, 30);
	CHECK_INT(t, live(&endless, 0).over, -1);
	CHECK_INT(t, live(&endless, 0).walk_count, 1);
}

static void interval_goes_on_until_the_profile_ends(struct test *t)
{
	const struct record_config config = {
		.profile = {.wanted = true, .lasts = 5 * SECOND}, .walk = {.wanted = true, .interval = 2 * SECOND}};
	struct history history = live(&config, 0);

	CHECK_INT(t, history.over, 50);
	REQUIRE(t, history.walk_count == 3);
	CHECK_INT(t, history.walks[2], 40);
}

static void last_bounded_source_ends(struct test *t)
{
	const struct record_config config = {
		.profile = {.wanted = true, .lasts = 2 * SECOND},
		.walk = {.wanted = true, .interval = 3 * SECOND, .count = 3}};
	struct history history = live(&config, 0);

	CHECK_INT(t, history.profile_end, 20);
	CHECK_INT(t, history.walk_count, 3); /* 0, 3, 6 */
	CHECK_INT(t, history.over, 60);
}

static void slow_walks_are_not_made_up_for(struct test *t)
{
	const struct record_config config = {.walk = {.wanted = true, .interval = 1 * SECOND, .count = 4}};
	struct history history = live(&config, 25);

	REQUIRE(t, history.walk_count == 4);
	for (size_t i = 1; i < 4; i++)
		CHECK(t, history.walks[i] - history.walks[i - 1] >= 25);
}

static void points_end_one_by_one(struct test *t)
{
	const struct record_config config = {.points = {.items = {{.lasts = 2 * SECOND}, {.lasts = 5 * SECOND},
								  {.lasts = 0}}, .count = 3}};
	struct history history = live(&config, 0);

	CHECK_INT(t, history.walk_count, 0);
	CHECK_INT(t, history.point_ends[0], 20);
	CHECK_INT(t, history.point_ends[1], 50);
	CHECK_INT(t, history.point_ends[2], -1); /* with all */
	CHECK_INT(t, history.point_ends[3], -1);
	CHECK_INT(t, history.over, 50);
}

/* The last source that ends, ends the recording; a single walk is a look at the start. */
static void points_beside_others(struct test *t)
{
	const struct record_config config = {
		.profile = {.wanted = true, .lasts = 3 * SECOND},
		.offcpu = {.wanted = true},
		.walk = {.wanted = true},
		.points = {.items = {{.lasts = 6 * SECOND}}, .count = 1},
	};
	struct history history = live(&config, 0);

	CHECK_INT(t, history.profile_end, 30);
	CHECK_INT(t, history.point_ends[0], 60);
	CHECK_INT(t, history.walk_count, 1);
	CHECK_INT(t, history.over, 60);
}

TEST_MAIN(TEST(walk_beside_a_profile), TEST(interval_goes_on_until_the_profile_ends),
	  TEST(last_bounded_source_ends), TEST(slow_walks_are_not_made_up_for),
	  TEST(points_end_one_by_one), TEST(points_beside_others))
