/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/address_space.h"

#include <stdlib.h>

#include "common/array.h"
#include "tests/random.h"
#include "tests/test.h"

/* The oracle: what each single address of a small process belongs to. */
enum { ADDRESSES = 96, PROCESSES = 24 };

struct cell {
	uint64_t file_offset;
	uint32_t module; /* 0: nothing */
};

struct model {
	bool alive;
	struct cell cells[ADDRESSES];
};

struct seen { /* which content a generation named */
	uint64_t generation;
	struct cell cells[ADDRESSES];
};

struct world {
	struct address_spaces *spaces;
	struct model models[PROCESSES];
	struct random random;
};

static bool same_cells(const struct cell *a, const struct cell *b)
{
	for (int i = 0; i < ADDRESSES; i++)
		if (a[i].module != b[i].module || (a[i].module && a[i].file_offset != b[i].file_offset))
			return false;
	return true;
}

static void model_map(struct model *model, const struct mapping *mapping)
{
	model->alive = true;
	for (uint64_t a = mapping->start; a < mapping->end; a++)
		model->cells[a] = (struct cell){mapping->file_offset + a - mapping->start, mapping->module};
}

static void model_clear(struct model *model, bool alive)
{
	*model = (struct model){.alive = alive};
}

/* A mapping covers only what is its own. */
static bool owns_its_extent(const struct model *model, const struct mapping *mapping)
{
	for (uint64_t a = mapping->start; a < mapping->end; a++)
		if (a >= ADDRESSES || model->cells[a].module != mapping->module ||
		    model->cells[a].file_offset != mapping->file_offset + a - mapping->start)
			return false;
	return true;
}

static void check_process(struct test *t, const struct world *world, uint32_t tgid)
{
	const struct model *model = &world->models[tgid];

	for (uint64_t a = 0; a < ADDRESSES; a++) {
		struct mapping found = {0};
		bool is_there = address_spaces_find(world->spaces, tgid, a, &found);

		CHECK_INT(t, is_there, model->cells[a].module != 0);
		if (is_there)
			CHECK(t, found.start <= a && a < found.end && owns_its_extent(model, &found));
	}
	CHECK_INT(t, address_spaces_generation(world->spaces, tgid) != 0, model->alive);
}

/* One random change to both; returns what address_spaces said. On failure the model stays as it is. */
static int random_change(struct world *world)
{
	struct random *random = &world->random;
	uint32_t tgid = (uint32_t)random_below(random, PROCESSES), other = (uint32_t)random_below(random, PROCESSES);
	uint64_t start = random_below(random, ADDRESSES), kind = random_below(random, 32);
	uint64_t most = random_below(random, 4) ? 8 : ADDRESSES, room = ADDRESSES - start;
	struct mapping mapping = {.start = start,
				  .end = start + 1 + random_below(random, room < most ? room : most),
				  .file_offset = random_below(random, 1000),
				  .module = 1 + (uint32_t)random_below(random, 5)};
	int r = 0;

	if (kind == 0) {
		address_spaces_exit(world->spaces, tgid);
		model_clear(&world->models[tgid], false);
	} else if (kind == 1) {
		r = address_spaces_exec(world->spaces, tgid);
		if (!r)
			model_clear(&world->models[tgid], true);
	} else if (kind < 6) {
		r = address_spaces_fork(world->spaces, tgid, other);
		if (!r && tgid != other) {
			world->models[other] = world->models[tgid];
			world->models[other].alive = true;
		}
	} else {
		r = address_spaces_map(world->spaces, tgid, &mapping);
		if (!r)
			model_map(&world->models[tgid], &mapping);
	}
	return r;
}

static void end_all(struct test *t, struct world *world)
{
	struct address_spaces_usage usage;

	for (uint32_t tgid = 0; tgid < PROCESSES; tgid++)
		address_spaces_exit(world->spaces, tgid);
	address_spaces_usage(world->spaces, &usage);
	CHECK_INT(t, usage.processes, 0);
	CHECK_INT(t, usage.nodes, 0); /* nothing leaks */
	address_spaces_destroy(world->spaces);
}

static void agrees_with_single_addresses(struct test *t)
{
	struct world world = {.random = random_make(2)};

	REQUIRE(t, !address_spaces_create(PROCESSES, PROCESSES * ADDRESSES, &world.spaces));
	for (unsigned int i = 0, rounds = test_rounds(20000); i < rounds; i++) {
		CHECK_INT(t, random_change(&world), 0);
		check_process(t, &world, (uint32_t)random_below(&world.random, PROCESSES));
		for (uint32_t tgid = 0; i % 100 == 0 && tgid < PROCESSES; tgid++)
			check_process(t, &world, tgid);
	}
	end_all(t, &world);
}

/* A pool that is too small: a refused change has no effect, and later ones work. */
static void refuses_when_the_pool_is_empty(struct test *t)
{
	struct world world = {.random = random_make(3)};
	unsigned int refused = 0, done = 0;

	REQUIRE(t, !address_spaces_create(PROCESSES - 4, 1, &world.spaces));
	for (unsigned int i = 0, rounds = test_rounds(60000); i < rounds; i++) {
		int r = random_change(&world);

		CHECK(t, r == 0 || r == -ENOSPC);
		refused += r != 0;
		done += r == 0;
		for (uint32_t tgid = 0; (r || i % 100 == 0) && tgid < PROCESSES; tgid += 1 + i % 5)
			check_process(t, &world, tgid);
	}
	CHECK(t, refused > 100 && done > 100);
	end_all(t, &world);
}

/* A generation identifies one content forever, and different contents have different generations. */
static void generations_name_contents(struct test *t)
{
	struct world world = {.random = random_make(4)};
	ARRAY(struct seen) seen = {0};

	REQUIRE(t, !address_spaces_create(PROCESSES, PROCESSES * ADDRESSES, &world.spaces));
	for (int i = 0; i < 1500; i++) {
		CHECK_INT(t, random_change(&world), 0);
		for (uint32_t tgid = 0; tgid < PROCESSES; tgid++) {
			uint64_t generation = address_spaces_generation(world.spaces, tgid);
			struct seen now = {.generation = generation};
			size_t at = 0;

			memcpy(now.cells, world.models[tgid].cells, sizeof(now.cells));
			while (at < seen.count && seen.items[at].generation != generation)
				at++;
			if (at < seen.count)
				CHECK(t, same_cells(seen.items[at].cells, now.cells));
			else if (generation)
				CHECK_INT(t, array_push(&seen, now), 0);
		}
	}
	CHECK(t, seen.count > 500);
	array_free(&seen);
	end_all(t, &world);
}

static uint64_t log2_of(uint64_t value)
{
	return 63 - (uint64_t)__builtin_clzll(value);
}

/* Steps of `count` mappings of one process, in the order that the function gives. */
static uint64_t steps_of(struct test *t, uint32_t count, uint64_t (*place)(struct random *, uint64_t))
{
	struct random random = random_make(5);
	struct address_spaces *spaces;
	struct address_spaces_usage usage = {0};

	if (!CHECK(t, !address_spaces_create(1, count, &spaces)))
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t start = place(&random, i) * 0x1000;
		struct mapping mapping = {.start = start, .end = start + 0x1000, .module = 1};

		CHECK_INT(t, address_spaces_map(spaces, 1, &mapping), 0);
	}
	address_spaces_usage(spaces, &usage);
	address_spaces_destroy(spaces);
	return usage.steps;
}

static uint64_t place_ascending(struct random *random, uint64_t i)
{
	(void)random;
	return i;
}

static uint64_t place_descending(struct random *random, uint64_t i)
{
	(void)random;
	return (1 << 20) - i;
}

static uint64_t place_random(struct random *random, uint64_t i)
{
	(void)i;
	return random_below(random, 1 << 24);
}

/* Work is counted in nodes, not in time: O(n log n), with room for an unlucky seed. */
static void scales_with_the_logarithm(struct test *t)
{
	uint64_t (*const places[])(struct random *, uint64_t) = {place_ascending, place_descending, place_random};

	for (size_t i = 0; i < 3; i++)
		for (uint32_t count = 1000; count <= 100000; count *= 10)
			CHECK(t, steps_of(t, count, places[i]) < 12 * count * log2_of(count));
}

static int note_mapping(void *context, uint32_t tgid, const struct mapping *mapping)
{
	*(uint64_t *)context += tgid * mapping->start;
	return 0;
}

/* What is kept stays as it was, whatever its process does, and costs nothing once it is dropped. */
static void what_is_kept_does_not_change(struct test *t)
{
	struct mapping mapping = {.module = 1};
	struct address_spaces *spaces;
	struct address_spaces_usage usage;
	struct kept_process kept[2];
	uint64_t sum = 0, expected = 0;

	REQUIRE(t, !address_spaces_create(8, 400, &spaces));
	for (uint64_t i = 1; i <= 100; i++) {
		mapping.start = i * 16;
		mapping.end = mapping.start + 16;
		expected += (i % 2 + 1) * mapping.start;
		CHECK_INT(t, address_spaces_map(spaces, i % 2 + 1, &mapping), 0);
	}
	CHECK_INT(t, address_spaces_keep(spaces, kept, 1), -ENOSPC);
	CHECK_INT(t, address_spaces_keep(spaces, kept, 2), 2);
	mapping = (struct mapping){.start = 0, .end = 1000, .module = 2};
	CHECK_INT(t, address_spaces_map(spaces, 1, &mapping), 0);
	address_spaces_exit(spaces, 2);
	CHECK_INT(t, address_spaces_each_kept(spaces, kept, 2, note_mapping, &sum), 0);
	CHECK_INT(t, sum, expected);
	address_spaces_drop(spaces, kept, 2);
	address_spaces_exit(spaces, 1);
	address_spaces_usage(spaces, &usage);
	CHECK_INT(t, usage.nodes, 0);
	address_spaces_destroy(spaces);
}

TEST_MAIN(TEST(agrees_with_single_addresses), TEST(refuses_when_the_pool_is_empty),
	  TEST(generations_name_contents), TEST(scales_with_the_logarithm),
	  TEST(what_is_kept_does_not_change))
