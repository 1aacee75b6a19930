/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --max-cpu: when less is recorded, when nothing, and when all of it again. Each second has a figure. */
#include "record/plan/cpu_budget.h"

#include "common/time_units.h"
#include "tests/test.h"

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

TEST_MAIN(TEST(over_it_becomes_coarser_then_pauses), TEST(a_pause_makes_up_for_what_was_used),
	  TEST(a_calm_minute_brings_all_back))
