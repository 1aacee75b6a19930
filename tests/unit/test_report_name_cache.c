/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/resolve/name_cache.h"
#include "report/resolve/sqlite_file.h"
#include "tests/fault/name_truth.h"
#include "tests/test.h"

enum { NOW = 1800000000, HOUR = 3600, ADDRESSES = 300 };

/* A folder with the cache's file in it, and what was said on stderr. */
struct place {
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

static struct name_cache *open_cache_at(const char *path, uint64_t now, uint64_t limit)
{
	const struct name_cache_settings settings = {.path = path, .now = now, .limit = limit};
	struct name_cache *cache;

	if (name_cache_create(&settings, &cache) < 0)
		abort();
	return cache;
}

static struct name_cache *open_cache(const struct place *place)
{
	return open_cache_at(place->path, NOW, 0);
}

static void close_cache(struct name_cache *cache)
{
	name_cache_save(cache);
	name_cache_destroy(cache);
}

static struct name_frames *frames_of(struct name_cache *cache, uint64_t module, uint32_t rank)
{
	const struct build_id id = truth_id(module);
	const struct name_source source = truth_source(rank, module);
	struct name_frames *frames;

	if (name_cache_frames(cache, &id, "module", &source, &frames) < 0)
		abort();
	return frames;
}

/* How many of `count` addresses, from `first` on, are known, or -1 where one is wrong. */
static int known(struct name_cache *cache, uint64_t module, uint32_t rank, uint64_t first, uint64_t count)
{
	struct name_frames *frames = frames_of(cache, module, rank);
	int found = 0;

	for (uint64_t address = first; address < first + count; address++) {
		const struct name_level *levels;
		struct truth truth;
		size_t level_count;

		if (!name_frames_find(frames, address, &levels, &level_count))
			continue;
		truth_of(module, address, &truth);
		if (!truth_same(&truth, levels, level_count))
			return -1;
		found++;
	}
	return found;
}

static void learn(struct name_cache *cache, uint64_t module, uint32_t rank, uint64_t first, uint64_t count)
{
	struct name_frames *frames = frames_of(cache, module, rank);

	for (uint64_t address = first; address < first + count; address++) {
		struct truth truth;

		truth_of(module, address, &truth);
		if (name_frames_add(frames, address, truth.levels, truth.count) < 0)
			abort();
	}
}

static void learn_and_close(const struct place *place, uint64_t module, uint32_t rank, uint64_t first, uint64_t count)
{
	struct name_cache *cache = open_cache(place);

	learn(cache, module, rank, first, count);
	close_cache(cache);
}

static int known_later(const struct place *place, uint64_t module, uint32_t rank, uint64_t first, uint64_t count)
{
	struct name_cache *cache = open_cache(place);
	int found = known(cache, module, rank, first, count);

	name_cache_destroy(cache);
	return found;
}

/* --- frames --- */

static void gives_back_what_it_got(struct test *t)
{
	struct place place;

	place_start(&place);
	CHECK_INT(t, known_later(&place, 1, 1, 0, ADDRESSES), 0);
	CHECK_INT(t, access(place.path, F_OK), -1); /* asking makes no file */
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
	const struct name_level one = {.function = "one", .file = "a.c", .line = 7, .inlined = true};
	const struct name_level *levels;
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
	CHECK(t, levels[0].inlined);
	CHECK(t, !name_frames_find(frames_of(cache, 1, 1), 6, &levels, &count));
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
	learn_and_close(&place, 1, 1, 0, 10); /* a poorer one takes nothing away */
	CHECK_INT(t, known_later(&place, 1, 1, 0, ADDRESSES), 10);
	CHECK_INT(t, known_later(&place, 1, 2, 0, ADDRESSES), ADDRESSES);
	learn_and_close(&place, 1, 3, 0, 20); /* a better one replaces both */
	CHECK_INT(t, known_later(&place, 1, 1, 0, ADDRESSES), 0);
	CHECK_INT(t, known_later(&place, 1, 2, 0, ADDRESSES), 0);
	CHECK_INT(t, known_later(&place, 1, 3, 0, ADDRESSES), 20);
	CHECK_STR(t, place_stop(&place), "");
}

/* The same path and build-id, another size: what was found in the file before does not count. */
static void a_changed_file_is_another_source(struct test *t)
{
	const struct build_id id = truth_id(1);
	struct name_source source = truth_source(1, 2);
	const struct name_level *levels;
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
	CHECK(t, !frames); /* too long to be told apart */
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
	CHECK_INT(t, name_cache_answer(cache, &none, "debuginfo", "http://a", &at), NAME_ANSWER_NONE); /* at once */
	CHECK_INT(t, name_cache_answer(cache, &none, "executable", "http://a", &at), NAME_ANSWER_UNKNOWN);
	close_cache(cache);
	CHECK_INT(t, answer_at(&place, NOW, 1, "http://a", path), NAME_ANSWER_FOUND);
	CHECK_STR(t, path, "/var/f.debug");
	CHECK_INT(t, answer_at(&place, NOW, 2, "http://a", path), NAME_ANSWER_NONE);
	CHECK_INT(t, answer_at(&place, NOW, 2, "http://b", path), NAME_ANSWER_UNKNOWN);
	CHECK_INT(t, answer_at(&place, NOW + 24 * HOUR, 2, "http://a", path), NAME_ANSWER_NONE);
	CHECK_INT(t, answer_at(&place, NOW + 24 * HOUR + 1, 2, "http://a", path), NAME_ANSWER_UNKNOWN);
	CHECK_INT(t, answer_at(&place, NOW - 1, 2, "http://a", path), NAME_ANSWER_UNKNOWN); /* the clock went back */
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
	if (symbol_list_add(&list, module, 1, name, bytes) < 0 || name_cache_put_symbols(cache, &id, "m", &source, &list) < 0)
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
		       "test_report_name_cache: the cache \"%s\" is full: what was found of 11 modules is not kept\n", place.path);
	CHECK_STR(t, place_stop(&place), want);
}

/* --- files that are none --- */

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

/* Every question, and a save: one line, and nothing else happens. */
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
		       "test_report_name_cache: warning: the cache \"%s\" cannot be used: %s; --no-cache does without it\n",
		       place->path, why);
	CHECK_STR(t, place_stop(place), want);
}

static const char not_ours[] = "it is not a cache of rwalker-report, and is left as it is";

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

		CHECK_INT(t, name_cache_clear(cache), -EINVAL);
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
		"PRAGMA page_size = 8192; PRAGMA user_version = 1; CREATE VIEW a AS SELECT 5",
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

/* One that says what is wrong, and that it starts anew; afterwards it works. */
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
	check_made_anew(t, "PRAGMA user_version = 2", "it was of another version, and is made anew");
	check_made_anew(t, "PRAGMA user_version = 0", "it was of another version, and is made anew");
	check_made_anew(t, "CREATE TRIGGER x AFTER INSERT ON module BEGIN DELETE FROM content; END", "it was damaged, and is made anew");
	check_made_anew(t, "DROP TABLE content", "it was damaged, and is made anew");
}

/* One byte after the other in a step that meets all of a page; each file is asked, written to, and asked again. */
static void damage_is_never_believed(struct test *t)
{
	static uint8_t bytes[1 << 20];
	size_t size, made_anew = 0;
	struct place place;

	place_start(&place);
	learn_and_close(&place, 1, 1, 0, ADDRESSES);
	size = read_file(place.path, bytes, sizeof(bytes));
	for (size_t i = 101; i < size; i += 37) {
		bytes[i] ^= 0x55;
		write_file(place.path, bytes, size);
		bytes[i] ^= 0x55;
		CHECK(t, known_later(&place, 1, 1, 0, ADDRESSES) >= 0);
		learn_and_close(&place, 1, 1, 0, ADDRESSES);
		made_anew += known_later(&place, 1, 1, 0, ADDRESSES) != ADDRESSES;
	}
	CHECK(t, made_anew < size / 37 / 4);
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
	use_unusable(t, &place, "root makes no files in a folder of another user");
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
	CHECK_STR(t, contents.modules.items[0].name, "m"); /* equally late: by name */
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
	const struct name_level *levels;
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
	CHECK(t, !frames); /* nothing says which file it was */
	name_cache_destroy(cache);
	CHECK_STR(t, place_stop(&place), "");
}

TEST_MAIN(TEST(gives_back_what_it_got), TEST(first_word_stays), TEST(sources_are_kept_apart),
	  TEST(a_changed_file_is_another_source), TEST(two_at_once_lose_nothing), TEST(symbols_come_back),
	  TEST(answers_expire), TEST(the_oldest_make_room), TEST(what_is_too_much_is_told),
	  TEST(random_bytes_are_left_alone), TEST(other_databases_are_left_alone), TEST(ours_but_not_usable_is_made_anew),
	  TEST(damage_is_never_believed), TEST(folders_and_pipes_are_refused), TEST(files_of_others_are_refused),
	  TEST(makes_its_folders), TEST(tells_what_it_holds), TEST(no_cache_is_an_empty_one))
