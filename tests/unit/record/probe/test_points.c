/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/probe/points.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/time_units.h"
#include "record/probe/sched_clock.h"
#include "tests/test.h"

/*
 * Points: What --trace and --kfunc names find in this kernel, compared with what find and awk
 * find in the same lists: one name, with and without its category, globs, regular expressions, and
 * truncation. Nothing is attached.
 */

#define EVENTS "/sys/kernel/tracing/events"
#define NEEDS_EVENTS(t)                                                 \
	do {                                                            \
		if (!events_are_shown())                                \
			SKIP(t, "there is no " EVENTS " to read");      \
	} while (0)
#define NEEDS_FUNCTIONS(t)                                              \
	do {                                                            \
		if (!functions_are_shown())                             \
			SKIP(t, "/proc/kallsyms hides its addresses");  \
	} while (0)

static long number_of(const char *shell)
{
	FILE *pipe = popen(shell, "r");
	long number = -1;

	if (pipe && fscanf(pipe, "%ld", &number) != 1)
		number = -1;
	if (pipe)
		(void)pclose(pipe);
	return number;
}

/* If it is not mounted: for this process only. */
static bool events_are_shown(void)
{
	if (access(EVENTS "/sched", F_OK) && !unshare(CLONE_NEWNS) &&
	    !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		(void)mount("none", "/sys/kernel/tracing", "tracefs", 0, NULL);
	return !access(EVENTS "/sched/sched_switch", F_OK);
}

static bool functions_are_shown(void)
{
	return number_of("awk '$3 == \"vfs_write\" && $1 !~ /^0+$/ { n++ } END { print n + 0 }' /proc/kallsyms") > 0;
}

static struct record_points asking(const char *const *names, bool functions)
{
	struct record_points asked = {.most = 20000};

	for (; *names; names++)
		asked.items[asked.count++] = (struct record_point){
			.text = *names, .length = (int)strlen(*names), .function = functions};
	return asked;
}

static int resolve(const char *name, bool function, struct points *ret_points, struct record_points *asked)
{
	*asked = asking((const char *const[]){name, NULL}, function);
	return points_resolve(asked, ret_points);
}

/* Sources keep the options' order and their own points; the maximum is for all together. */
static void several_and_no_more_than_that(struct test *t)
{
	static const char *const names[] = {"sched_switch", "sched:sched_wak*", "sys_exit", "sched:*", NULL};
	struct record_points asked = asking(names, false);
	struct points points;
	uint32_t next = 0;

	NEEDS_EVENTS(t);
	asked.most = 4;
	REQUIRE(t, !points_resolve(&asked, &points));
	CHECK_INT(t, points.source_count, 4);
	CHECK(t, points.sources[0].count == 1 && points.sources[2].count == 1);
	CHECK(t, points.sources[1].is_set && points.sources[1].count >= 2 && points.sources[1].count <= 3);
	for (uint32_t i = 0; i < 4; i++) {
		CHECK(t, points.sources[i].asked == &asked.items[i]);
		CHECK_INT(t, points.sources[i].first, next);
		for (uint32_t j = 0; j < points.sources[i].count; j++)
			CHECK_INT(t, points.items.items[next + j].source, i);
		next += points.sources[i].count;
	}
	CHECK_INT(t, next, points.items.count);
	CHECK(t, points.sources[3].count <= 1); /* what is left by the others */
	points_deinit(&points);
}

static void unknown_names(struct test *t)
{
	static const struct {
		const char *name;
		bool function;
		int code;
	} cases[] = {
		{"sched_swich", false, -ENOENT},
		{"block:sched_switch", false, -ENOENT},
		{"no_such_*", false, -ENOENT},
		{"/[/", false, -EINVAL},
		{"/^sched", false, -EINVAL},
		{"//", false, -EINVAL},
		{"vfs_wrte", true, -ENOENT},
		{"/^no_such_function/", true, -ENOENT},
		{"/(/", true, -EINVAL},
	};
	char long_name[300];
	struct record_points asked;
	struct points points;

	NEEDS_EVENTS(t);
	NEEDS_FUNCTIONS(t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_check(t, resolve(cases[i].name, cases[i].function, &points,
				      &asked) == cases[i].code, "\"%s\" was taken",
			   cases[i].name);
	memset(long_name, 'x', sizeof(long_name));
	long_name[sizeof(long_name) - 1] = '\0';
	CHECK_INT(t, resolve(long_name, false, &points, &asked), -ENAMETOOLONG);
}

/*
 * Sched clock: Whether the scheduler's clock is steady: what the kernel's log says, and readings
 * that drift apart.
 */

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

TEST_MAIN(TEST(several_and_no_more_than_that), TEST(unknown_names),
	  TEST(steady_clocks_do_not_drift), TEST(others_do))
