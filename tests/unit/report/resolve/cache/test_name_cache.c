/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cache/name_cache.h"

#include "report/resolve/cache/name_frames.h"
#include "tests/unit/report/resolve/cache/scratch_cache.h"

/* --- frames --- */

static void gives_back_what_it_got(struct test *t)
{
	struct place place;

	place_start(&place);
	CHECK_INT(t, known_later(&place, 1, 1, 0, ADDRESSES), 0);
	CHECK_INT(t, access(place.path, F_OK), -1); /* a lookup creates no file */
	learn_and_close(&place, 1, 1, 0, ADDRESSES);
	CHECK_INT(t, known_later(&place, 1, 1, 0, 2 * ADDRESSES), ADDRESSES);
	CHECK_INT(t, known_later(&place, 2, 1, 0, ADDRESSES), 0);
	learn_and_close(&place, 1, 1, 1000, ADDRESSES); /* adds to it */
	CHECK_INT(t, known_later(&place, 1, 1, 0, 2000), 2 * ADDRESSES);
	learn_and_close(&place, 1, 1, UINT64_MAX - 10, 10);
	CHECK_INT(t, known_later(&place, 1, 1, UINT64_MAX - 10, 10), 10);
	CHECK_STR(t, place_stop(&place), "");
}

static void first_word_stays(struct test *t)
{
	const struct line_level one = {.function = "one", .file = "a.c", .line = 7};
	const struct line_level *levels;
	struct name_cache *cache;
	struct place place;
	size_t count;

	place_start(&place);
	cache = open_cache(&place);
	CHECK_INT(t, name_frames_add(frames_of(cache, 1, 1), 5, &one, 1), 0);
	CHECK_INT(t, name_frames_add(frames_of(cache, 1, 1), 5, NULL, 0), 0);
	REQUIRE(t, name_frames_find(frames_of(cache, 1, 1), 5, &levels, &count));
	CHECK_INT(t, count, 1);
	CHECK_STR(t, levels[0].function, "one");
	CHECK_STR(t, levels[0].file, "a.c");
	CHECK_INT(t, levels[0].line, 7);
	CHECK(t, !name_frames_find(frames_of(cache, 1, 1), 6, &levels, &count));
	name_cache_destroy(cache);
	CHECK_STR(t, place_stop(&place), "");
}

static void check_order(struct test *t, struct name_cache *cache)
{
	static const struct {
		uint64_t address;
		const char *function; /* NULL: it is not there */
	} wanted[] = {{4, NULL}, {5, "b"}, {10, "a"}, {11, "a"}, {15, "a"}, {16, NULL}, {20, "b"}, {UINT64_MAX, NULL}};
	const struct name_frames *frames = frames_of(cache, 1, 1);
	const struct line_level *levels;
	size_t place = 0, count;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		bool there = wanted[i].function;

		CHECK_INT(t, name_frames_find(frames, wanted[i].address, &levels, &count), there);
		CHECK_INT(t, name_frames_find_next(frames, &place, wanted[i].address, &levels, &count), there);
		if (there && count == 1)
			CHECK_STR(t, levels[0].function, wanted[i].function);
		CHECK_INT(t, there && count != 1, 0);
	}
}

/* In whatever order they were added, and if neighbours are equal. */
static void order_does_not_matter(struct test *t)
{
	const struct line_level a = {.function = "a", .file = "a.c", .line = 7},
				b = {.function = "b", .file = "a.c", .line = 300};
	static const uint64_t addresses[] = {10, 20, 15, 5, 20, 11, 10, 15};
	struct name_cache *cache;
	struct place place;

	place_start(&place);
	cache = open_cache(&place);
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		CHECK_INT(t, name_frames_add(frames_of(cache, 1, 1), addresses[i], i == 1 || i == 3 ? &b : &a, 1), 0);
	check_order(t, cache);
	close_cache(cache);
	cache = open_cache(&place);
	check_order(t, cache);
	name_cache_destroy(cache);
	CHECK_STR(t, place_stop(&place), "");
}

static void sources_are_kept_apart(struct test *t)
{
	struct place place;

	place_start(&place);
	learn_and_close(&place, 1, 2, 0, ADDRESSES);
	CHECK_INT(t, known_later(&place, 1, 3, 0, ADDRESSES), 0);
	CHECK_INT(t, known_later(&place, 1, 1, 0, ADDRESSES), 0);
	learn_and_close(&place, 1, 1, 0, 10); /* a poorer one removes nothing */
	CHECK_INT(t, known_later(&place, 1, 1, 0, ADDRESSES), 10);
	CHECK_INT(t, known_later(&place, 1, 2, 0, ADDRESSES), ADDRESSES);
	learn_and_close(&place, 1, 3, 0, 20); /* a better one replaces both */
	CHECK_INT(t, known_later(&place, 1, 1, 0, ADDRESSES), 0);
	CHECK_INT(t, known_later(&place, 1, 2, 0, ADDRESSES), 0);
	CHECK_INT(t, known_later(&place, 1, 3, 0, ADDRESSES), 20);
	CHECK_STR(t, place_stop(&place), "");
}

/* Options make sources of one rank: alternating between two loses nothing, and old ones are dropped. */
static void a_few_equals_stay(struct test *t)
{
	const struct build_id id = truth_id(1);
	struct place place;

	place_start(&place);
	for (int round = 0; round < 7; round++) {
		struct name_cache *cache = open_cache(&place);
		struct name_source source = truth_source(1, 1);
		struct name_frames *frames;

		name_source_add_text(&source, &"6543210"[round]);
		CHECK_INT(t, name_cache_frames(cache, &id, "m", &source, &frames), 0);
		CHECK_INT(t, name_frames_add(frames, 5, NULL, 0), 0);
		close_cache(cache);
	}
	for (int round = 0; round < 7; round++) {
		struct name_cache *cache = open_cache(&place);
		struct name_source source = truth_source(1, 1);
		const struct line_level *levels;
		struct name_frames *frames;
		size_t count;

		name_source_add_text(&source, &"6543210"[round]);
		CHECK_INT(t, name_cache_frames(cache, &id, "m", &source, &frames), 0);
		CHECK_INT(t, name_frames_find(frames, 5, &levels, &count), round >= 3);
		name_cache_destroy(cache);
	}
	CHECK_STR(t, place_stop(&place), "");
}

/* The same path and build-id, another size: what was found in the old file does not count. */
static void a_changed_file_is_another_source(struct test *t)
{
	const struct build_id id = truth_id(1);
	struct name_source source = truth_source(1, 2);
	const struct line_level *levels;
	struct name_frames *frames;
	struct name_cache *cache;
	struct place place;
	size_t count;

	place_start(&place);
	learn_and_close(&place, 1, 1, 0, ADDRESSES);
	cache = open_cache(&place);
	CHECK_INT(t, name_cache_frames(cache, &id, "m", &source, &frames), 0);
	CHECK(t, !name_frames_find(frames, 0, &levels, &count));
	name_source_add_text(&source, source.text);
	while (!source.full)
		name_source_add_text(&source, "more");
	CHECK_INT(t, name_cache_frames(cache, &id, "m", &source, &frames), 0);
	CHECK(t, !frames); /* too long to be distinguished */
	name_cache_destroy(cache);
	CHECK_STR(t, place_stop(&place), "");
}

/* Both read before either wrote. */
static void two_at_once_lose_nothing(struct test *t)
{
	struct name_cache *one, *two;
	struct place place;

	place_start(&place);
	learn_and_close(&place, 1, 1, 0, 10);
	one = open_cache(&place);
	two = open_cache(&place);
	learn(one, 1, 1, 0, 100);
	learn(two, 1, 1, 50, 100);
	close_cache(one);
	close_cache(two);
	CHECK_INT(t, known_later(&place, 1, 1, 0, ADDRESSES), 150);
	CHECK_STR(t, place_stop(&place), "");
}

/* --- symbols --- */

static void symbols_come_back(struct test *t)
{
	struct symbol_list truth = {0}, got = {0}, none = {0};
	const struct build_id id = truth_id(1), other = truth_id(2);
	const struct name_source source = truth_source(1, 1);
	struct name_cache *cache;
	struct place place;

	place_start(&place);
	CHECK_INT(t, truth_symbols(1, &truth), 0);
	cache = open_cache(&place);
	CHECK_INT(t, name_cache_find_symbols(cache, &id, &source, &got), 0);
	CHECK_INT(t, name_cache_put_symbols(cache, &id, "a", &source, &truth), 0);
	CHECK_INT(t, name_cache_put_symbols(cache, &other, "b", &source, &none), 0);
	close_cache(cache);
	cache = open_cache(&place);
	CHECK_INT(t, name_cache_find_symbols(cache, &id, &source, &got), 1);
	CHECK(t, truth_same_symbols(&truth, &got));
	CHECK_INT(t, name_cache_find_symbols(cache, &other, &source, &none), 1); /* known to have none */
	CHECK_INT(t, none.symbols.count, 0);
	name_cache_destroy(cache);
	symbol_list_deinit(&truth);
	symbol_list_deinit(&got);
	symbol_list_deinit(&none);
	CHECK_STR(t, place_stop(&place), "");
}

/* --- debuginfod --- */

static enum name_answer answer_at(const struct place *place, uint64_t now, uint64_t module, const char *servers,
				  char path[64])
{
	struct name_cache *cache = open_cache_at(place->path, now, 0);
	const struct build_id id = truth_id(module);
	const char *found;
	enum name_answer answer = name_cache_answer(cache, &id, "debuginfo", servers, &found);

	(void)snprintf(path, 64, "%s", found ? found : "-");
	name_cache_destroy(cache);
	return answer;
}

static void answers_expire(struct test *t)
{
	const struct build_id found = truth_id(1), none = truth_id(2);
	struct name_cache *cache;
	struct place place;
	const char *at;
	char path[64];

	place_start(&place);
	cache = open_cache(&place);
	CHECK_INT(t, name_cache_answer(cache, &none, "debuginfo", "http://a", &at), NAME_ANSWER_UNKNOWN);
	CHECK_INT(t, name_cache_put_answer(cache, &found, "debuginfo", "http://a", "/var/f.debug"), 0);
	CHECK_INT(t, name_cache_put_answer(cache, &none, "debuginfo", "http://a", NULL), 0);
	CHECK_INT(t, name_cache_answer(cache, &none, "debuginfo", "http://a", &at), NAME_ANSWER_NONE); /* immediately */
	CHECK_INT(t, name_cache_answer(cache, &none, "executable", "http://a", &at), NAME_ANSWER_UNKNOWN);
	close_cache(cache);
	CHECK_INT(t, answer_at(&place, NOW, 1, "http://a", path), NAME_ANSWER_FOUND);
	CHECK_STR(t, path, "/var/f.debug");
	CHECK_INT(t, answer_at(&place, NOW, 2, "http://a", path), NAME_ANSWER_NONE);
	CHECK_INT(t, answer_at(&place, NOW, 2, "http://b", path), NAME_ANSWER_UNKNOWN);
	CHECK_INT(t, answer_at(&place, NOW + 24 * HOUR, 2, "http://a", path), NAME_ANSWER_NONE);
	CHECK_INT(t, answer_at(&place, NOW + 24 * HOUR + 1, 2, "http://a", path), NAME_ANSWER_UNKNOWN);
	CHECK_INT(t, answer_at(&place, NOW - 1, 2, "http://a", path), NAME_ANSWER_UNKNOWN); /* the clock was set back */
	CHECK_INT(t, answer_at(&place, NOW + 30 * 24 * HOUR, 1, "http://a", path), NAME_ANSWER_FOUND);
	CHECK_INT(t, answer_at(&place, NOW + 30 * 24 * HOUR + 1, 1, "http://a", path), NAME_ANSWER_UNKNOWN);
	CHECK_STR(t, place_stop(&place), "");
}

/* --- size --- */

static void put_blob(struct name_cache *cache, uint64_t module, size_t bytes)
{
	const struct name_source source = truth_source(1, module);
	const struct build_id id = truth_id(module);
	struct symbol_list list = {0};
	char *name = malloc(bytes);

	memset(name, 'x', bytes);
	if (symbol_list_add(&list, module, 1, name, bytes) < 0 ||
	    name_cache_put_symbols(cache, &id, "m", &source, &list) < 0)
		abort();
	symbol_list_deinit(&list);
	free(name);
}

static bool has_blob(const struct place *place, uint64_t now, uint64_t module)
{
	const struct name_source source = truth_source(1, module);
	const struct build_id id = truth_id(module);
	struct name_cache *cache = open_cache_at(place->path, now, 1 << 20);
	struct symbol_list list = {0};
	bool has = name_cache_find_symbols(cache, &id, &source, &list) > 0;

	symbol_list_deinit(&list);
	close_cache(cache);
	return has;
}

static void the_oldest_make_room(struct test *t)
{
	struct stat status;
	struct place place;

	place_start(&place);
	for (uint64_t module = 1; module <= 20; module++) {
		struct name_cache *cache = open_cache_at(place.path, NOW + module * 2 * HOUR, 1 << 20);

		put_blob(cache, module, 100 << 10);
		close_cache(cache);
		REQUIRE(t, stat(place.path, &status) == 0);
		CHECK(t, status.st_size <= 1 << 20);
		if (module > 1)
			CHECK(t, has_blob(&place, NOW + module * 2 * HOUR + 1, 1)); /* and so is used */
	}
	CHECK(t, status.st_size > 800 << 10);
	CHECK(t, !has_blob(&place, NOW, 2) && !has_blob(&place, NOW, 12));
	CHECK(t, has_blob(&place, NOW, 20) && has_blob(&place, NOW, 15));
	CHECK_STR(t, place_stop(&place), "");
}

static void what_is_too_much_is_told(struct test *t)
{
	struct name_cache *cache;
	struct stat status;
	struct place place;
	char want[256];

	place_start(&place);
	cache = open_cache_at(place.path, NOW, 1 << 20);
	for (uint64_t module = 1; module <= 20; module++)
		put_blob(cache, module, 100 << 10);
	close_cache(cache);
	CHECK_INT(t, stat(place.path, &status), 0);
	CHECK(t, status.st_size <= 1 << 20);
	(void)snprintf(want, sizeof(want),
		       "test_name_cache: the cache '%s' is full: it does not keep the results for 11 modules\n",
		       place.path);
	CHECK_STR(t, place_stop(&place), want);
}

/* --- contents --- */

static void tells_what_it_holds(struct test *t)
{
	struct name_cache_contents contents;
	const struct build_id none = truth_id(9);
	struct name_cache *cache;
	struct place place;

	place_start(&place);
	cache = open_cache(&place);
	CHECK_INT(t, name_cache_contents(cache, &contents), 0);
	CHECK(t, !contents.exists && !contents.modules.count);
	learn(cache, 1, 1, 0, 10);
	put_blob(cache, 2, 1000);
	CHECK_INT(t, name_cache_put_answer(cache, &none, "debuginfo", "", NULL), 0);
	close_cache(cache);
	cache = open_cache(&place);
	CHECK_INT(t, name_cache_contents(cache, &contents), 0);
	REQUIRE(t, contents.exists && contents.modules.count == 2);
	CHECK_STR(t, contents.modules.items[0].name, "m"); /* equally recent: by name */
	CHECK_STR(t, contents.modules.items[1].name, "module");
	CHECK(t, contents.modules.items[0].symbol_bytes > 1000 && !contents.modules.items[0].frame_bytes);
	CHECK(t, !contents.modules.items[1].symbol_bytes && contents.modules.items[1].frame_bytes > 10);
	CHECK_INT(t, contents.modules.items[0].last_used, NOW);
	CHECK_INT(t, contents.found, 0);
	CHECK_INT(t, contents.none, 1);
	CHECK(t, contents.file_bytes >= 4096 && contents.limit == 256 << 20);
	name_cache_contents_deinit(&contents);
	name_cache_destroy(cache);
	cache = open_cache(&place);
	CHECK_INT(t, name_cache_clear(cache), 0);
	name_cache_destroy(cache);
	CHECK_INT(t, known_later(&place, 1, 1, 0, 10), 0);
	learn_and_close(&place, 1, 1, 0, 10);
	CHECK_INT(t, known_later(&place, 1, 1, 0, 10), 10);
	CHECK_STR(t, place_stop(&place), "");
}

static void no_cache_is_an_empty_one(struct test *t)
{
	const struct build_id id = truth_id(1), without = {0};
	const struct name_source source = truth_source(1, 1);
	const struct line_level *levels;
	struct name_frames *frames;
	struct name_cache *cache;
	struct place place;
	const char *path;
	size_t count;

	CHECK_INT(t, name_cache_frames(NULL, &id, "", &source, &frames), 0);
	CHECK(t, !frames && !name_frames_find(frames, 0, &levels, &count));
	CHECK_INT(t, name_frames_add(frames, 0, NULL, 0), 0);
	CHECK_INT(t, name_cache_find_symbols(NULL, &id, &source, NULL), 0);
	CHECK_INT(t, name_cache_put_symbols(NULL, &id, "", &source, NULL), 0);
	CHECK_INT(t, name_cache_answer(NULL, &id, "", "", &path), NAME_ANSWER_UNKNOWN);
	CHECK_INT(t, name_cache_put_answer(NULL, &id, "", "", NULL), 0);
	name_cache_save(NULL);
	name_cache_destroy(NULL);
	place_start(&place);
	cache = open_cache(&place);
	CHECK_INT(t, name_cache_frames(cache, &without, "", &source, &frames), 0);
	CHECK(t, !frames); /* nothing identifies the file */
	name_cache_destroy(cache);
	CHECK_STR(t, place_stop(&place), "");
}

TEST_MAIN(TEST(gives_back_what_it_got), TEST(first_word_stays), TEST(order_does_not_matter),
	  TEST(sources_are_kept_apart), TEST(a_changed_file_is_another_source),
	  TEST(a_few_equals_stay), TEST(two_at_once_lose_nothing), TEST(symbols_come_back),
	  TEST(answers_expire), TEST(the_oldest_make_room), TEST(what_is_too_much_is_told), TEST(tells_what_it_holds),
	  TEST(no_cache_is_an_empty_one))
