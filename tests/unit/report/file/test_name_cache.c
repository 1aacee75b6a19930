/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The cache of names: what was put comes back, from the same key only; what else may lie in its
 * place is left alone, damage is mended, and one line says so; it is bounded; others write too.
 */
#include "report/file/name_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/file/database.h"
#include "tests/random.h"
#include "tests/test.h"

enum { SMALL = 3000 };

struct place { /* a folder for the cache's file, and the messages on stderr */
	char folder[64], path[96], said[4096];
	FILE *file;
	int saved;
};

static void place_start(struct place *place)
{
	(void)snprintf(place->folder, sizeof(place->folder), "/tmp/name-cache-XXXXXX");
	if (!mkdtemp(place->folder))
		abort();
	(void)snprintf(place->path, sizeof(place->path), "%s/names.sqlite", place->folder);
	place->file = tmpfile();
	place->saved = dup(STDERR_FILENO);
	(void)dup2(fileno(place->file), STDERR_FILENO);
}

static const char *place_stop(struct place *place)
{
	char command[128];
	ssize_t length;

	(void)dup2(place->saved, STDERR_FILENO);
	(void)close(place->saved);
	length = pread(fileno(place->file), place->said, sizeof(place->said) - 1, 0);
	place->said[length > 0 ? length : 0] = '\0';
	(void)fclose(place->file);
	(void)snprintf(command, sizeof(command), "rm -r '%s'", place->folder);
	if (system(command) != 0)
		abort();
	return place->said;
}

struct report { /* one report's cache */
	struct name_store store;
	struct name_cache cache;
};

static void report_start(struct report *report, const struct place *place)
{
	name_store_init(&report->store, place->path);
	report->cache = (struct name_cache){.store = name_store_service(&report->store)};
}

static struct name_key key_of(uint64_t number)
{
	const struct build_id id = {.length = 20, .bytes = {(uint8_t)number, (uint8_t)(number >> 8)}};
	const struct stat status = {.st_size = 100, .st_ctim = {.tv_sec = 1700000000}};
	struct name_key key;

	name_key_start(&key, &id, "test 1");
	name_key_add_file(&key, "/usr/lib/a b.debug", &status);
	return key;
}

static const uint8_t *value_of(uint64_t number, size_t size)
{
	static uint8_t bytes[200 << 10];
	struct random random = random_make(number);

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)random_next(&random);
	return bytes;
}

static void put(struct report *report, uint64_t number, size_t size)
{
	const struct name_key key = key_of(number);

	name_cache_put(&report->cache, &key, value_of(number, size), size);
}

/* 1: there, and right; 0: not there; -1: wrong. */
static int get(struct report *report, uint64_t number, size_t size)
{
	const struct name_key key = key_of(number);
	struct name_value value;
	int right;

	if (!name_cache_get(&report->cache, &key, &value))
		return 0;
	right = value.size == size && !memcmp(value.bytes, value_of(number, size), size) ? 1 : -1;
	name_value_deinit(&value);
	return right;
}

static void put_later(const struct place *place, uint64_t number, size_t size)
{
	struct report report;

	report_start(&report, place);
	put(&report, number, size);
	name_store_deinit(&report.store);
}

static int get_later(const struct place *place, uint64_t number, size_t size)
{
	struct report report;
	int r;

	report_start(&report, place);
	r = get(&report, number, size);
	name_store_deinit(&report.store);
	return r;
}

/* The same path, build-id and size, but written again: what was found in the old file does not count. */
static void keys_are_kept_apart(struct test *t)
{
	const struct build_id id = {.length = 20}, none = {0};
	struct stat status = {.st_size = 100, .st_ctim = {.tv_sec = 1700000000, .tv_nsec = 5}};
	struct name_value value;
	struct report report;
	struct name_key key;
	struct place place;

	place_start(&place);
	report_start(&report, &place);
	name_key_start(&key, &id, "test 1");
	name_key_add_file(&key, "/a", &status);
	name_cache_put(&report.cache, &key, "x", 1);
	status.st_ctim.tv_nsec++;
	name_key_start(&key, &id, "test 1");
	name_key_add_file(&key, "/a", &status);
	CHECK(t, !name_cache_get(&report.cache, &key, &value));
	name_key_start(&key, &none, "test 1"); /* nothing identifies the module */
	name_cache_put(&report.cache, &key, "x", 1);
	CHECK(t, !name_cache_get(&report.cache, &key, &value));
	name_key_start(&key, &id, "test 1");
	while (!key.full) /* too long to be distinguished */
		name_key_add_text(&key, "more and more");
	name_cache_put(&report.cache, &key, "x", 1);
	CHECK(t, !name_cache_get(&report.cache, &key, &value));
	CHECK(t, !name_cache_get(NULL, &key, &value));
	name_cache_put(NULL, &key, "x", 1);
	name_store_deinit(&report.store);
	CHECK_STR(t, place_stop(&place), "");
}

static void change(const struct place *place, const char *statements)
{
	struct database *database;

	if (database_open(place->path, &database) < 0 || database_run(database, statements) < 0)
		abort();
	database_destroy(database);
}

static void the_oldest_make_room(struct test *t)
{
	enum { LIMIT = 1 << 20, LARGE = 100 << 10 };
	struct report report;
	struct stat status;
	struct place place;

	place_start(&place);
	for (uint64_t number = 1; number <= 30; number++) {
		report_start(&report, &place);
		report.store.limit = LIMIT;
		put(&report, number, LARGE);
		name_store_deinit(&report.store);
		change(&place, "UPDATE name SET used = 5");
		CHECK_INT(t, get_later(&place, 1, LARGE), 1); /* and so is used now */
		REQUIRE(t, stat(place.path, &status) == 0);
		CHECK(t, status.st_size <= LIMIT + LARGE);
	}
	CHECK(t, status.st_size > LIMIT / 2);
	CHECK_INT(t, get_later(&place, 30, LARGE), 1);
	CHECK_INT(t, get_later(&place, 28, LARGE), 1);
	CHECK_INT(t, get_later(&place, 2, LARGE), 0);
	CHECK_STR(t, place_stop(&place), "");
}

/* --- what lies in its place --- */

static void write_file(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || close(fd) < 0)
		abort();
}

static size_t read_file(const char *path, uint8_t *bytes, size_t room)
{
	int fd = open(path, O_RDONLY);
	ssize_t size = fd < 0 ? -1 : read(fd, bytes, room);

	if (size < 0 || close(fd) < 0)
		abort();
	return (size_t)size;
}

/* One line, however much is asked. */
static void use_unusable(struct test *t, struct place *place, const char *why)
{
	struct report report;
	char want[512];

	report_start(&report, place);
	put(&report, 1, SMALL);
	CHECK_INT(t, get(&report, 1, SMALL), 0);
	put(&report, 2, SMALL);
	name_store_deinit(&report.store);
	(void)snprintf(want, sizeof(want),
		       "test_name_cache: warning: cannot use the cache '%s': %s; --no-cache does without it\n",
		       place->path, why);
	CHECK_STR(t, place_stop(place), want);
}

static const char not_ours[] = "it is not a cache of rwalker-report";

static void other_files_are_left_alone(struct test *t)
{
	static const char *const statements[] = {
		"CREATE TABLE a(b); INSERT INTO a VALUES(5)",
		"PRAGMA application_id = 42; CREATE TABLE a(b); INSERT INTO a VALUES(5)",
		"PRAGMA page_size = 8192; CREATE VIEW a AS SELECT 5",
		NULL, /* no database */
	};
	static uint8_t before[1 << 16], after[1 << 16];

	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		struct place place;
		size_t size;

		place_start(&place);
		write_file(place.path, value_of(1, 8192), statements[i] ? 0 : 8192);
		if (statements[i])
			change(&place, statements[i]);
		size = read_file(place.path, before, sizeof(before));
		CHECK_INT(t, get_later(&place, 1, SMALL), 0);
		CHECK_INT(t, read_file(place.path, after, sizeof(after)), size);
		CHECK_MEM(t, after, before, size);
		(void)place_stop(&place);
		CHECK(t, strstr(place.said, not_ours) != NULL);
		place_start(&place);
		write_file(place.path, before, size);
		use_unusable(t, &place, not_ours);
	}
}

static void files_of_others_are_refused(struct test *t)
{
	struct name_store store;
	struct place place;

	if (geteuid())
		SKIP(t, "needs root");
	place_start(&place);
	CHECK_INT(t, chown(place.folder, 1, 1), 0);
	REQUIRE(t, !setenv("HOME", place.folder, 1) && !unsetenv("XDG_CACHE_HOME"));
	name_store_init(&store, NULL);
	CHECK_STR(t, store.path, "");
	use_unusable(t, &place, "root creates no files in another user's directory");
	place_start(&place);
	put_later(&place, 1, SMALL);
	CHECK_INT(t, chown(place.path, 1, 1), 0);
	use_unusable(t, &place, "it belongs to another user");
}

/* --- damage --- */

/* One line says that the cache starts over; the next report uses it again. */
static void a_damaged_one_starts_over(struct test *t)
{
	static const char *const statements[] = {
		"CREATE TRIGGER x AFTER INSERT ON name BEGIN DELETE FROM name; END", "CREATE TABLE other(x)",
		"ALTER TABLE name ADD COLUMN more",
	};

	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		struct place place;

		place_start(&place);
		put_later(&place, 1, SMALL);
		change(&place, statements[i]);
		CHECK_INT(t, get_later(&place, 1, SMALL), 0);
		put_later(&place, 1, SMALL);
		CHECK_INT(t, get_later(&place, 1, SMALL), 1);
		(void)place_stop(&place);
		CHECK(t, strstr(place.said, "' was damaged or of another version, and is empty now\n") != NULL);
		CHECK(t, strchr(place.said, '\n') == place.said + strlen(place.said) - 1); /* one line */
	}
}

/* Bytes all over the file, at all places of a page; each file is read, written, and read again. */
static void damage_is_never_believed(struct test *t)
{
	enum { NUMBERS = 12 };
	static uint8_t bytes[1 << 20];
	size_t size, step, lost = 0;
	struct place place;

	place_start(&place);
	for (uint64_t number = 0; number < NUMBERS; number++)
		put_later(&place, number, SMALL);
	size = read_file(place.path, bytes, sizeof(bytes));
	step = size / test_rounds((unsigned int)size / 300) | 1; /* odd: it hits all of a page */
	for (size_t i = 101; i < size; i += step) {
		bytes[i] ^= 0x55;
		write_file(place.path, bytes, size);
		bytes[i] ^= 0x55;
		for (uint64_t number = 0; number < NUMBERS; number += 5)
			CHECK(t, get_later(&place, number, SMALL) >= 0);
		put_later(&place, 5, SMALL);
		lost += get_later(&place, 5, SMALL) != 1;
	}
	CHECK(t, lost < size / step / 4);
	(void)place_stop(&place);
}

/* --- others --- */

static void a_lock_is_not_waited_for_long(struct test *t)
{
	struct database *other;
	struct place place;

	place_start(&place);
	put_later(&place, 1, SMALL);
	REQUIRE(t, !database_open(place.path, &other) && !database_run(other, "BEGIN EXCLUSIVE"));
	use_unusable(t, &place, "another process keeps it locked");
	database_destroy(other);
}

static void wild_requests_end_the_service(struct test *t)
{
	static const struct {
		const char *bytes;
		size_t size;
	} requests[] = {{"", 0}, {"\1", 1}, {"\1key", 4}, {"\1key\0more", 9}, {"\0key", 5}, {"\3key", 5}, {"\2", 1}};
	static char large[NAME_KEY_ROOM + 2] = {NAME_STORE_GET};
	struct service_answer answer;
	struct report report;
	struct place place;

	place_start(&place);
	report_start(&report, &place);
	memset(large + 1, 'x', NAME_KEY_ROOM);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		CHECK_INT(t, service_ask(&report.cache.store, requests[i].bytes, requests[i].size, &answer), -EPROTO);
	CHECK_INT(t, service_ask(&report.cache.store, large, sizeof(large), &answer), -EPROTO);
	CHECK_INT(t, access(place.path, F_OK), -1);
	name_store_deinit(&report.store);
	CHECK_STR(t, place_stop(&place), "");
}

TEST_MAIN(TEST(keys_are_kept_apart), TEST(the_oldest_make_room), TEST(other_files_are_left_alone),
	  TEST(files_of_others_are_refused), TEST(a_damaged_one_starts_over),
	  TEST(damage_is_never_believed), TEST(a_lock_is_not_waited_for_long),
	  TEST(wild_requests_end_the_service))
