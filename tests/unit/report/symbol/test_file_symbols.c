/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The same program with MiniDebugInfo, or a .gnu_debuglink, made by objcopy and xz: it must have the names that nm lists.
 * Files in the right place that belong to another program are refused.
 */
#include "report/symbol/modules_internal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/file/name_cache.h"
#include "tests/shell.h"
#include "tests/test.h"

struct place { /* a scratch folder, and what is searched in it */
	char path[32], program[48], debug[48];
	const char *debug_dirs[2];
	struct local_files files;
	struct build_id id;
};

static bool read_id(const char *path, struct build_id *ret_id)
{
	char command[256], text[2 * BUILD_ID_MAX + 2] = "";
	FILE *pipe;

	(void)snprintf(command, sizeof(command), "readelf -n '%s' 2>/dev/null | awk '/Build ID/ { print $3 }'", path);
	pipe = popen(command, "r");
	*ret_id = (struct build_id){0};
	if (pipe && fgets(text, sizeof(text), pipe))
		for (unsigned int byte; sscanf(text + 2 * (size_t)ret_id->length, "%2x", &byte) == 1;)
			ret_id->bytes[ret_id->length++] = (uint8_t)byte;
	if (pipe)
		(void)pclose(pipe);
	return ret_id->length;
}

/* This program as "prog", its debug file as "whole.debug", without symbols as "stripped". */
static bool place_make(struct place *place)
{
	memcpy(place->path, "/tmp/rwalker-names-XXXXXX", 26);
	if (!mkdtemp(place->path))
		return false;
	(void)snprintf(place->program, sizeof(place->program), "%s/prog", place->path);
	(void)snprintf(place->debug, sizeof(place->debug), "%s/dbg", place->path);
	place->debug_dirs[0] = place->debug;
	place->debug_dirs[1] = NULL;
	place->files = (struct local_files){.debug_dirs = place->debug_dirs, .symfs = ""};
	return shell_run("cd %s && cp /proc/$PPID/exe whole && mkdir dbg .debug && "
			 "objcopy --only-keep-debug whole whole.debug && "
			 "objcopy --strip-all whole stripped && cp stripped prog",
			 place->path) &&
	       read_id(place->program, &place->id);
}

static void place_remove(const struct place *place)
{
	(void)shell_run("rm -rf '%s'", place->path);
}

/* How many functions of `nm` are not found under one of their names; *ret_count: how many there are. */
static size_t count_missing(struct symbol_index *index, const char *nm, size_t *ret_count)
{
	char line[1024], name[512], last_name[512] = "";
	unsigned long long address, size, last = UINT64_MAX;
	FILE *pipe = popen(nm, "r");
	size_t missing = 0;
	bool found = true;

	*ret_count = 0;
	while (pipe && fgets(line, sizeof(line), pipe)) {
		uint32_t number;

		if (sscanf(line, "%llx %llx %*c %511s", &address, &size, name) != 3)
			continue;
		name[strcspn(name, "@")] = '\0';
		if (address != last) {
			if (!found && missing++ < 3)
				printf("# %s is missing\n", last_name);
			found = false;
			++*ret_count;
		}
		last = address;
		(void)snprintf(last_name, sizeof(last_name), "%s", name);
		found |= index && symbol_index_find(index, address, &number) &&
			 symbol_index_start(index, number) == address &&
			 !strcmp(symbol_index_name(index, number), name);
	}
	if (pipe)
		(void)pclose(pipe);
	return missing + !found;
}

static struct symbol_index *index_of(struct file_symbols *symbols)
{
	struct symbol_index *index = NULL;

	return symbol_index_create(&symbols->list, &index) == 0 ? index : NULL;
}

/* Collects for place->program: the wanted origin, and all functions that nm lists for `nm_file`. */
static void check_origin(struct test *t, struct place *place, enum symbol_origin origin, const char *nm_file)
{
	struct symbol_index *index;
	struct file_symbols symbols;
	char command[256];
	size_t count = 0;

	CHECK_INT(t, file_symbols_collect(&place->files, place->program, &place->id, true, &symbols), 0);
	CHECK_INT(t, symbols.origin, origin);
	index = index_of(&symbols);
	/* A weak variable of the sanitizers looks like a function. */
	(void)snprintf(command, sizeof(command),
		       "cd %s && nm -n -S --defined-only %s | grep ' [tTwW] ' | grep -v __sancov_lowest_stack",
		       place->path, nm_file);
	CHECK_INT(t, count_missing(index, command, &count), 0);
	CHECK(t, count > 10 || origin == SYMBOLS_FROM_DYNSYM);
	symbol_index_destroy(index);
	file_symbols_deinit(&symbols);
}

static void finds_linked_files_in_each_place(struct test *t)
{
	static const char *const moves[] = {":", "mv whole.debug .debug", "mkdir -p dbg/$PWD && mv .debug/whole.debug dbg/$PWD"};
	struct place place;

	if (!shell_run("command -v objcopy nm readelf >/dev/null"))
		SKIP(t, "no objcopy, nm or readelf");
	REQUIRE(t, place_make(&place));
	REQUIRE(t, shell_run("cd %s && objcopy --add-gnu-debuglink=whole.debug stripped prog", place.path));
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		REQUIRE(t, shell_run("cd %s && %s", place.path, moves[i]));
		check_origin(t, &place, SYMBOLS_FROM_DEBUG_LINK, "whole");
	}
	place_remove(&place);
}

static void check_refused(struct test *t, struct place *place, const char *refused)
{
	struct file_symbols symbols;

	CHECK_INT(t, file_symbols_collect(&place->files, place->program, &place->id, true, &symbols), 0);
	CHECK_INT(t, symbols.origin, SYMBOLS_FROM_DYNSYM);
	if (CHECK(t, symbols.refused))
		CHECK(t, strstr(symbols.refused + strlen(place->path), refused));
	file_symbols_deinit(&symbols);
}

static void refuses_debug_files_of_others(struct test *t)
{
	struct place place;

	if (!shell_run("command -v objcopy nm readelf >/dev/null"))
		SKIP(t, "no objcopy, nm or readelf");
	REQUIRE(t, place_make(&place));
	/* The right build-id and the wrong CRC: the file was changed. */
	REQUIRE(t,
		shell_run("cd %s && objcopy --add-gnu-debuglink=whole.debug stripped prog && "
			  "printf x >>whole.debug",
			  place.path));
	check_refused(t, &place, "/whole.debug");
	/* The right CRC and another build-id. */
	REQUIRE(t,
		shell_run("cd %s && cp /bin/true whole.debug && "
			  "objcopy --add-gnu-debuglink=whole.debug stripped prog",
			  place.path));
	check_refused(t, &place, "/whole.debug");
	/* The right CRC and no build-id: the CRC is enough. */
	REQUIRE(t, shell_run("cd %s && "
			     "objcopy --only-keep-debug --remove-section .note.gnu.build-id whole whole.debug && "
			     "objcopy --add-gnu-debuglink=whole.debug stripped prog",
			     place.path));
	check_origin(t, &place, SYMBOLS_FROM_DEBUG_LINK, "whole");
	/* The right path below the debug directory. */
	REQUIRE(t, shell_run("cd %s && cp stripped prog && id=$(readelf -n whole | awk '/Build ID/ { print $3 }') && "
			     "mkdir -p dbg/.build-id/${id%%%%${id#??}} && "
			     "cp /bin/true dbg/.build-id/${id%%%%${id#??}}/${id#??}.debug",
			     place.path));
	check_refused(t, &place, "/dbg/.build-id/");
	place_remove(&place);
}

/* Links that would lead outside the folder, or nowhere. */
static void follows_no_link_that_climbs(struct test *t)
{
	static const char *const names[] = {"../whole.debug", "/etc/passwd", "..", ".", ""};
	struct file_symbols symbols;
	struct place place;

	if (!shell_run("command -v objcopy nm readelf >/dev/null"))
		SKIP(t, "no objcopy, nm or readelf");
	REQUIRE(t, place_make(&place));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		REQUIRE(t, shell_run("cd %s && printf '%%s\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0' '%s' >link && "
				     "objcopy --add-section .gnu_debuglink=link stripped prog",
				     place.path, names[i]));
		CHECK_INT(t, file_symbols_collect(&place.files, place.program, &place.id, true, &symbols), 0);
		CHECK_INT(t, symbols.origin, SYMBOLS_FROM_DYNSYM);
		CHECK_STR(t, symbols.refused, NULL);
		file_symbols_deinit(&symbols);
	}
	place_remove(&place);
}

/* 300 MB of zeros are 45 KB of xz: more than is unpacked for any module. */
static void unpacks_no_bomb(struct test *t)
{
	struct file_symbols symbols;
	struct place place;

	if (!shell_run("command -v objcopy nm readelf xz >/dev/null"))
		SKIP(t, "no objcopy, nm, readelf or xz");
	REQUIRE(t, place_make(&place));
	REQUIRE(t, shell_run("cd %s && head -c 300000000 /dev/zero | xz -0 >mini.xz && "
			     "objcopy --add-section .gnu_debugdata=mini.xz stripped prog",
			     place.path));
	CHECK_INT(t, file_symbols_collect(&place.files, place.program, &place.id, true, &symbols), 0);
	CHECK_INT(t, symbols.origin, SYMBOLS_FROM_DYNSYM);
	file_symbols_deinit(&symbols);
	place_remove(&place);
}

/* --- kernel modules --- */

static bool module_make(const struct place *place)
{
	return shell_run("cd %s && mkdir -p lib/modules/6.1/kernel && "
			 "printf 'int second(int x){return x*3;}static __attribute__((used,noinline)) "
			 "int first(int x){return x+1;}"
			 "__attribute__((section(\".init.text\"))) int start(void){return 1;}"
			 "__attribute__((section(\".text.unlikely\"))) int unlikely(void){return 2;}' >m.c && "
			 "cc -O1 -c m.c -o m.o && ld -r --build-id=sha1 m.o -o lib/modules/6.1/kernel/my-mod.ko && "
			 "echo 'kernel/other-my-mod.ko: x' >lib/modules/6.1/modules.dep && "
			 "echo 'kernel/my-mod.ko: kernel/x.ko' >>lib/modules/6.1/modules.dep",
			 place->path);
}

static void check_module(struct test *t, const struct place *place, struct module *module)
{
	struct file_symbols symbols = {0};
	struct symbol_index *index;
	char command[256];
	uint32_t number;
	size_t count = 0;

	CHECK_INT(t, kernel_module_symbols_add(&place->files, module, &symbols), 0);
	CHECK_INT(t, symbols.origin, SYMBOLS_FROM_KERNEL_MODULE);
	index = index_of(&symbols);
	(void)snprintf(command, sizeof(command),
		       "cd %s && nm -n -S whole.ko | grep -E ' (first|second)$'", place->path);
	CHECK_INT(t, count_missing(index, command, &count), 0);
	CHECK_INT(t, count, 2);
	CHECK_INT(t, index ? symbol_index_count(index) : 0, 2); /* nothing of the other sections */
	CHECK(t, !index || !symbol_index_find(index, 0x1000, &number));
	symbol_index_destroy(index);
	file_symbols_deinit(&symbols);
}

static void names_kernel_modules_packed_or_not(struct test *t)
{
	struct trace_meta meta = {"kernel_release", "6.1"};
	const struct trace_model model = {.metas = {.items = &meta, .count = 1}};
	struct module_part part = {.model = &model};
	struct module module = {.kind = MODULE_KERNEL_MODULE, .path = "my_mod", .parts = {.items = &part, .count = 1}};
	struct file_symbols symbols = {0};
	struct place place;

	if (!shell_run("command -v objcopy cc ld nm readelf xz zstd >/dev/null"))
		SKIP(t, "no objcopy, cc, ld, nm, readelf, xz or zstd");
	REQUIRE(t, place_make(&place) && module_make(&place));
	place.files.symfs = place.path;
	REQUIRE(t, shell_run("cd %s && cp lib/modules/6.1/kernel/my-mod.ko whole.ko", place.path));
	(void)snprintf(place.program, sizeof(place.program), "%s/whole.ko", place.path);
	REQUIRE(t, read_id(place.program, &module.id));
	check_module(t, &place, &module);
	REQUIRE(t, shell_run("cd %s/lib/modules/6.1 && xz --check=crc32 kernel/my-mod.ko && "
			     "sed -i s/ko:/ko.xz:/ modules.dep",
			     place.path));
	check_module(t, &place, &module);
	REQUIRE(t,
		shell_run("cd %s/lib/modules/6.1 && "
			  "zstd -q --rm ../../../whole.ko -o kernel/my-mod.ko.zst && rm kernel/*.xz && "
			  "cp kernel/my-mod.ko.zst ../../.. && cd ../../.. && "
			  "zstd -qd my-mod.ko.zst -o whole.ko && "
			  "sed -i s/ko.xz:/ko.zst:/ lib/modules/6.1/modules.dep",
			  place.path));
	check_module(t, &place, &module);
	module.id.bytes[0] ^= 1;
	CHECK_INT(t, kernel_module_symbols_add(&place.files, &module, &symbols), -ESTALE);
	CHECK_STR(t, symbols.refused ? symbols.refused + strlen(place.path) : NULL,
		  "/lib/modules/6.1/kernel/my-mod.ko.zst");
	file_symbols_deinit(&symbols);
	meta.value = "../6.1";
	CHECK_INT(t, kernel_module_symbols_add(&place.files, &module, &symbols), -ENOENT);
	file_symbols_deinit(&symbols);
	place_remove(&place);
}

/* --- the cache of names --- */

/* The same names from the file and from the cache, and nothing of a file that another user could write. */
static void unpacked_names_are_kept(struct test *t)
{
	struct name_store store;
	struct name_cache cache;
	struct place place;
	char path[64];

	REQUIRE(t, place_make(&place));
	REQUIRE(t, shell_run("cd %s && cp whole.debug mini && strip --strip-debug mini && xz -k mini && "
			     "objcopy --add-section .gnu_debugdata=mini.xz stripped prog && chmod 666 prog",
			     place.path));
	(void)snprintf(path, sizeof(path), "%s/names.sqlite", place.path);
	name_store_init(&store, path);
	cache = (struct name_cache){.store = name_store_service(&store)};
	place.files.cache = &cache;
	check_origin(t, &place, SYMBOLS_FROM_MINI_DEBUG_INFO, "mini");
	CHECK_INT(t, access(path, F_OK), -1);
	REQUIRE(t, shell_run("chmod 644 %s/prog", place.path));
	for (int round = 0; round < 2; round++) {
		check_origin(t, &place, SYMBOLS_FROM_MINI_DEBUG_INFO, "mini");
		CHECK(t, shell_run("grep -qa '/prog\"' %s", path));
	}
	CHECK(t, !cache.unusable);
	name_store_deinit(&store);
	place_remove(&place);
}

TEST_MAIN(TEST(finds_linked_files_in_each_place), TEST(refuses_debug_files_of_others),
	  TEST(follows_no_link_that_climbs), TEST(unpacks_no_bomb), TEST(names_kernel_modules_packed_or_not),
	  TEST(unpacked_names_are_kept))
