/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A wait gets back the stack that was kept for its thread, or none. */
#include "record/stack/user_stacks.h"

#include "tests/test.h"

enum { FRAMES = 4, FEW = 2048, MANY = 100000, FIRST = 300 };

static void keep(struct user_stacks *stacks, uint32_t tid, uint32_t count)
{
	uint64_t frames[FRAMES + 1];

	for (uint32_t i = 0; i < count; i++)
		frames[i] = (uint64_t)tid << 8 | i;
	user_stacks_keep(stacks, &(struct user_stack){.out = 1000 + tid, .tid = tid, .count = count, .frames = frames});
}

/* Whether it is there; then it must be its own. */
static bool check_kept(struct test *t, struct user_stacks *stacks, uint32_t tid)
{
	struct user_stack kept;

	if (!user_stacks_take(stacks, tid, 1000 + tid, &kept))
		return false;
	CHECK(t, kept.tid == tid && kept.out == 1000 + tid && kept.count == FRAMES);
	for (uint32_t i = 0; i < kept.count; i++)
		CHECK(t, kept.frames[i] == ((uint64_t)tid << 8 | i));
	return true;
}

static void few_are_all_kept(struct test *t)
{
	struct user_stacks *stacks;
	uint32_t kept = 0;

	REQUIRE(t, !user_stacks_create(0, FRAMES, 0, &stacks));
	for (uint32_t tid = FIRST; tid < FIRST + FEW; tid++)
		keep(stacks, tid, FRAMES + tid % 2); /* one too many is dropped */
	for (uint32_t tid = FIRST; tid < FIRST + FEW; tid++)
		kept += check_kept(t, stacks, tid);
	CHECK_INT(t, kept, FEW);
	user_stacks_destroy(stacks);
}

static void of_many_some_are_kept_and_nobody_elses(struct test *t)
{
	struct user_stacks *stacks;
	uint32_t kept = 0;

	REQUIRE(t, !user_stacks_create(0, FRAMES, 0, &stacks));
	for (uint32_t tid = FIRST; tid < FIRST + MANY; tid++)
		keep(stacks, tid, FRAMES);
	for (uint32_t tid = FIRST; tid < FIRST + MANY; tid++)
		kept += check_kept(t, stacks, tid);
	CHECK(t, kept >= FEW && kept < MANY);
	user_stacks_destroy(stacks);
}

static void a_large_host_keeps_more(struct test *t)
{
	struct user_stacks *stacks;
	uint32_t kept = 0;

	REQUIRE(t, !user_stacks_create(MANY, FRAMES, 0, &stacks));
	for (uint32_t tid = FIRST; tid < FIRST + MANY; tid++)
		keep(stacks, tid, FRAMES);
	for (uint32_t tid = FIRST; tid < FIRST + MANY; tid++)
		kept += check_kept(t, stacks, tid);
	CHECK_INT(t, kept, MANY);
	user_stacks_destroy(stacks);
}

static void another_wait_of_the_thread_gets_none(struct test *t)
{
	struct user_stacks *stacks;
	struct user_stack kept;

	REQUIRE(t, !user_stacks_create(0, FRAMES, 0, &stacks));
	keep(stacks, FIRST, FRAMES);
	CHECK(t, !user_stacks_take(stacks, FIRST, 1000 + FIRST - 1, &kept));
	CHECK(t, !user_stacks_take(stacks, FIRST, 0, &kept));
	CHECK(t, !user_stacks_take(stacks, FIRST + 1, 1000 + FIRST, &kept));
	CHECK(t, check_kept(t, stacks, FIRST));
	CHECK(t, !check_kept(t, stacks, FIRST)); /* once */
	user_stacks_destroy(stacks);
}

TEST_MAIN(TEST(few_are_all_kept), TEST(of_many_some_are_kept_and_nobody_elses), TEST(a_large_host_keeps_more),
	  TEST(another_wait_of_the_thread_gets_none))
