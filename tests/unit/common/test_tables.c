/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Tables and what they are made of. The source of one itself, for siphash13(): the linker then omits the archive's copy. */
#include "common/hash_map.c"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "format/event_encoder.h"
#include "tests/random.h"
#include "tests/test.h"

/* The oracle: a list that is searched from the front. */
struct entry {
	unsigned char key[24];
	size_t length;
	uint64_t value;
};

typedef ARRAY(struct entry) entry_list;

static struct entry *list_find(const entry_list *list, const void *key, size_t length)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].length == length && !memcmp(list->items[i].key, key, length))
			return &list->items[i];
	return NULL;
}

/* Few different bytes and lengths from 0, so that keys repeat and some are prefixes of others. */
static struct entry random_entry(struct random *random)
{
	struct entry entry = {.length = random_below(random, 8), .value = random_next(random)};

	for (size_t i = 0; i < entry.length; i++)
		entry.key[i] = (unsigned char)random_below(random, 3);
	return entry;
}

static void add_both(struct test *t, struct hash_map *map, entry_list *list, const struct entry *entry)
{
	struct entry *known = list_find(list, entry->key, entry->length);
	uint64_t *value = NULL;

	CHECK_INT(t, hash_map_add(map, entry->key, entry->length, entry->value, &value), !known);
	CHECK(t, value && *value == (known ? known->value : entry->value));
	if (!known)
		CHECK_INT(t, array_push(list, *entry), 0);
	else if (value) /* writing through the pointer */
		*value = known->value = entry->value;
}

static void compare_all(struct test *t, const struct hash_map *map, const entry_list *list)
{
	size_t cursor = 0, length, seen = 0;
	const void *key;
	uint64_t value;

	CHECK_INT(t, map->entries.count, list->count);
	for (size_t i = 0; i < list->count; i++) {
		uint64_t *found = hash_map_find(map, list->items[i].key, list->items[i].length);

		CHECK(t, found && *found == list->items[i].value);
	}
	while (hash_map_next(map, &cursor, &key, &length, &value)) {
		struct entry *known = list_find(list, key, length);

		CHECK(t, known && known->value == value);
		seen++;
	}
	CHECK_INT(t, seen, list->count);
}

static void agrees_with_a_list(struct test *t)
{
	struct random random = random_make(1);
	entry_list list = {0};
	struct hash_map map;

	REQUIRE(t, !hash_map_init(&map));
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 4000; i++) {
			struct entry entry = random_entry(&random);
			struct entry *known = list_find(&list, entry.key, entry.length);
			uint64_t *found = hash_map_find(&map, entry.key, entry.length);

			CHECK(t, !found == !known && (!found || *found == known->value));
			if (random_below(&random, 2))
				add_both(t, &map, &list, &entry);
		}
		compare_all(t, &map, &list);
		hash_map_clear(&map);
		list.count = 0;
		compare_all(t, &map, &list);
	}
	array_free(&list);
	hash_map_deinit(&map);
}

static void fixed_map_runs_out_of_slots(struct test *t)
{
	struct hash_map map;
	uint64_t i = 0;
	int r = 1;

	REQUIRE(t, !hash_map_init_fixed(&map, 1000, 1 << 20));
	for (; r == 1; i++)
		r = hash_map_add(&map, &i, sizeof(i), i, NULL);
	CHECK_INT(t, r, -ENOSPC);
	CHECK(t, map.entries.count == 1000);
	CHECK(t, !hash_map_find(&map, &i, sizeof(i))); /* a search of a full table ends */
	hash_map_deinit(&map);
}

/* CPython hashes bytes with SipHash-1-3 since 3.11, with a zero key if PYTHONHASHSEED is 0. */
static void hash_is_siphash13(struct test *t)
{
	static const char *const program =
		"PYTHONHASHSEED=0 python3 -c 'import sys\n"
		"if sys.hash_info.algorithm == \"siphash13\":\n"
		"  for n in range(1, 65): print(hash(bytes(range(n))) % 2**64)' 2>/dev/null";
	static const uint64_t zero[2];
	FILE *python = popen(program, "r");
	unsigned char key[64];
	unsigned long long wanted;
	size_t length = 0;

	REQUIRE(t, python);
	while (fscanf(python, "%llu", &wanted) == 1 && length < sizeof(key)) {
		key[length] = (unsigned char)length;
		length++;
		CHECK_INT(t, siphash13(zero, key, length), wanted);
	}
	(void)pclose(python);
	if (!length)
		SKIP(t, "no python3 whose hash is siphash13");
	CHECK_INT(t, length, 64);
}

/* --- the table that numbers items which the caller keeps --- */

struct wanted {
	const uint32_t *things;
	uint32_t thing;
	size_t *asked; /* how often */
};

static bool same(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;

	++*wanted->asked;
	return wanted->things[number] == wanted->thing;
}

/* All have the same hash: slow, but right. */
static void tells_apart_what_collides(struct test *t)
{
	static const uint32_t hashes[] = {0, UINT32_MAX, 63, 0x80000000};

	for (size_t k = 0; k < sizeof(hashes) / sizeof(hashes[0]); k++) {
		uint32_t things[200];
		size_t asked = 0;
		struct wanted wanted = {.things = things, .asked = &asked};
		struct index_table table;

		REQUIRE(t, !index_table_init(&table));
		for (uint32_t i = 0; i < 400; i++) {
			uint32_t number = UINT32_MAX;
			int r;

			wanted.thing = i % 200 + 7;
			r = index_table_add(&table, hashes[k], same, &wanted, i % 200, &number);
			if (r == 1 && number < 200)
				things[number] = wanted.thing;
			test_check(t, r == (i < 200) && number == i % 200, "thing %u: %d, number %u", i, r, number);
		}
		index_table_deinit(&table);
	}
}

static void keeps_what_it_has_when_memory_ends(struct test *t)
{
	ARRAY(uint64_t) array = {0};
	volatile size_t all = SIZE_MAX; /* the compiler need not know */
	uint64_t *before;

	CHECK_INT(t, array_push(&array, 7), 0);
	before = array.items;
	CHECK_INT(t, array_reserve(&array, all), -ENOMEM);
	CHECK_INT(t, array_reserve(&array, all / 8), -ENOMEM);
	CHECK_INT(t, array_reserve(&array, all / 16 + 2), -ENOMEM);
	CHECK(t, array.items == before && array.count == 1 && array.items[0] == 7);
	CHECK_INT(t, array_reserve(&array, 1000), 0);
	CHECK(t, array.capacity >= 1000 && array.count == 1 && array.items[0] == 7);
	array_free(&array);
}

/* --- radix sort --- */

static int compare_keys(const void *one, const void *two)
{
	const struct radix_key *a = one, *b = two;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* The oracle is qsort, with the number as the second key, which is what stability means. */
static void sorts_as_qsort_does(struct test *t)
{
	enum { COUNT = 10000 };
	static const uint64_t masks[] = {0, 0xff, 0xff00ff, UINT64_MAX, 0xf000000000000000};
	struct radix_key *keys = calloc(COUNT, sizeof(*keys)), *expected = calloc(COUNT, sizeof(*expected));
	uint64_t state = 42;

	REQUIRE(t, keys && expected);
	for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++) {
		for (uint32_t i = 0; i < COUNT; i++) {
			state = state * 6364136223846793005 + 1442695040888963407;
			keys[i] = expected[i] = (struct radix_key){
				.key = (state ^ state >> 29) & masks[m], .number = i};
		}
		REQUIRE(t, radix_sort(&keys, COUNT) == 0);
		qsort(expected, COUNT, sizeof(*expected), compare_keys);
		for (uint32_t i = 0; i < COUNT; i++)
			if (keys[i].number != expected[i].number) {
				CHECK_INT(t, keys[i].number, expected[i].number);
				break;
			}
		CHECK_INT(t, keys[COUNT - 1].key, expected[COUNT - 1].key);
	}
	CHECK(t, radix_sort(&keys, 0) == 0);
	free(keys);
	free(expected);
}

/*
 * Chain key: The keys of call chains: equal for equal chains, different if a frame, the order,
 * the length, the kind or the owner differs; and which callers the encoder recognizes by that key,
 * compared with a list of what it was given.
 */

enum { FRAMES = 40 };

static void a_difference_shows(struct test *t)
{
	struct chain_factors factors;
	uint64_t frames[FRAMES] = {0x401000, 0x401000, 0};
	struct chain_key base, other;

	REQUIRE(t, chain_factors_draw(&factors) == 0);
	for (uint64_t i = 3; i < FRAMES; i++)
		frames[i] = 0xffffffff81000000 + i * 16;
	base = chain_key(&factors, frames, FRAMES, 0, 0);
	for (uint32_t i = 0; i < FRAMES; i++)
		for (unsigned int bit = 0; bit < 64; bit++) {
			frames[i] ^= UINT64_C(1) << bit;
			other = chain_key(&factors, frames, FRAMES, 0, 0);
			CHECK(t, !chain_key_equal(&base, &other));
			frames[i] ^= UINT64_C(1) << bit;
		}
	other = chain_key(&factors, frames, FRAMES - 1, 0, 0);
	CHECK(t, !chain_key_equal(&base, &other));
	other = chain_key(&factors, frames, FRAMES, 1, 0);
	CHECK(t, !chain_key_equal(&base, &other));
	other = chain_key(&factors, frames, FRAMES, 0, 1);
	CHECK(t, !chain_key_equal(&base, &other));
	frames[1] = frames[3];
	frames[3] = 0x401000;
	other = chain_key(&factors, frames, FRAMES, 0, 0);
	CHECK(t, !chain_key_equal(&base, &other));
}

static int put(struct event_encoder *encoder, const uint64_t *frames, uint32_t count, uint64_t owner, bool *ret_known)
{
	struct event_sample sample = {.time = 1, .source = 1};
	struct event_task task = {.tgid = 1, .tid = 1, .comm = "one"};
	struct event_stacks stacks = {.user = frames, .user_count = count, .user_owner = owner};
	int r = event_encode_sample(encoder, &sample, &task, &stacks);

	*ret_known = sample.callers_known;
	return r;
}

static void callers_are_known_from_the_second_time(struct test *t)
{
	struct event_encoder *encoder;
	uint64_t frames[FRAMES];
	bool known = true;

	for (uint64_t i = 0; i < FRAMES; i++)
		frames[i] = 0x401000 + i * 0x40;
	REQUIRE(t, event_encoder_create(1 << 16, 1, &encoder) == 0);
	CHECK(t, !put(encoder, frames, FRAMES, 5, &known) && !known);
	CHECK(t, !put(encoder, frames, FRAMES, 5, &known) && known);
	frames[0]++; /* another leaf */
	CHECK(t, !put(encoder, frames, FRAMES, 5, &known) && known);
	CHECK(t, !put(encoder, frames, FRAMES, 6, &known) && !known);
	CHECK(t, !put(encoder, frames, FRAMES - 1, 5, &known) && !known);
	CHECK(t, !put(encoder, frames + 1, FRAMES - 1, 5, &known) && !known);
	frames[FRAMES - 1]++; /* another root */
	CHECK(t, !put(encoder, frames, FRAMES, 5, &known) && !known);
	CHECK(t, !put(encoder, frames, 1, 5, &known) && !known); /* no callers, nothing to know */
	event_encoder_reset(encoder);
	CHECK(t, !put(encoder, frames, FRAMES, 5, &known) && !known);
	event_encoder_destroy(encoder);
}

TEST_MAIN(TEST(agrees_with_a_list), TEST(fixed_map_runs_out_of_slots), TEST(hash_is_siphash13),
	  TEST(tells_apart_what_collides), TEST(keeps_what_it_has_when_memory_ends),
	  TEST(sorts_as_qsort_does), TEST(a_difference_shows),
	  TEST(callers_are_known_from_the_second_time))
