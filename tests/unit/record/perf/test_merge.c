/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The ring that the tree picks next, compared with a look at all rings, for every number of rings
 * that may trouble a tree.
 */
#include "record/perf/merge.h"

#include "tests/random.h"
#include "tests/test.h"

enum { MOST = 67, STEPS = 400, APART = 20 };

static void next_time(struct random *random, uint64_t *time)
{
	*time = random_below(random, APART) ? *time + 1 + random_below(random, APART) : UINT64_MAX;
}

/* The truth: a look at each. */
static uint32_t look_at_all(const uint64_t *times, uint32_t count, uint64_t *ret_until)
{
	uint64_t until = UINT64_MAX;
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++) {
		if (times[i] < times[best]) {
			until = times[best];
			best = i;
		} else if (times[i] < until) {
			until = times[i];
		}
	}
	*ret_until = until;
	return best;
}

static void read_all(struct test *t, uint32_t count)
{
	uint64_t times[MOST], until, expected;
	uint32_t earlier[MOST] = {0};
	const struct merge_tree tree = {times, earlier, count};
	struct random random = random_make(count);

	for (uint32_t i = 0; i < count; i++)
		times[i] = random_below(&random, APART);
	merge_build(&tree);
	for (int step = 0; step < STEPS; step++) {
		uint32_t first = merge_first(&tree, &until), least = look_at_all(times, count, &expected);

		CHECK(t, first < count && times[first] == times[least]);
		CHECK(t, until == expected);
		if (first >= count || times[first] == UINT64_MAX)
			return;
		next_time(&random, &times[first]);
		merge_settle(&tree, first);
	}
}

static void as_a_look_at_all(struct test *t)
{
	for (uint32_t count = 1; count <= MOST; count++)
		read_all(t, count);
}

TEST_MAIN(TEST(as_a_look_at_all))
