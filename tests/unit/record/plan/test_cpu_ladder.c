/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --max-cpu in made-up time: which steps there are, when they are taken, and that a made-up host keeps its budget. */
#include "record/plan/cpu_ladder.h"

#include "common/time_units.h"
#include "format/event_flight.h"
#include "tests/test.h"

/* --offcpu 0 --wakers --dwarf -m 0 -p 0 -f 100 --max-cpu 1 */
static struct record_config everything(void)
{
	return (struct record_config){
		.profile = {.wanted = true, .frequency = 100},
		.offcpu = {.wanted = true, .wakers = true},
		.user_stacks = true,
		.snapshots = true,
		.budget = {.cpu = 100},
	};
}

static void steps(struct test *t)
{
	enum { STACKS = REGIME_NO_WAKER_STACKS | REGIME_NO_WAKERS | REGIME_NO_SNAPSHOTS | REGIME_NO_USER_STACKS };
	static const struct cpu_regime expected[] = {
		{0, 0, 100},
		{MILLISECOND, 0, 100},
		{4 * MILLISECOND, 0, 100},
		{16 * MILLISECOND, 0, 100},
		{16 * MILLISECOND, REGIME_NO_WAKER_STACKS, 100},
		{16 * MILLISECOND, REGIME_NO_WAKER_STACKS | REGIME_NO_WAKERS, 100},
		{16 * MILLISECOND, REGIME_NO_WAKER_STACKS | REGIME_NO_WAKERS | REGIME_NO_SNAPSHOTS, 100},
		{16 * MILLISECOND, STACKS, 100},
		{16 * MILLISECOND, STACKS, 50},
		{16 * MILLISECOND, STACKS, 25},
		{16 * MILLISECOND, STACKS | REGIME_NO_WAITS, 25},
		{16 * MILLISECOND, STACKS | REGIME_NO_WAITS | REGIME_NO_SAMPLES, 0},
	};
	struct record_config config = everything();
	struct cpu_ladder ladder;

	cpu_ladder_init(&ladder, &config, 100);
	REQUIRE(t, ladder.count == sizeof(expected) / sizeof(expected[0]));
	for (uint32_t i = 0; i < ladder.count; i++) {
		CHECK_INT(t, ladder.regimes[i].least, expected[i].least);
		CHECK_INT(t, ladder.regimes[i].lacks, expected[i].lacks);
		CHECK_INT(t, ladder.regimes[i].frequency, expected[i].frequency);
	}
}

static void few_steps(struct test *t)
{
	struct record_config samples = {.profile = {.wanted = true}, .budget = {.cpu = 100}};
	struct record_config hits = {.points = {.count = 1}, .user_stacks = true, .budget = {.cpu = 100}};
	struct record_config waits = {.offcpu = {.wanted = true, .least = 6 * MILLISECOND}, .budget = {.cpu = 100}};
	struct cpu_ladder ladder;

	cpu_ladder_init(&ladder, &samples, 3989);
	CHECK_INT(t, ladder.count, 4);
	CHECK(t, ladder.regimes[2].frequency == 997 && ladder.regimes[3].lacks == REGIME_NO_SAMPLES);
	cpu_ladder_init(&ladder, &hits, 0);
	CHECK_INT(t, ladder.count, 3);
	CHECK_INT(t, ladder.regimes[2].lacks, REGIME_NO_USER_STACKS | REGIME_NO_HITS);
	cpu_ladder_init(&ladder, &waits, 0);
	CHECK_INT(t, ladder.count, 3);
	CHECK(t, ladder.regimes[1].least == 16 * MILLISECOND && ladder.regimes[2].lacks == REGIME_NO_WAITS);
}

/* Seconds of one load after another, as hundredths of a percent; the step after each. */
static void follow(struct test *t, struct cpu_ladder *ladder, uint64_t *second, uint64_t used, unsigned int seconds,
		   uint32_t changes)
{
	uint32_t changed = 0;

	for (unsigned int i = 0; i < seconds; i++, (*second)++)
		changed += cpu_ladder_judge(ladder, *second * SECOND, (*second + 1) * SECOND, used);
	CHECK_INT(t, changed, changes);
}

static void when(struct test *t)
{
	struct record_config config = everything();
	struct cpu_ladder ladder;
	uint64_t second = 1000;

	cpu_ladder_init(&ladder, &config, 100);
	follow(t, &ladder, &second, 101, 2, 0);
	follow(t, &ladder, &second, 100, 1, 0); /* not over: it begins again */
	follow(t, &ladder, &second, 101, 2, 0);
	follow(t, &ladder, &second, 101, 1, 1);
	CHECK_INT(t, ladder.step, 1);
	follow(t, &ladder, &second, 200, 6, 2); /* not more than twice the budget */
	CHECK_INT(t, ladder.step, 3);
	follow(t, &ladder, &second, 60, 300, 0); /* below the budget, but not by half */
	follow(t, &ladder, &second, 49, 59, 0);
	follow(t, &ladder, &second, 60, 1, 0);
	follow(t, &ladder, &second, 49, 59, 0);
	follow(t, &ladder, &second, 49, 1, 1);
	CHECK_INT(t, ladder.step, 2);
	follow(t, &ladder, &second, 0, 120, 2);
	CHECK_INT(t, ladder.step, 0);
	follow(t, &ladder, &second, 0, 600, 0);
	follow(t, &ladder, &second, 9999, 600, ladder.count - 1);
	CHECK_INT(t, ladder.step, ladder.count - 1);
}

/* A storm that is far beyond the budget, and one that goes on when a step up is tried. */
static void in_a_storm(struct test *t)
{
	struct record_config config = everything();
	struct cpu_ladder ladder;
	uint64_t second = 1000;

	cpu_ladder_init(&ladder, &config, 100);
	follow(t, &ladder, &second, 201, 2, 0);
	follow(t, &ladder, &second, 201, 1, 1);
	follow(t, &ladder, &second, 201, 4, 4);
	CHECK_INT(t, ladder.step, 5);
	follow(t, &ladder, &second, 200, 2, 0);
	follow(t, &ladder, &second, 201, 1, 1); /* for 3 s by now */
	follow(t, &ladder, &second, 49, 59, 0);
	follow(t, &ladder, &second, 49, 1, 1);
	CHECK_INT(t, ladder.step, 5);
	follow(t, &ladder, &second, 201, 1, 1); /* it has failed */
	CHECK_INT(t, ladder.step, 6);
	follow(t, &ladder, &second, 60, 4, 0);
	follow(t, &ladder, &second, 201, 2, 0); /* another storm */
	follow(t, &ladder, &second, 201, 1, 1);
}

/* Each try that fails makes the next one wait twice as long, up to eight times; one that holds ends that. */
static void tries(struct test *t)
{
	struct record_config config = everything();
	struct cpu_ladder ladder;
	uint64_t second = 1000;

	cpu_ladder_init(&ladder, &config, 100);
	follow(t, &ladder, &second, 201, 4, 2);
	for (unsigned int minutes = 1; minutes <= 32; minutes *= 2) {
		unsigned int calm = minutes < 8 ? minutes * 60 : 8 * 60;

		follow(t, &ladder, &second, 10, calm - 1, 0);
		follow(t, &ladder, &second, 10, 1, 1);
		CHECK_INT(t, ladder.step, 1);
		follow(t, &ladder, &second, 201, 1, 1);
		CHECK_INT(t, ladder.step, 2);
	}
	follow(t, &ladder, &second, 10, 8 * 60 - 1, 0);
	follow(t, &ladder, &second, 10, 1, 1);
	follow(t, &ladder, &second, 60, 60, 0);
	follow(t, &ladder, &second, 201, 3, 1); /* another storm */
	follow(t, &ladder, &second, 10, 60 - 1, 0);
	follow(t, &ladder, &second, 10, 1 + 60, 2);
	CHECK_INT(t, ladder.step, 0);
}

/* A host so large that a second of a step too high costs fifty times the budget. */
static void on_a_large_host(struct test *t)
{
	struct record_config config = everything();
	struct cpu_ladder ladder;
	uint64_t sum = 0;

	cpu_ladder_init(&ladder, &config, 100);
	for (uint64_t second = 0; second < 24 * 3600; second++) {
		uint64_t used = ladder.step < 5 ? 5000 : 10;

		sum += second >= 3600 ? used : 0;
		(void)cpu_ladder_judge(&ladder, second * SECOND, (second + 1) * SECOND, used);
	}
	CHECK(t, sum / (23 * 3600) <= 25);
}

/* Without a budget nothing happens. */
static void none(struct test *t)
{
	struct record_config config = everything();
	struct cpu_ladder ladder;
	uint64_t second = 1;

	config.budget.cpu = 0;
	cpu_ladder_init(&ladder, &config, 100);
	follow(t, &ladder, &second, 100000, 60, 0);
}

/* A storm in which each step costs two thirds of the one before: after it has begun, the budget is kept on average. */
static void keeps_it(struct test *t)
{
	struct record_config config = everything();
	struct cpu_ladder ladder;
	uint64_t sum = 0;

	cpu_ladder_init(&ladder, &config, 100);
	for (uint64_t second = 0; second < 3600; second++) {
		uint64_t used = 1000;

		for (uint32_t i = 0; i < ladder.step; i++)
			used = used * 2 / 3;
		sum += second >= 60 ? used : 0;
		(void)cpu_ladder_judge(&ladder, second * SECOND, (second + 1) * SECOND, used);
	}
	CHECK(t, sum / (3600 - 60) <= 120);
}

static void realtime_safe(struct test *t)
{
	struct record_config config = everything();
	struct cpu_ladder ladder;

	config.budget.realtime_safe = true;
	cpu_ladder_init(&ladder, &config, 100);
	for (uint32_t i = 0; i < ladder.count; i++)
		CHECK(t, ladder.regimes[i].lacks & REGIME_NO_KERNEL_STACKS &&
				 ladder.regimes[i].lacks & REGIME_NO_WAKER_STACKS &&
				 ladder.regimes[i].lacks & REGIME_NO_EARLY_STACKS);
	CHECK_INT(t, ladder.count, 11); /* one step less: wakers have no stacks anyway */
}

TEST_MAIN(TEST(steps), TEST(few_steps), TEST(when), TEST(in_a_storm), TEST(tries), TEST(on_a_large_host),
	  TEST(none), TEST(keeps_it), TEST(realtime_safe))
