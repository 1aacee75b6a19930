/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --max-memory: what gives way, in which order, and what is refused. Sums by hand, in megabytes. */
#include "record/plan/memory_plan.h"

#include <errno.h>
#include <string.h>

#include "tests/test.h"

#define MB(n) ((uint64_t)(n) << 20)

/* 20 fixed, 4 rings of 8, a window of 64 with 4 for its index, 64 in tables, 16 and 10 while a dump is written: 210. */
static struct memory_plan made(uint64_t budget)
{
	struct memory_plan plan = {.budget = budget, .asked = {.ring = MB(8), .window = MB(64)}};

	memory_plan_add(&plan, &(struct memory_row){"fixed", MEMORY_FIXED, 2, MB(10), 0});
	memory_plan_add(&plan, &(struct memory_row){"none", MEMORY_FIXED, 0, MB(1000), 0});
	memory_plan_add(&plan, &(struct memory_row){"rings", MEMORY_RINGS, 4, 0, 0});
	memory_plan_add(&plan, &(struct memory_row){"window", MEMORY_WINDOW, 1, 0, 0});
	memory_plan_add(&plan, &(struct memory_row){"tables", MEMORY_TABLES, 1, MB(64), 0});
	memory_plan_add(&plan, &(struct memory_row){"dump", MEMORY_CHANGED, 1, MB(10), 0});
	return plan;
}

static void sums(struct test *t)
{
	struct memory_plan plan = made(0);
	struct memory_sizes sizes;

	CHECK_INT(t, plan.count, 5);
	CHECK_INT(t, memory_plan_sum(&plan, &plan.asked), MB(210));
	CHECK_INT(t, memory_plan_fit(&plan, &sizes), 0);
	CHECK(t, sizes.ring == MB(8) && sizes.window == MB(64) && !sizes.halvings);
	plan.rows[0].count = UINT64_MAX;
	CHECK(t, memory_plan_sum(&plan, &plan.asked) == UINT64_MAX);
}

static void gives_way(struct test *t)
{
	static const struct {
		uint64_t budget;
		struct memory_sizes sizes;
		uint64_t sum;
	} cases[] = {
		{MB(210), {MB(8), MB(64), 0}, MB(210)},
		{MB(209), {MB(8), MB(64), 1}, MB(178)},
		{MB(150), {MB(8), MB(64), 4}, MB(150)},
		{MB(100), {MB(8), MB(27), 5}, MB(64) + MB(27) + MB(27) / 16 + MB(27) / 4},
		{MB(70), {MB(4), MB(16), 5}, MB(48) + MB(21)}, /* rings have 2/5 at most: 28, and 4 of 8 are 32 */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct memory_plan plan = made(cases[i].budget);
		struct memory_sizes sizes;

		CHECK_INT(t, memory_plan_fit(&plan, &sizes), 0);
		CHECK_INT(t, memory_plan_sum(&plan, &sizes), cases[i].sum);
		CHECK_INT(t, sizes.halvings, cases[i].sizes.halvings);
		CHECK_INT(t, sizes.window, cases[i].sizes.window);
		CHECK_INT(t, sizes.ring, cases[i].sizes.ring);
	}
}

/* Unasked, a recording takes an eighth of what is free: as it is if that is enough, else smaller, or not at all. */
static void nobody_asked(struct test *t)
{
	struct memory_plan plan = made(0), asked = made(MB(300));
	struct memory_sizes sizes;
	char text[MEMORY_TEXT];

	memory_plan_spare(&plan, MB(8 * 210));
	CHECK(t, !memory_plan_fit(&plan, &sizes) && memory_plan_sum(&plan, &sizes) == MB(210));
	plan.budget = 0;
	memory_plan_spare(&plan, MB(8 * 150));
	CHECK(t, !memory_plan_fit(&plan, &sizes) && memory_plan_sum(&plan, &sizes) == MB(150));
	plan.budget = 0;
	memory_plan_spare(&plan, MB(80));
	CHECK_INT(t, memory_plan_fit(&plan, &sizes), -ENOSPC);
	memory_plan_refusal(&plan, &sizes, text);
	CHECK(t, strstr(text, "eighth of the 80.0 MB") && strstr(text, "--max-memory 45M") &&
			 strstr(text, "needs 44.5 MB"));
	plan.budget = 0;
	memory_plan_spare(&plan, 0);
	CHECK(t, !memory_plan_fit(&plan, &sizes) && memory_plan_sum(&plan, &sizes) == MB(210));
	memory_plan_spare(&asked, MB(80));
	CHECK(t, asked.budget == MB(300) && !asked.free);
}

/* For each budget: a plan that fits keeps to it, and fits any larger one; if it is refused, even the least is more. */
static void every_budget(struct test *t)
{
	struct memory_sizes before = {0}, sizes;
	bool fitted = false;

	for (uint64_t budget = 1; budget <= 300; budget++) {
		struct memory_plan plan = made(MB(budget));
		int r = memory_plan_fit(&plan, &sizes);

		if (r < 0) {
			CHECK(t, r == -ENOSPC && !fitted && memory_plan_sum(&plan, &sizes) > MB(budget));
			continue;
		}
		fitted = true;
		CHECK(t, memory_plan_sum(&plan, &sizes) <= MB(budget));
		CHECK(t, sizes.window >= MEMORY_LEAST_WINDOW && sizes.ring >= MEMORY_LEAST_RING);
		before = sizes;
	}
	CHECK(t, fitted && before.ring == MB(8) && before.window == MB(64) && !before.halvings);
	/* 20 + 4 x 0.5 + 8.5 + 2 + 12 = 44.5 */
	CHECK_INT(t, memory_plan_fit(&(struct memory_plan){0}, &sizes), 0);
	struct memory_plan least = made(MB(44)), enough = made(MB(45));
	CHECK_INT(t, memory_plan_fit(&least, &sizes), -ENOSPC);
	CHECK_INT(t, memory_plan_sum(&least, &sizes), MB(44) + MB(1) / 2);
	CHECK_INT(t, memory_plan_fit(&enough, &sizes), 0);
}

static void what_was_given_stays(struct test *t)
{
	struct memory_plan plan = made(MB(100));
	struct memory_sizes sizes;

	plan.window_given = true;
	CHECK_INT(t, memory_plan_fit(&plan, &sizes), -ENOSPC);
	CHECK(t, sizes.window == MB(64));
	plan = made(MB(60));
	plan.ring_given = true;
	CHECK_INT(t, memory_plan_fit(&plan, &sizes), -ENOSPC);
	CHECK(t, sizes.ring == MB(8));
}

static void refusals(struct test *t)
{
	struct memory_plan plan = made(MB(44));
	struct memory_sizes sizes;
	char text[MEMORY_TEXT];

	(void)memory_plan_fit(&plan, &sizes);
	memory_plan_refusal(&plan, &sizes, text);
	CHECK_STR(t, text,
		  "--max-memory 44M is too little: this recording needs 44.5 MB at least, of which 20.0 MB are for "
		  "'fixed' and 12.0 MB for 'dump' (--plan prints all of it)");
}

static const char TABLE[] =
	"memory at most                                    number     each, MB      all, MB\n"
	"fixed                                                  2       10.000         20.0\n"
	"rings                                                  4        8.000         32.0\n"
	"window                                                 1       68.000         68.0\n"
	"tables                                                 1       32.000         32.0\n"
	"dump                                                   1       26.000         26.0\n"
	"all                                                                          178.0\n"
	"--max-memory                                                                 209.0\n";

static void table(struct test *t)
{
	struct memory_plan plan = made(MB(209));
	struct memory_sizes sizes;
	char text[1024] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	REQUIRE(t, out);
	(void)memory_plan_fit(&plan, &sizes);
	memory_plan_print(&plan, &sizes, out);
	(void)fclose(out);
	CHECK_STR(t, text, TABLE);
}

TEST_MAIN(TEST(sums), TEST(gives_way), TEST(nobody_asked), TEST(every_budget), TEST(what_was_given_stays),
	  TEST(refusals), TEST(table))
