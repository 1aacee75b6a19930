/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Made-up rings, read through the tree as the drain reads them, against all of their records sorted
 * by time and, where times are equal, by the number of the ring.
 */
#include "record/perf/merge.h"

#include <stdlib.h>

#include "tests/random.h"
#include "tests/test.h"

enum { MOST = 512, EACH = 20, APART = 4, LATE = 1000 };

struct record {
	uint64_t time;
	uint32_t ring;
};

struct rings {
	uint64_t times[MOST][EACH + 1]; /* UINT64_MAX: the ring ends here */
	struct record sorted[MOST * EACH];
	uint32_t count, records;
};

/* How many records a ring has, and when it begins. */
struct shape {
	uint32_t (*length)(struct random *random, uint32_t ring, uint32_t count);
	uint64_t (*begin)(uint32_t ring);
	uint64_t apart; /* at most; 1: all times are equal */
};

static int by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->ring < y->ring ? -1 : x->ring > y->ring;
}

static void fill(struct rings *rings, const struct shape *shape, uint32_t count)
{
	struct random random = random_make(count);

	rings->count = count;
	rings->records = 0;
	for (uint32_t ring = 0; ring < count; ring++) {
		uint32_t length = shape->length(&random, ring, count);
		uint64_t time = shape->begin(ring);

		for (uint32_t i = 0; i < length; i++) {
			time += random_below(&random, shape->apart);
			rings->times[ring][i] = time;
			rings->sorted[rings->records++] = (struct record){time, ring};
		}
		rings->times[ring][length] = UINT64_MAX;
	}
	qsort(rings->sorted, rings->records, sizeof(rings->sorted[0]), by_time);
}

static void read_all(struct test *t, const struct rings *rings)
{
	merge_key keys[2 * MOST];
	uint32_t next[MOST] = {0}, done = 0, wrong = 0;
	const struct merge_tree tree = {keys, rings->count};

	for (uint32_t ring = 0; ring < rings->count; ring++)
		merge_put(&tree, ring, rings->times[ring][0]);
	merge_build(&tree);
	while (merge_time(merge_first(&tree)) != UINT64_MAX && done <= rings->records) {
		uint32_t ring = merge_ring(merge_first(&tree));
		merge_key others;

		REQUIRE(t, ring < rings->count);
		others = merge_others(&tree, ring);
		for (; merge_time(merge_of(&tree, ring)) != UINT64_MAX && merge_of(&tree, ring) < others; done++) {
			wrong += done >= rings->records || rings->sorted[done].ring != ring ||
				 rings->sorted[done].time != merge_time(merge_of(&tree, ring));
			merge_put(&tree, ring, rings->times[ring][++next[ring]]);
		}
		merge_settle(&tree, ring);
	}
	CHECK_INT(t, wrong, 0);
	CHECK_INT(t, done, rings->records);
}

static void read_shape(struct test *t, const struct shape *shape)
{
	static const uint32_t COUNTS[] = {1, 2, 3, 5, 7, 8, 9, 64, 67, 100, 511, 512};
	struct rings *rings = malloc(sizeof(*rings));

	REQUIRE(t, rings);
	for (size_t i = 0; i < sizeof(COUNTS) / sizeof(COUNTS[0]); i++) {
		fill(rings, shape, COUNTS[i]);
		read_all(t, rings);
	}
	free(rings);
}

static uint32_t any_length(struct random *random, uint32_t ring, uint32_t count)
{
	(void)ring, (void)count;
	return (uint32_t)random_below(random, EACH + 1);
}

static uint64_t some_late(uint32_t ring)
{
	return ring % 3 ? 0 : LATE;
}

static void late_rings(struct test *t)
{
	read_shape(t, &(struct shape){any_length, some_late, APART});
}

TEST_MAIN(TEST(late_rings))
