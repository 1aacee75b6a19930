/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "record/plan/cpu_budget.h"
#include "record/plan/memory_plan.h"
#include "record/plan/sample_rate.h"
#include "record/plan/schedule.h"
#include "tests/test.h"

/*
 * Schedule: "A recording from start to end" in ARCHITECTURE.md, as dates: what happens in which
 * second. Time is counted in tenths of a second, as the recorder does.
 */

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

static void rates_are_not_in_step_with_timers(struct test *t)
{
	CHECK(t, !sample_rate_in_step(SAMPLE_RATE) && !sample_rate_in_step(SAMPLE_RATE_DWARF));
	CHECK(t, sample_rate_in_step(1000) && sample_rate_in_step(4000));
}

/*
 * Cpu budget: --max-cpu: when less is recorded, when nothing, and when all of it again. Each second
 * has a figure.
 */

enum { BUDGET = 100 };

struct bench {
	struct cpu_budget budget;
	uint64_t now;
};

static struct bench bench_of(void)
{
	struct bench bench = {.now = 1000 * SECOND};

	cpu_budget_init(&bench.budget, BUDGET, 0);
	return bench;
}

/* So many seconds of that use. Returns how many passed until the step changed; 0: it did not. */
static unsigned int use(struct bench *bench, uint64_t used, unsigned int seconds)
{
	for (unsigned int i = 1; i <= seconds; i++) {
		bench->now += SECOND;
		if (cpu_budget_update(&bench->budget, bench->now - SECOND, bench->now, used))
			return i;
	}
	return 0;
}

static void over_it_becomes_coarser_then_pauses(struct test *t)
{
	struct bench bench = bench_of();

	CHECK_INT(t, use(&bench, BUDGET, 100), 0);
	CHECK_INT(t, use(&bench, BUDGET + 1, 2), 0);
	CHECK_INT(t, use(&bench, BUDGET, 1), 0); /* once within it, the time begins again */
	CHECK_INT(t, use(&bench, BUDGET + 1, 9), 3);
	CHECK_INT(t, bench.budget.step, BUDGET_COARSER);
	CHECK_INT(t, use(&bench, BUDGET + 1, 9), 3);
	CHECK_INT(t, bench.budget.step, BUDGET_PAUSED);
	CHECK_INT(t, use(&bench, 0, 99), 10);
	CHECK_INT(t, bench.budget.step, BUDGET_COARSER);
}

/* 3 s of eight times the budget are made up for by 21 s of nothing. */
static void a_pause_makes_up_for_what_was_used(struct test *t)
{
	struct bench bench = bench_of();

	CHECK_INT(t, use(&bench, 8 * BUDGET, 9), 3);
	CHECK_INT(t, use(&bench, 8 * BUDGET, 9), 3);
	CHECK_INT(t, use(&bench, 0, 99), 21);
	CHECK_INT(t, use(&bench, 1000 * BUDGET, 9), 3);
	CHECK_INT(t, use(&bench, 0, 99), 60);
}

static void a_calm_minute_brings_all_back(struct test *t)
{
	struct bench bench = bench_of();

	CHECK_INT(t, use(&bench, 2 * BUDGET, 3), 3);
	CHECK_INT(t, use(&bench, BUDGET / 2, 200), 0);
	CHECK_INT(t, use(&bench, BUDGET / 2 - 1, 59), 0);
	CHECK_INT(t, use(&bench, BUDGET / 2 - 1, 9), 1);
	CHECK_INT(t, bench.budget.step, BUDGET_WHOLE);
	CHECK_INT(t, use(&bench, 0, 200), 0);
}

/* Memory plan: --max-memory: what is halved, and what is refused. Sums by hand, in megabytes. */

#define MB(n) ((uint64_t)(n) << 20)

/* 20 fixed, 4 rings of 8, 64 in tables: 116. At least 20 + 4 x 1 + 2 = 26. */
static struct memory_plan made(uint64_t budget)
{
	struct memory_plan plan = {.budget = budget};

	memory_plan_add(&plan, &(struct memory_row){"fixed", 2, MB(10), 0, 0, false});
	memory_plan_add(&plan, &(struct memory_row){"none", 0, MB(1000), 0, 0, false});
	memory_plan_add(&plan, &(struct memory_row){"rings", 4, 0, MB(8), MB(1), true});
	memory_plan_add(&plan, &(struct memory_row){"tables", 1, 0, MB(64), 0, false});
	return plan;
}

static void sums(struct test *t)
{
	struct memory_plan plan = made(0);

	CHECK_INT(t, plan.count, 3);
	CHECK_INT(t, memory_plan_sum(&plan), MB(116));
	CHECK(t, !memory_plan_fit(&plan, 0) && !plan.halvings);
	plan.rows[0].count = UINT64_MAX;
	CHECK(t, memory_plan_sum(&plan) == UINT64_MAX);
}

static void gives_way(struct test *t)
{
	static const struct {
		uint64_t budget;
		unsigned int halvings, event_halvings;
		uint64_t sum;
	} cases[] = {
		{MB(116), 0, 0, MB(116)}, {MB(115), 1, 0, MB(84)}, {MB(60), 3, 0, MB(60)}, {MB(54), 5, 0, MB(54)},
		{MB(53), 5, 1, MB(38)}, {MB(26), 5, 3, MB(26)},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct memory_plan plan = made(cases[i].budget);

		CHECK_INT(t, memory_plan_fit(&plan, MB(1)), 0);
		CHECK_INT(t, memory_plan_sum(&plan), cases[i].sum);
		CHECK_INT(t, plan.halvings, cases[i].halvings);
		CHECK_INT(t, plan.event_halvings, cases[i].event_halvings);
	}
}

/* Unasked, a recording takes an eighth of what is free: as it is if that is enough, else smaller, or not at all. */
static void nobody_asked(struct test *t)
{
	struct memory_plan enough = made(0), smaller = made(0), none = made(0);

	CHECK(t, !memory_plan_fit(&enough, MB(8 * 116)) && !enough.halvings);
	CHECK(t, !memory_plan_fit(&smaller, MB(8 * 90)) && smaller.halvings == 1);
	CHECK_INT(t, memory_plan_fit(&none, MB(80)), -ENOSPC);
}

TEST_MAIN(TEST(slow_walks_are_not_made_up_for), TEST(points_end_one_by_one),
	  TEST(rates_are_not_in_step_with_timers), TEST(over_it_becomes_coarser_then_pauses), TEST(a_pause_makes_up_for_what_was_used),
	  TEST(a_calm_minute_brings_all_back), TEST(sums), TEST(gives_way), TEST(nobody_asked))
