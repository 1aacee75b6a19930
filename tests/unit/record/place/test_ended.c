/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Address spaces of the past: how long they are kept, and that those of others are not taken for them. */
#include "record/place/ended.h"

#include "common/address_space.h"
#include "tests/test.h"

enum { PARENT = 40, CHILD = 41, OTHER = 42, FIRST = 1000 };
#define CODE UINT64_C(0x400000)

struct bench {
	struct address_spaces *spaces;
	struct ended ended;
};

static void bench_open(struct test *t, struct bench *b)
{
	const struct mapping mapping = {.start = CODE, .end = CODE + 0x1000, .module = 1};

	*b = (struct bench){0};
	REQUIRE(t, address_spaces_create(4 * ENDED_KEPT, 4 * ENDED_KEPT, &b->spaces) >= 0);
	CHECK(t, address_spaces_map(b->spaces, PARENT, &mapping) >= 0);
}

static bool is_mapped(const struct bench *b, uint32_t tgid)
{
	struct mapping mapping;

	return address_spaces_find(b->spaces, tgid, CODE, &mapping);
}

static void fork_one(struct bench *b, uint32_t tgid)
{
	ended_renew(&b->ended, b->spaces, tgid);
	(void)address_spaces_fork(b->spaces, PARENT, tgid);
}

static void come_and_go(struct bench *b, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		fork_one(b, first + i);
		ended_add(&b->ended, b->spaces, first + i, true, first + i);
	}
}

static void those_of_one_thread_do_not_push_out_others(struct test *t)
{
	struct bench b;

	bench_open(t, &b);
	fork_one(&b, OTHER);
	ended_add(&b.ended, b.spaces, OTHER, false, 1);
	come_and_go(&b, FIRST, ENDED_KEPT);
	CHECK(t, is_mapped(&b, FIRST));
	come_and_go(&b, FIRST + ENDED_KEPT, 1);
	CHECK(t, !is_mapped(&b, FIRST) && is_mapped(&b, FIRST + 1));
	CHECK(t, is_mapped(&b, OTHER));
	address_spaces_destroy(b.spaces);
}

/* It has the generation that the old one had, which was a child of the same parent. */
static void a_child_with_an_ended_number_is_kept(struct test *t)
{
	struct bench b;

	bench_open(t, &b);
	come_and_go(&b, CHILD, 1);
	fork_one(&b, CHILD);
	fork_one(&b, OTHER);
	ended_add(&b.ended, b.spaces, OTHER, false, 1);
	fork_one(&b, OTHER);
	for (uint32_t i = 0; i < ENDED_KEPT; i++) {
		fork_one(&b, FIRST + i);
		ended_add(&b.ended, b.spaces, FIRST + i, i % 2, 1);
		ended_add(&b.ended, b.spaces, FIRST + i, !(i % 2), 1);
	}
	CHECK(t, is_mapped(&b, CHILD));
	CHECK(t, is_mapped(&b, OTHER));
	address_spaces_destroy(b.spaces);
}

TEST_MAIN(TEST(those_of_one_thread_do_not_push_out_others),
	  TEST(a_child_with_an_ended_number_is_kept))
