/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What may be in the place of the cache of names: our own files are repaired, others are left
 * alone, and one line says so.
 */
#include <fcntl.h>

#include "report/resolve/cache/sqlite_file.h"
#include "tests/unit/report/resolve/cache/scratch_cache.h"

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

/* Every kind of lookup, and a save: one line, and nothing else happens. */
static void use_unusable(struct test *t, struct place *place, const char *why)
{
	const struct name_source source = truth_source(1, 1);
	const struct build_id id = truth_id(1);
	struct symbol_list list = {0};
	struct name_cache *cache = open_cache(place);
	char want[512];
	const char *at;

	learn(cache, 1, 1, 0, 10);
	CHECK_INT(t, name_cache_find_symbols(cache, &id, &source, &list), 0);
	CHECK_INT(t, name_cache_put_symbols(cache, &id, "m", &source, &list), 0);
	CHECK_INT(t, name_cache_put_answer(cache, &id, "debuginfo", "", NULL), 0);
	(void)name_cache_answer(cache, &id, "debuginfo", "", &at);
	close_cache(cache);
	(void)snprintf(want, sizeof(want),
		       "test_name_places: warning: cannot use the cache '%s': %s; --no-cache does without it\n",
		       place->path, why);
	CHECK_STR(t, place_stop(place), want);
}

static const char not_ours[] = "it is not a cache of rwalker-report";

static void random_bytes_are_left_alone(struct test *t)
{
	struct random random = random_make(7);
	uint8_t bytes[8192], after[8192];
	struct place place;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)random_next(&random);
	place_start(&place);
	write_file(place.path, bytes, sizeof(bytes));
	close_cache(open_cache(&place));
	{
		struct name_cache *cache = open_cache(&place);

		CHECK_INT(t, name_cache_clear(cache), -EMEDIUMTYPE); /* -EINVAL would be a wrong command line */
		name_cache_destroy(cache);
	}
	CHECK_INT(t, read_file(place.path, after, sizeof(after)), sizeof(bytes));
	CHECK_MEM(t, after, bytes, sizeof(bytes));
	(void)place_stop(&place);
	CHECK(t, strstr(place.said, not_ours) != NULL);

	place_start(&place);
	write_file(place.path, bytes, sizeof(bytes));
	use_unusable(t, &place, not_ours);
}

static void make_database(const char *path, const char *statements)
{
	struct sqlite_file *file;

	write_file(path, "", 0);
	if (sqlite_file_open(path, &file) < 0 || sqlite_file_run(file, statements) < 0)
		abort();
	sqlite_file_close(file);
}

static void other_databases_are_left_alone(struct test *t)
{
	static const char *const statements[] = {
		"CREATE TABLE a(b); INSERT INTO a VALUES(5)",
		"PRAGMA application_id = 42; CREATE TABLE a(b); INSERT INTO a VALUES(5)",
		"PRAGMA page_size = 8192; PRAGMA user_version = 2; CREATE VIEW a AS SELECT 5",
	};

	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		struct sqlite_file *file;
		struct place place;
		int64_t number = 0;
		struct name_cache *cache;

		place_start(&place);
		make_database(place.path, statements[i]);
		cache = open_cache(&place);
		learn(cache, 1, 1, 0, 10);
		close_cache(cache);
		CHECK_INT(t, sqlite_file_open(place.path, &file), 0);
		CHECK_INT(t, sqlite_file_number(file, "SELECT count(*) FROM sqlite_schema", &number), 0);
		CHECK_INT(t, number, 1);
		sqlite_file_close(file);
		CHECK(t, strstr(place_stop(&place), not_ours) != NULL);
	}
}

static void change(const struct place *place, const char *statements)
{
	struct sqlite_file *file;

	if (sqlite_file_open(place->path, &file) < 0 || sqlite_file_run(file, statements) < 0)
		abort();
	sqlite_file_close(file);
}

/* A message says what is wrong, and that the cache starts over; afterwards it works. */
static void check_made_anew(struct test *t, const char *statements, const char *said)
{
	struct place place;

	place_start(&place);
	learn_and_close(&place, 1, 1, 0, 10);
	change(&place, statements);
	CHECK_INT(t, known_later(&place, 1, 1, 0, 10), 0);
	learn_and_close(&place, 1, 1, 0, 10);
	CHECK_INT(t, known_later(&place, 1, 1, 0, 10), 10);
	(void)place_stop(&place);
	CHECK(t, strstr(place.said, said) != NULL);
	CHECK(t, strchr(place.said, '\n') == place.said + strlen(place.said) - 1); /* one line */
}

static void ours_but_not_usable_is_made_anew(struct test *t)
{
	check_made_anew(t, "PRAGMA user_version = 3", "was of another version: it is created again");
	check_made_anew(t, "PRAGMA user_version = 0", "was of another version: it is created again");
	check_made_anew(t, "CREATE TRIGGER x AFTER INSERT ON module BEGIN DELETE FROM content; END",
			"was damaged: it is created again");
	check_made_anew(t, "DROP TABLE content", "was damaged: it is created again");
}

/* Bytes all over the file, at all places of a page; each file is read, written, and read again. */
static void damage_is_never_believed(struct test *t)
{
	static uint8_t bytes[1 << 20];
	size_t size, step, made_anew = 0;
	struct place place;

	place_start(&place);
	learn_and_close(&place, 1, 1, 0, ADDRESSES);
	size = read_file(place.path, bytes, sizeof(bytes));
	step = size / test_rounds((unsigned int)size / 37) | 1; /* odd: it hits all of a page */
	for (size_t i = 101; i < size; i += step) {
		bytes[i] ^= 0x55;
		write_file(place.path, bytes, size);
		bytes[i] ^= 0x55;
		CHECK(t, known_later(&place, 1, 1, 0, ADDRESSES) >= 0);
		learn_and_close(&place, 1, 1, 0, ADDRESSES);
		made_anew += known_later(&place, 1, 1, 0, ADDRESSES) != ADDRESSES;
	}
	CHECK(t, made_anew < size / step / 4);
	(void)place_stop(&place);
}

static void folders_and_pipes_are_refused(struct test *t)
{
	struct place place;

	place_start(&place);
	CHECK_INT(t, mkdir(place.path, 0700), 0);
	use_unusable(t, &place, "Is a directory");
	place_start(&place);
	CHECK_INT(t, mkfifo(place.path, 0600), 0);
	use_unusable(t, &place, "it is not a regular file");
	place_start(&place);
	(void)snprintf(place.path, sizeof(place.path), "%s/a/b", place.folder);
	use_unusable(t, &place, "No such file or directory");
}

static void files_of_others_are_refused(struct test *t)
{
	struct place place;

	if (geteuid())
		SKIP(t, "needs root");
	place_start(&place);
	CHECK_INT(t, chown(place.folder, 1, 1), 0);
	use_unusable(t, &place, "root creates no files in another user's directory");
	place_start(&place);
	learn_and_close(&place, 1, 1, 0, 10);
	CHECK_INT(t, chown(place.path, 1, 1), 0);
	use_unusable(t, &place, "it belongs to another user");
}

static void makes_its_folders(struct test *t)
{
	struct name_cache_settings settings = {.make_folders = true, .now = NOW};
	struct name_cache *cache;
	struct place place;
	struct stat status;

	place_start(&place);
	(void)snprintf(place.path, sizeof(place.path), "%s/.cache/rwalker/names.sqlite", place.folder);
	settings.path = place.path;
	CHECK_INT(t, name_cache_create(&settings, &cache), 0);
	close_cache(cache);
	CHECK_INT(t, access(place.path, F_OK), -1); /* nothing to write, nothing made */
	CHECK_INT(t, name_cache_create(&settings, &cache), 0);
	learn(cache, 1, 1, 0, 1);
	close_cache(cache);
	REQUIRE(t, stat(place.path, &status) == 0);
	CHECK_INT(t, status.st_mode & 07777, 0600);
	*strrchr(place.path, '/') = '\0';
	REQUIRE(t, stat(place.path, &status) == 0);
	CHECK_INT(t, status.st_mode & 07777, 0700);
	CHECK_STR(t, place_stop(&place), "");
}

TEST_MAIN(TEST(random_bytes_are_left_alone), TEST(other_databases_are_left_alone),
	  TEST(ours_but_not_usable_is_made_anew), TEST(damage_is_never_believed), TEST(folders_and_pipes_are_refused),
	  TEST(files_of_others_are_refused), TEST(makes_its_folders))
