/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --max-memory: what is halved, and what is refused. Sums by hand, in megabytes. */
#include "record/plan/memory_plan.h"

#include <errno.h>
#include <string.h>

#include "tests/test.h"

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
	char text[MEMORY_TEXT];

	CHECK(t, !memory_plan_fit(&enough, MB(8 * 116)) && !enough.halvings);
	CHECK(t, !memory_plan_fit(&smaller, MB(8 * 90)) && smaller.halvings == 1);
	CHECK_INT(t, memory_plan_fit(&none, MB(80)), -ENOSPC);
	memory_plan_refusal(&none, text);
	CHECK_STR(t, text,
		  "more than an eighth of the 80.0 MB that are free is not taken unasked (--max-memory 27M asks): this "
		  "recording needs 26.0 MB at least, of which 20.0 MB are for 'fixed' and 4.0 MB for 'rings' (--plan "
		  "prints all of it)");
}

static void refusals(struct test *t)
{
	struct memory_plan plan = made(MB(25));
	char text[MEMORY_TEXT];

	CHECK_INT(t, memory_plan_fit(&plan, MB(100000)), -ENOSPC);
	memory_plan_refusal(&plan, text);
	CHECK_STR(t, text,
		  "--max-memory 25M is too little: this recording needs 26.0 MB at least, of which 20.0 MB are for "
		  "'fixed' and 4.0 MB for 'rings' (--plan prints all of it)");
}

TEST_MAIN(TEST(sums), TEST(gives_way), TEST(nobody_asked), TEST(refusals))
