/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The source itself, for siphash13(): the linker then omits the archive's copy. */
#include "common/hash_map.c"

#include <stdio.h>

#include "common/array.h"
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

	CHECK_INT(t, map->count, list->count);
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
	CHECK(t, map.count >= 1000 && map.count < map.capacity);
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

TEST_MAIN(TEST(agrees_with_a_list), TEST(fixed_map_runs_out_of_slots), TEST(hash_is_siphash13))
