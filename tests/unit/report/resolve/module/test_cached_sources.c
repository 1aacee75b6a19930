/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The cache belongs to a file, not to a build-id: names of a program with MiniDebugInfo are cached,
 * and then another program with the same build-id, path, size and modification time takes its
 * place.
 */
#include "report/resolve/module/cached_sources.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/shell.h"
#include "tests/test.h"

struct place {
	char path[32], cache[64];
	struct local_files files;
	struct build_id id;
};

/* "honest" and "forged" differ in the name of a function; both are 100,000 bytes and of the same second. */
static bool place_make(struct place *place)
{
	memcpy(place->path, "/tmp/rwalker-cached-XXXXXX", 27);
	if (!mkdtemp(place->path))
		return false;
	(void)snprintf(place->cache, sizeof(place->cache), "%s/names.sqlite", place->path);
	place->files = (struct local_files){.symfs = ""};
	place->id = (struct build_id){.bytes = {0x12, 0x34}, .length = 2};
	return shell_run("cd %s && for name in honest forged; do "
			 "echo \"void ${name}_name(void) {} int main(void) { return 0; }\" >a.c && "
			 "${CC:-cc} -Wl,--build-id=0x1234 -o whole a.c && "
			 "objcopy --strip-all --keep-symbol=${name}_name whole mini && xz -f mini && "
			 "objcopy --strip-all --add-section .gnu_debugdata=mini.xz whole $name && "
			 "truncate -s 100000 $name && touch -d @1800000000 $name || exit 1; done; cp -p honest prog",
			 place->path);
}

/* Which of the two the names are from: 'h', 'f'; '?': of neither. The cache is saved. */
static char whose_names(const struct place *place)
{
	const struct name_cache_settings settings = {.path = place->cache};
	_cleanup_(symbol_list_deinit) struct symbol_list list = {0};
	_cleanup_(local_elf_close) struct local_elf binary = {.fd = -1};
	struct symbol_index *index = NULL;
	struct name_cache *cache;
	char path[64], whose = '?';
	int r;

	(void)snprintf(path, sizeof(path), "%s/prog", place->path);
	if (name_cache_create(&settings, &cache) < 0)
		return '!';
	r = local_elf_open(&place->files, path, &place->id, &binary);
	if (!r)
		r = cached_sources_add_mini(cache, &place->id, &binary, &list);
	if (!r)
		r = symbol_index_create(&list, &index);
	for (uint32_t i = 0; !r && i < symbol_index_count(index); i++) {
		const char *name = symbol_index_name(index, i);

		if (!strcmp(name, "honest_name") || !strcmp(name, "forged_name"))
			whose = name[0];
	}
	symbol_index_destroy(index);
	name_cache_save(cache);
	name_cache_destroy(cache);
	return whose;
}

static bool is_cached(const struct place *place)
{
	return shell_run("grep -q prog %s 2>/dev/null", place->cache);
}

static void another_file_has_its_own(struct test *t)
{
	struct place place;
	struct stat before, after;
	char path[64];

	REQUIRE(t, place_make(&place));
	(void)snprintf(path, sizeof(path), "%s/prog", place.path);
	CHECK_INT(t, whose_names(&place), 'h');
	CHECK(t, is_cached(&place));
	CHECK_INT(t, whose_names(&place), 'h');
	REQUIRE(t, stat(path, &before) == 0);
	CHECK(t, shell_run("cd %s && cat forged >prog && touch -d @1800000000 prog", place.path));
	REQUIRE(t, stat(path, &after) == 0);
	CHECK(t, before.st_ino == after.st_ino && before.st_size == after.st_size &&
			 before.st_mtim.tv_sec == after.st_mtim.tv_sec);
	CHECK_INT(t, whose_names(&place), 'f');
	CHECK(t, shell_run("cd %s && cp -p honest other && mv other prog", place.path));
	CHECK_INT(t, whose_names(&place), 'h');
	(void)shell_run("rm -rf '%s'", place.path);
}

static void files_of_others_are_not_cached(struct test *t)
{
	struct place place;

	REQUIRE(t, place_make(&place));
	CHECK(t, shell_run("chmod o+w %s/prog", place.path));
	CHECK_INT(t, whose_names(&place), 'h');
	CHECK(t, !is_cached(&place));
	CHECK(t, shell_run("chmod o-w %s/prog", place.path));
	CHECK_INT(t, whose_names(&place), 'h');
	CHECK(t, is_cached(&place));
	(void)shell_run("rm -rf '%s'", place.path);
}

TEST_MAIN(TEST(another_file_has_its_own), TEST(files_of_others_are_not_cached))
