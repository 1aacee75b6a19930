/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Budgets of time and memory: the schedule, rates, --max-cpu, --max-memory, the time for embedding; and whether a clock is steady. */
#include "record/plan/recording.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "record/embed/symbol_source.h"
#include "record/plan/budget.h"
#include "record/plan/deadlines.h"
#include "record/probe/sched_clock.h"
#include "tests/test.h"

/* A walk that takes 2.5 s of each second. */
static void slow_walks_are_not_made_up_for(struct test *t)
{
	const struct record_config config = {.walk = {.wanted = true, .interval = SECOND, .count = 4}};
	const uint64_t start = 12345 * SECOND + 678;
	struct schedule schedule;
	unsigned int walks = 0;

	schedule_init(&schedule, &config, start);
	for (uint64_t now = start; !schedule_is_over(&schedule, now) && walks < 10; now += 5 * SECOND / 2, walks++) {
		CHECK(t, schedule_walk_is_due(&schedule, now));
		CHECK(t, !schedule_walk_is_due(&schedule, now));
	}
	CHECK_INT(t, walks, 4);
}

static void rates_are_not_in_step_with_timers(struct test *t)
{
	CHECK(t, !sample_rate_in_step(SAMPLE_RATE) && !sample_rate_in_step(SAMPLE_RATE_DWARF));
	CHECK(t, sample_rate_in_step(1000) && sample_rate_in_step(4000));
}

/* --- --max-cpu: when less is recorded, when nothing, and when all of it again --- */

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

/* --- --max-memory --- */

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

/* --- the time for embedding --- */

enum { VILLAIN = 65533, HONEST = 1000, ROOT = 0, FILES = 400 };

struct made_file {
	uint32_t uid;
	uint64_t takes; /* ms */
	bool done;
};

static const struct embed_budget *sorting;

static int fewest_first(const void *left, const void *right)
{
	const struct made_file *l = left, *r = right;

	return (int)embed_budget_late(sorting, l->uid) - (int)embed_budget_late(sorting, r->uid);
}

/* As embed.c goes through its files. Returns how long it took, ms. */
static uint64_t embed_all(struct embed_budget *budget, struct made_file *files, size_t count)
{
	uint64_t now = 5 * SECOND, begun = now;

	embed_budget_init(budget, now);
	for (enum embed_round round = EMBED_ROUND_ROOT; round < EMBED_ROUNDS; round++) {
		sorting = budget;
		if (round == EMBED_ROUND_REST)
			qsort(files, count, sizeof(*files), fewest_first);
		for (size_t i = 0; i < count; i++) {
			unsigned int ms = files[i].done ? 0 : embed_budget_ms(budget, round, files[i].uid, now);
			uint64_t took = ms < files[i].takes ? ms : files[i].takes;

			files[i].done |= ms && files[i].takes <= ms;
			now += took * MILLISECOND;
			if (ms)
				embed_budget_spend(budget, files[i].uid, took * MILLISECOND);
		}
		embed_budget_forget_late(budget);
		for (size_t i = 0; i < count; i++)
			if (!files[i].done)
				embed_budget_add_late(budget, files[i].uid, "/tmp/perf-1.map");
	}
	return (now - begun) / MILLISECOND;
}

static size_t done(const struct made_file *files, size_t count, uint32_t uid)
{
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += files[i].done && files[i].uid == uid;
	return sum;
}

static void one_user_costs_nobody_else(struct test *t)
{
	struct made_file files[FILES];
	struct embed_budget budget;
	char text[512];

	for (size_t i = 0; i < FILES; i++)
		files[i] = (struct made_file){.uid = VILLAIN, .takes = 3600000};
	files[FILES - 1] = (struct made_file){.uid = ROOT, .takes = 4000};
	files[FILES - 2] = (struct made_file){.uid = HONEST, .takes = 900};
	files[FILES - 3] = (struct made_file){.uid = HONEST + 1, .takes = 1500}; /* in a later round */
	CHECK(t, embed_all(&budget, files, FILES) <= EMBED_TIME);
	CHECK_INT(t, done(files, FILES, ROOT) + done(files, FILES, HONEST) + done(files, FILES, HONEST + 1), 3);
	CHECK_INT(t, done(files, FILES, VILLAIN), 0);
	CHECK_STR(t, embed_budget_text(&budget, text, sizeof(text)),
		  "397 files of user 65533 (the first: /tmp/perf-1.map)");
}

/* --- steady clocks --- */

/* Readings are off by some hundred microseconds, and time kept over a network by 500 parts in a million. */
static void steady_clocks_do_not_drift(struct test *t)
{
	struct sched_clock_watch watch = {0};

	CHECK(t, !sched_clock_drifts(&watch, SECOND, 123456789)); /* the first is compared with nothing */
	CHECK(t, !sched_clock_drifts(&watch, 2 * SECOND, 123456789 + 500000));
	CHECK(t, !sched_clock_drifts(&watch, 3 * SECOND, 123456789 - 400000));
	CHECK(t, !sched_clock_drifts(&watch, 103 * SECOND, 123456789 + 50000000));
	watch = (struct sched_clock_watch){0};
	CHECK(t, !sched_clock_drifts(&watch, SECOND, UINT64_MAX - 10)); /* offsets wrap */
	CHECK(t, !sched_clock_drifts(&watch, 2 * SECOND, 10));
}

static void others_do(struct test *t)
{
	struct sched_clock_watch watch = {0};

	CHECK(t, !sched_clock_drifts(&watch, SECOND, 5 * SECOND));
	CHECK(t, sched_clock_drifts(&watch, 2 * SECOND, 5 * SECOND + 2000000));
	CHECK(t, sched_clock_drifts(&watch, 3 * SECOND, 5 * SECOND));
	CHECK(t, !sched_clock_drifts(&watch, 4 * SECOND, 5 * SECOND));
}

TEST_MAIN(TEST(slow_walks_are_not_made_up_for), TEST(rates_are_not_in_step_with_timers),
	  TEST(over_it_becomes_coarser_then_pauses), TEST(a_pause_makes_up_for_what_was_used),
	  TEST(a_calm_minute_brings_all_back), TEST(sums), TEST(gives_way), TEST(nobody_asked),
	  TEST(one_user_costs_nobody_else), TEST(steady_clocks_do_not_drift), TEST(others_do))
