/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What BPF programs cost while the kernel counts it, while it does not, and when others switch that on and off. */
#include "record/source/programs_time.h"

#include "common/time_units.h"
#include "record/source/loss.h"
#include "tests/test.h"

/* A second in which 1,000 events were seen, 900 of which were brief, and the kernel counted so much. */
static uint64_t second(struct programs_time *programs, struct loss *loss, uint64_t counted)
{
	const uint64_t before = programs->total;

	loss->seen += 1000;
	loss->passed += 900;
	loss->run_ns += counted;
	programs_time_look(programs, loss);
	return programs->total - before;
}

static uint64_t estimated(void)
{
	struct programs_time programs = {0};
	struct loss loss = {0};

	return second(&programs, &loss, 0);
}

static void is_estimated(struct test *t)
{
	struct programs_time programs = {0};
	struct loss loss = {0};

	CHECK(t, estimated() >= 100 * MICROSECOND && estimated() <= 2 * MILLISECOND);
	for (int i = 0; i < 3; i++)
		CHECK_INT(t, second(&programs, &loss, 0), estimated());
	programs_time_look(&programs, &loss); /* nothing happens */
	CHECK_INT(t, programs.total, 3 * estimated());
}

static void taken_cost_more(struct test *t)
{
	struct programs_time brief = {0}, long_ones = {0};
	struct loss loss = {.seen = 1000, .passed = 1000};

	programs_time_look(&brief, &loss);
	loss.passed = 0;
	programs_time_look(&long_ones, &loss);
	CHECK(t, long_ones.total > 3 * brief.total);
}

static void is_counted(struct test *t)
{
	struct programs_time programs = {0};
	struct loss loss = {0};

	(void)second(&programs, &loss, 50);
	CHECK_INT(t, second(&programs, &loss, 50), 50); /* less than estimated */
	CHECK_INT(t, second(&programs, &loss, SECOND), SECOND);
}

/* The total never goes back, and grows in every second. */
static void others_switch_it(struct test *t)
{
	struct programs_time programs = {0};
	struct loss loss = {0};

	(void)second(&programs, &loss, 0);
	CHECK_INT(t, second(&programs, &loss, 7), estimated()); /* switched on at its end */
	CHECK_INT(t, second(&programs, &loss, 300 * MICROSECOND), 300 * MICROSECOND);
	CHECK_INT(t, second(&programs, &loss, 0), estimated()); /* and off again */
	CHECK_INT(t, second(&programs, &loss, 0), estimated());
}

/* The programs of points and lives come and go, and take their counts with them. */
static void counts_go_back(struct test *t)
{
	struct programs_time programs = {0};
	struct loss loss = {.seen = 1000, .run_ns = SECOND};

	programs_time_look(&programs, &loss);
	loss = (struct loss){.seen = 10, .run_ns = 10};
	programs_time_look(&programs, &loss);
	CHECK_INT(t, programs.total, SECOND);
	loss.run_ns += 5;
	programs_time_look(&programs, &loss);
	programs_time_look(&programs, &loss);
	CHECK_INT(t, programs.total, SECOND + 5);
}

TEST_MAIN(TEST(is_estimated), TEST(taken_cost_more), TEST(is_counted), TEST(others_switch_it), TEST(counts_go_back))
