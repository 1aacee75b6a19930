/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Whether the scheduler's clock is steady: readings that drift apart. */
#include "record/probe/sched_clock.h"

#include "common/time_units.h"
#include "tests/test.h"

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

TEST_MAIN(TEST(steady_clocks_do_not_drift), TEST(others_do))
