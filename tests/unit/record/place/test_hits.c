/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Addresses of user stacks: which offsets of which modules they hit, each once, and those for which
 * there is no room.
 */
#include "record/place/hits.h"

#include "common/address_space.h"
#include "tests/test.h"

enum { ANONYMOUS = 3, PROGRAM = 5, LIBRARY = 6, TGID = 100, OTHER = 101 };
#define CODE UINT64_C(0x400000)
#define JIT UINT64_C(0x7f0000000000)

static void map_there(struct hits *hits, uint32_t tgid, uint64_t start, uint64_t file_offset, uint32_t module)
{
	(void)address_spaces_map(hits_spaces(hits), tgid,
				 &(struct mapping){.start = start, .end = start + 0x10000,
						   .file_offset = file_offset, .module = module});
}

static struct hits *hits_open(bool wanted)
{
	struct hits *hits;

	if (hits_create(ANONYMOUS, wanted, 0, &hits) < 0)
		return NULL;
	map_there(hits, TGID, CODE, 0x2000, PROGRAM);
	map_there(hits, TGID, JIT, 0, ANONYMOUS);
	return hits;
}

static void mark(struct hits *hits, uint32_t tgid, const uint64_t *addresses, size_t count)
{
	hits_mark(hits, tgid, hits_generation(hits, tgid), addresses, count);
}

/* A leaf hits its own address, a caller the one before its return address; unmapped addresses are no hits. */
static void offsets_are_those_of_the_file(struct test *t)
{
	const uint64_t stack[] = {CODE + 0x10, CODE + 0x20, CODE, JIT + 8, CODE + 0x10000, 0};
	struct hits *hits = hits_open(true);
	struct hit *sorted;

	REQUIRE(t, hits);
	mark(hits, TGID, stack, sizeof(stack) / sizeof(stack[0]));
	mark(hits, OTHER, stack, 1); /* nothing is known about it */
	REQUIRE(t, hits_sorted(hits, &sorted) == 4);
	CHECK(t, sorted[0].module == PROGRAM && sorted[0].offset == 0x2010 && !sorted[0].jit_tgid);
	CHECK(t, sorted[1].module == PROGRAM && sorted[1].offset == 0x201f);
	/* The last byte returns to an unmapped address. */
	CHECK(t, sorted[2].module == PROGRAM && sorted[2].offset == 0x11fff);
	CHECK(t, sorted[3].jit_tgid == TGID && sorted[3].offset == JIT + 7 && !sorted[3].module);
	hits_destroy(hits);
}

/* A stack keeps what comes before the first caller outside all code; in a process without mappings, its leaf. */
static void a_stack_ends_where_it_leaves_the_code(struct test *t)
{
	const uint64_t stack[] = {0x10, CODE + 0x20, JIT + 8, CODE + 0x10000, CODE, CODE + 0x10};
	struct hits *hits = hits_open(false);
	uint64_t generation;

	REQUIRE(t, hits);
	generation = hits_generation(hits, TGID);
	CHECK(t, hits_code(hits, TGID, generation, stack, 0) == 0);
	/* The fourth returns to the first byte behind the code. */
	CHECK(t, hits_code(hits, TGID, generation, stack, 4) == 4);
	CHECK(t, hits_code(hits, TGID, generation, stack, 6) == 4); /* the byte before CODE is not code */
	CHECK(t, hits_code(hits, TGID, generation, stack, 6) == 4); /* from the cache */
	CHECK(t, hits_code(hits, OTHER, hits_generation(hits, OTHER), stack, 3) == 1);
	CHECK(t, hits_code(hits, OTHER, hits_generation(hits, OTHER), stack, 1) == 1);
	hits_destroy(hits);
}

/* What is remembered about an address is valid as long as its process has the same mappings. */
static void the_same_address_is_another_file_after_an_exec(struct test *t)
{
	const uint64_t address = CODE + 0x10;
	struct hits *hits = hits_open(true);
	struct hit *sorted;

	REQUIRE(t, hits);
	mark(hits, TGID, &address, 1);
	hits_mark_word(hits, TGID, hits_generation(hits, TGID), address + 1);
	(void)address_spaces_exec(hits_spaces(hits), TGID);
	mark(hits, TGID, &address, 1); /* still empty */
	map_there(hits, TGID, CODE, 0x100, LIBRARY);
	mark(hits, TGID, &address, 1);
	REQUIRE(t, hits_sorted(hits, &sorted) == 2);
	CHECK(t, sorted[0].module == PROGRAM && sorted[0].offset == 0x2010);
	CHECK(t, sorted[1].module == LIBRARY && sorted[1].offset == 0x110);
	(void)address_spaces_exec(hits_spaces(hits), TGID);
	map_there(hits, TGID, CODE, 0x200, LIBRARY);
	hits_mark_word(hits, TGID, hits_generation(hits, TGID), address + 1);
	REQUIRE(t, hits_sorted(hits, &sorted) == 3);
	CHECK_INT(t, sorted[2].offset, 0x210);
	hits_destroy(hits);
}

/* Remembered addresses are found by a part of that number: another state with the same part is not confused with it. */
static void states_are_told_apart_by_all_of_their_number(struct test *t)
{
	enum { PART = 1 << 16 };
	const uint64_t address = CODE + 0x10;
	struct hits *hits = hits_open(true);
	uint64_t first, offset = 0x100;
	struct hit *sorted;

	REQUIRE(t, hits);
	first = hits_generation(hits, TGID);
	mark(hits, TGID, &address, 1);
	hits_mark_word(hits, TGID, first, CODE + 0x21);
	do
		map_there(hits, TGID, CODE, offset ^= 0x1000, LIBRARY);
	while ((hits_generation(hits, TGID) - first) % PART);
	mark(hits, TGID, &address, 1);
	hits_mark_word(hits, TGID, hits_generation(hits, TGID), CODE + 0x21);
	REQUIRE(t, hits_sorted(hits, &sorted) == 4);
	CHECK(t, sorted[2].module == LIBRARY && sorted[2].offset == offset + 0x10);
	CHECK(t, sorted[3].module == LIBRARY && sorted[3].offset == offset + 0x20);
	hits_destroy(hits);
}

/* More than any table can hold: the rest are counted, and existing ones can be found after all growth. */
static void what_does_not_fit_is_counted(struct test *t)
{
	enum { MOST = 393216, MORE = 1000, CHUNK = 4096 };
	struct hits *hits = hits_open(true);
	uint64_t addresses[CHUNK], wrong = 0;
	struct hit *sorted;

	REQUIRE(t, hits);
	(void)address_spaces_map(hits_spaces(hits), TGID,
				 &(struct mapping){.start = CODE, .end = CODE + (1 << 22), .module = PROGRAM});
	for (uint64_t next = 0; next < MOST + MORE; next += CHUNK) {
		size_t count = next + CHUNK < MOST + MORE ? CHUNK : MOST + MORE - next;

		for (size_t i = 0; i < count; i++)
			addresses[i] = CODE + next + i + (i > 0);
		mark(hits, TGID, addresses, count);
	}
	CHECK_INT(t, hits_dropped(hits), MORE);
	REQUIRE(t, hits_sorted(hits, &sorted) == MOST);
	for (uint64_t i = 0; i < MOST; i++)
		wrong += sorted[i].offset != i || sorted[i].module != PROGRAM;
	CHECK_INT(t, wrong, 0);
	mark(hits, TGID, (const uint64_t[]){CODE + 77}, 1); /* there already */
	CHECK_INT(t, hits_dropped(hits), MORE);
	hits_destroy(hits);
}

TEST_MAIN(TEST(offsets_are_those_of_the_file), TEST(a_stack_ends_where_it_leaves_the_code),
	  TEST(the_same_address_is_another_file_after_an_exec),
	  TEST(states_are_told_apart_by_all_of_their_number), TEST(what_does_not_fit_is_counted))
