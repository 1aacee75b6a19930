/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Whether the scheduler's clock is steady: what the kernel's log says, and readings that drift apart. */
#include "record/probe/sched_clock.h"

#include <errno.h>

#include "common/time_units.h"
#include "tests/test.h"

static void the_log_says_it(struct test *t)
{
	static const struct {
		const char *log;
		int stable;
	} cases[] = {
		{"", -ENOENT},
		{"<6>[    0.43] sched_clock: Marking stable (432008948, 1474040)->(462678605, "
		 "-29195617)\n<6>[ 1.0] more\n", 1},
		{"<6>[    0.43] sched_clock: Marking stable (1, 2)->(3, 4)\n"
		 "<6>[99.1] sched_clock: Marking unstable (5, 6)<-(7, 8)\n", 0},
		{"<5>[    0.00] kvm-clock: using sched offset of 49891321 cycles\n", -ENOENT},
		{"sched_clock: Marking ", -ENOENT},
		{"<6>[99.1] sched_clock: Marking unstable (5, 6)<-(7, 8)\n<6>[ 99.2] sched_clock: Marking sta", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_check(t, sched_clock_in_log(cases[i].log) == cases[i].stable, "case %zu", i);
}

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

TEST_MAIN(TEST(the_log_says_it), TEST(steady_clocks_do_not_drift), TEST(others_do))
