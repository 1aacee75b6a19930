/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Whether the owner of a lock is told for all of a wait for it: what was seen of the lock in between. */
#include "report/profile/tables/profile_held.h"

#include "report/profile/seam/profile_waits.h"
#include "report/profile/tables/profile_internal.h"
#include "tests/test.h"

enum { NOBODY, SLEEPER, OWNER, OTHER, RENAMED_OWNER, TASKS, LOCK = 1, OTHER_LOCK };
enum { BY = PROFILE_HELD_BY_OWNER, AT_END = PROFILE_HELD_AT_END, CHANGED = PROFILE_HELD_CHANGED };

struct seen {
	uint32_t task, object;
	uint64_t out, in; /* 0: it goes on */
};

static bool is_held_all(struct test *t, uint8_t held, bool ended, struct seen seen)
{
	static struct profile_task tasks[TASKS] = {
		[SLEEPER] = {.tid = 1}, [OWNER] = {.tid = 2, .start = 5}, [OTHER] = {.tid = 3},
		[RENAMED_OWNER] = {.tid = 2, .start = 5}};
	struct profile_object objects[3] = {{0}};
	struct profile_wait waits[] = {
		{.task = SLEEPER, .object = LOCK, .owner = OWNER, .held = held, .out = 100, .in = 900,
		 .flags = ended ? 0 : PROFILE_WAIT_NOT_ENDED},
		{.task = seen.task, .object = seen.object, .out = seen.out, .in = seen.in ? seen.in : 900,
		 .flags = seen.in ? 0 : PROFILE_WAIT_NOT_ENDED},
	};
	struct profile profile = {0};

	profile.tasks.items = tasks;
	profile.tasks.count = TASKS;
	profile.objects.items = objects;
	profile.objects.count = 3;
	profile.waits.items = waits;
	profile.waits.count = 2;
	CHECK_INT(t, profile_judge_owners(&profile), 0);
	CHECK(t, !(waits[1].held & PROFILE_HELD_ALL));
	return waits[0].held & PROFILE_HELD_ALL;
}

static void nobody_got_it_in_between(struct test *t)
{
	static const struct seen others[] = {
		{OTHER, OTHER_LOCK, 50, 500}, {OTHER, LOCK, 50, 100}, {OTHER, LOCK, 150, 0}, {OTHER, LOCK, 950, 990}};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		CHECK(t, is_held_all(t, BY, false, others[i]));
		CHECK(t, is_held_all(t, BY, true, others[i]));
		CHECK(t, is_held_all(t, BY | AT_END, false, others[i]));
		CHECK(t, !is_held_all(t, BY | AT_END | CHANGED, false, others[i]));
		CHECK(t, !is_held_all(t, BY | PROFILE_HELD_FOR_READING, false, others[i]));
		CHECK(t, !is_held_all(t, 0, false, others[i]));
	}
}

static void somebody_else_got_it(struct test *t)
{
	const struct seen other = {OTHER, LOCK, 50, 500};

	CHECK(t, !is_held_all(t, BY, false, other));
	CHECK(t, !is_held_all(t, BY, true, other));
	CHECK(t, !is_held_all(t, BY | AT_END, false, other));
	CHECK(t, !is_held_all(t, BY | AT_END | CHANGED, false, other));
}

/* It had queued for the lock before the sleeper came, and got it in between. */
static void the_owner_waited_itself(struct test *t)
{
	CHECK(t, is_held_all(t, BY | AT_END | CHANGED, false, (struct seen){OWNER, LOCK, 50, 500}));
	CHECK(t, is_held_all(t, BY | AT_END | CHANGED, false, (struct seen){RENAMED_OWNER, LOCK, 50, 500}));
	CHECK(t, !is_held_all(t, BY | AT_END | CHANGED, false, (struct seen){OWNER, LOCK, 200, 500}));
	CHECK(t, !is_held_all(t, BY, false, (struct seen){OWNER, LOCK, 50, 500}));
}

TEST_MAIN(TEST(nobody_got_it_in_between), TEST(somebody_else_got_it), TEST(the_owner_waited_itself))
