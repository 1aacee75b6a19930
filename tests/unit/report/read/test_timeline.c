/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/timeline.h"

#include "tests/random.h"
#include "tests/test.h"

static void add(struct test *t, struct timeline *timeline, enum timeline_kind kind, uint64_t time, uint32_t tgid,
		uint32_t other, uint64_t start)
{
	struct timeline_entry entry = {.time = time,
				       .kind = kind,
				       .tgid = tgid,
				       .other = other,
				       .start = start,
				       .length = kind <= TIMELINE_MAP_BEFORE ? 0x1000 : 0};

	CHECK(t, timeline_add(timeline, &entry) == 0);
}

/* The module at an address of a process, at a time not before that of the last call; 0: none. */
static uint32_t module_at(struct test *t, struct timeline *timeline, uint64_t time, uint32_t tgid, uint64_t address)
{
	struct mapping mapping = {0};
	uint32_t process;

	CHECK(t, timeline_advance(timeline, time) == 0);
	CHECK(t, timeline_process(timeline, tgid, &process) == 0);
	timeline_touch(timeline, process);
	return timeline_find(timeline, process, address, &mapping) ? mapping.module : 0;
}

static void sorts_what_comes_out_of_order(struct test *t)
{
	struct timeline timeline;

	REQUIRE(t, timeline_init(&timeline) == 0);
	add(t, &timeline, TIMELINE_MAP, 30, 1, 13, 0x1000);
	add(t, &timeline, TIMELINE_MAP, 10, 1, 11, 0x1000);
	add(t, &timeline, TIMELINE_EXEC, 20, 1, 0, 0);
	REQUIRE(t, timeline_rewind(&timeline) == 0);
	CHECK_INT(t, module_at(t, &timeline, 9, 1, 0x1800), 0);
	CHECK_INT(t, module_at(t, &timeline, 10, 1, 0x1800), 11);
	CHECK_INT(t, module_at(t, &timeline, 20, 1, 0x1800), 0);
	CHECK_INT(t, module_at(t, &timeline, 31, 1, 0x1800), 13);
	timeline_deinit(&timeline);
}

static void takes_initial_mappings_back_to_the_beginning(struct test *t)
{
	struct timeline timeline;

	REQUIRE(t, timeline_init(&timeline) == 0);
	add(t, &timeline, TIMELINE_MAP_BEFORE, 100, 1, 11, 0x1000);
	add(t, &timeline, TIMELINE_EXEC, 50, 2, 0, 0); /* called exec while the walk was under way */
	add(t, &timeline, TIMELINE_MAP_BEFORE, 100, 2, 12, 0x1000);
	REQUIRE(t, timeline_rewind(&timeline) == 0);
	CHECK_INT(t, module_at(t, &timeline, 1, 1, 0x1800), 11);
	CHECK_INT(t, module_at(t, &timeline, 60, 2, 0x1800), 0);
	CHECK_INT(t, module_at(t, &timeline, 100, 2, 0x1800), 12);
	timeline_deinit(&timeline);
}

static void remembers_the_program_before_an_exec(struct test *t)
{
	struct timeline timeline;
	struct mapping mapping;
	uint32_t process;

	REQUIRE(t, timeline_init(&timeline) == 0);
	add(t, &timeline, TIMELINE_MAP, 10, 1, 11, 0x1000);
	add(t, &timeline, TIMELINE_EXEC, 20, 1, 0, 0);
	add(t, &timeline, TIMELINE_EXEC, 30, 1, 0, 0);
	REQUIRE(t, timeline_rewind(&timeline) == 0);
	REQUIRE(t, timeline_advance(&timeline, 25) == 0);
	REQUIRE(t, timeline_process(&timeline, 1, &process) == 0);
	CHECK(t, !timeline_find(&timeline, process, 0x1800, &mapping));
	REQUIRE(t, timeline_find_before_exec(&timeline, process, 0x1800, &mapping));
	CHECK_INT(t, mapping.module, 11);
	REQUIRE(t, timeline_advance(&timeline, 35) == 0);
	CHECK(t, !timeline_find_before_exec(&timeline, process, 0x1800, &mapping));
	timeline_deinit(&timeline);
}

static void lets_the_dead_speak_until_many_have_died(struct test *t)
{
	enum { OTHERS = 20000 };
	struct timeline timeline;

	REQUIRE(t, timeline_init(&timeline) == 0);
	add(t, &timeline, TIMELINE_MAP, 10, 1, 11, 0x1000);
	add(t, &timeline, TIMELINE_MAP, 10, 2, 12, 0x1000);
	add(t, &timeline, TIMELINE_EXIT, 20, 1, 0, 0);
	add(t, &timeline, TIMELINE_EXIT, 20, 2, 0, 0); /* the leader; other threads continue */
	for (uint32_t i = 0; i < OTHERS; i++) {
		add(t, &timeline, TIMELINE_FORK, 100 + i, 10 + i, 2, 0);
		add(t, &timeline, TIMELINE_EXIT, 101 + i, 10 + i, 0, 0);
	}
	REQUIRE(t, timeline_rewind(&timeline) == 0);
	CHECK_INT(t, module_at(t, &timeline, 21, 2, 0x1800), 12);
	for (uint32_t i = 0; i < OTHERS; i += 1000)
		CHECK_INT(t, module_at(t, &timeline, 100 + i, 2, 0x1800), 12);
	CHECK_INT(t, module_at(t, &timeline, 100 + OTHERS, 1, 0x1800), 0);
	CHECK_INT(t, timeline.refused, 0);
	timeline_deinit(&timeline);
}

static void ignores_impossible_mappings(struct test *t)
{
	struct timeline timeline;
	struct timeline_entry entry = {.kind = TIMELINE_MAP, .tgid = 1, .other = 11,
				       .start = UINT64_MAX - 10, .length = 100};

	REQUIRE(t, timeline_init(&timeline) == 0);
	CHECK(t, timeline_add(&timeline, &entry) == 0);
	entry.start = 0x1000;
	entry.length = 0;
	CHECK(t, timeline_add(&timeline, &entry) == 0);
	REQUIRE(t, timeline_rewind(&timeline) == 0);
	CHECK_INT(t, module_at(t, &timeline, 1, 1, UINT64_MAX - 5), 0);
	CHECK_INT(t, module_at(t, &timeline, 1, 1, 0x1000), 0);
	timeline_deinit(&timeline);
}

/* Entries of the same time stay in the order in which they were added, also after a return to the beginning. */
static void keeps_the_order_of_what_is_of_one_time(struct test *t)
{
	enum { COUNT = 5000, TIMES = 700 };
	struct random random = random_make(7);
	struct timeline timeline;

	REQUIRE(t, timeline_init(&timeline) == 0);
	for (uint32_t i = 0; i < COUNT; i++)
		add(t, &timeline, i % 5 ? TIMELINE_MAP : TIMELINE_MAP_BEFORE, 1 + random_below(&random, TIMES), 1 + i,
		    11, 0x1000);
	REQUIRE(t, timeline_rewind(&timeline) == 0);
	CHECK_INT(t, timeline.entries.count, COUNT);
	CHECK_INT(t, timeline.entries.items[COUNT / 5 - 1].time, 0);
	CHECK(t, timeline.entries.items[COUNT / 5].time > 0);
	for (size_t i = 1; i < COUNT; i++) {
		const struct timeline_entry *one = &timeline.entries.items[i - 1], *next = one + 1;

		if (one->time > next->time || (one->time == next->time && one->order >= next->order)) {
			CHECK_INT(t, i, COUNT);
			break;
		}
		CHECK_INT(t, next->tgid, 1 + next->order);
	}
	timeline_deinit(&timeline);
}

TEST_MAIN(TEST(sorts_what_comes_out_of_order), TEST(takes_initial_mappings_back_to_the_beginning),
	  TEST(remembers_the_program_before_an_exec), TEST(lets_the_dead_speak_until_many_have_died),
	  TEST(ignores_impossible_mappings), TEST(keeps_the_order_of_what_is_of_one_time))
