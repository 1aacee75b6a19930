/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Only the latest facts are kept, in little room; those that are superseded, removed or stale make room. */
#include "record/flight/fact_store.h"

#include <stdio.h>
#include <string.h>

#include "tests/test.h"

enum { ROOM = 4096, ENTRIES = 64 };

static void put(struct fact_store *store, uint64_t key, const char *text, uint64_t time)
{
	fact_store_put(store, &(struct fact){.key = &key, .key_length = sizeof(key), .bytes = text,
					     .length = (uint32_t)strlen(text), .time = time});
}

static bool has(const struct fact_store *store, uint64_t key, const char *text)
{
	struct fact fact;

	return fact_store_find(store, &key, sizeof(key), &fact) && fact.length == strlen(text) &&
	       !memcmp(fact.bytes, text, fact.length);
}

/* "a b c" of all facts, in order. */
static const char *all(const struct fact_store *store, char *text, size_t room)
{
	struct fact fact;
	size_t cursor = 0, used = 0;

	text[0] = '\0';
	while (fact_store_next(store, &cursor, &fact))
		used += (size_t)snprintf(text + used, room - used, "%s%.*s", used ? " " : "", (int)fact.length,
					 (const char *)fact.bytes);
	return text;
}

static void the_latest_counts(struct test *t)
{
	struct fact_store *store;
	char text[64];
	uint64_t two = 2;

	REQUIRE(t, fact_store_create(ROOM, ENTRIES, NULL, NULL, &store) == 0);
	put(store, 1, "one", 1);
	put(store, 2, "two", 1);
	put(store, 3, "three", 1);
	put(store, 1, "ONE", 2);   /* in its place */
	put(store, 3, "dreizehn", 2); /* at the end */
	CHECK(t, has(store, 1, "ONE") && has(store, 3, "dreizehn"));
	CHECK_STR(t, all(store, text, sizeof(text)), "ONE two dreizehn");
	fact_store_remove(store, &two, sizeof(two));
	CHECK_STR(t, all(store, text, sizeof(text)), "ONE dreizehn");
	put(store, 2, "again", 3);
	CHECK_STR(t, all(store, text, sizeof(text)), "ONE dreizehn again");
	fact_store_destroy(store);
}

/* Ten thousand changes of ten facts fit where a hundred facts do. */
static void what_is_superseded_makes_room(struct test *t)
{
	struct fact_store *store;
	char text[32];

	REQUIRE(t, fact_store_create(ROOM, ENTRIES, NULL, NULL, &store) == 0);
	for (uint64_t i = 0; i < 10000; i++) {
		(void)snprintf(text, sizeof(text), "%.*s%u", (int)(i % 7), "abcdefg", (unsigned int)i);
		put(store, i % 10, text, i);
	}
	CHECK_INT(t, fact_store_left_out(store), 0);
	CHECK(t, has(store, 9, "abc9999") && has(store, 0, "a9990"));
	fact_store_destroy(store);
}

static bool is_before(const void *context, const struct fact *fact)
{
	return fact->time < *(const uint64_t *)context;
}

static void what_is_stale_makes_room(struct test *t)
{
	struct fact_store *store;
	uint64_t now = 0;
	char text[32];

	REQUIRE(t, fact_store_create(ROOM, ENTRIES, is_before, &now, &store) == 0);
	for (uint64_t i = 0; i < 10000; i++) {
		now = i > 20 ? i - 20 : 0;
		(void)snprintf(text, sizeof(text), "fact %u", (unsigned int)i);
		put(store, i, text, i);
	}
	CHECK_INT(t, fact_store_left_out(store), 0);
	CHECK(t, has(store, 9999, "fact 9999") && has(store, 9980, "fact 9980") && !has(store, 100, "fact 100"));
	fact_store_destroy(store);
}

static void what_does_not_fit_is_counted(struct test *t)
{
	struct fact_store *store;

	REQUIRE(t, fact_store_create(ROOM, ENTRIES, NULL, NULL, &store) == 0);
	for (uint64_t i = 0; i < 200; i++)
		put(store, i, "something that stays", i);
	CHECK(t, fact_store_left_out(store) > 50 && fact_store_left_out(store) < 200);
	CHECK(t, has(store, 0, "something that stays"));
	put(store, 0, "SOMETHING THAT STAYS", 300);
	CHECK(t, has(store, 0, "SOMETHING THAT STAYS"));
	fact_store_destroy(store);
}

TEST_MAIN(TEST(the_latest_counts), TEST(what_is_superseded_makes_room), TEST(what_is_stale_makes_room),
	  TEST(what_does_not_fit_is_counted))
