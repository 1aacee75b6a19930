/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Programs linked in every way that changes the procedure linkage table, for x86-64 and aarch64:
 * each entry has the name that objdump gives it.
 */
#include "common/elf/elf_file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/test.h"

static const char program_text[] = "#include <stdlib.h>\\n#include <string.h>\\n"
				   "int main(int c, char **v) { return abs(c) + (int)labs(c) "
				   "+ (int)strlen(v[0]) + rand(); }\\n";

struct place { /* a scratch folder with the source */
	char path[32];
};

__attribute__((format(printf, 2, 3))) static bool run(const struct place *place, const char *format, ...)
{
	char command[1024], all[1200];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	(void)snprintf(all, sizeof(all), "cd '%s' && { %s; } >/dev/null 2>&1", place->path, command);
	return system(all) == 0;
}

static bool place_make(struct place *place)
{
	memcpy(place->path, "/tmp/rwalker-plt-XXXXXX", 24);
	return mkdtemp(place->path) &&
	       run(place, "objdump --version && readelf --version && printf '%s' >program.c",
		   program_text);
}

static void place_remove(const struct place *place)
{
	(void)run(place, "rm -f ./*; rmdir '%s'", place->path);
}

struct opened {
	int fd;
	struct elf_file *elf;
};

static bool open_program(const struct place *place, const char *name, struct opened *opened)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "%s/%s", place->path, name);
	opened->fd = open(path, O_RDONLY | O_CLOEXEC);
	return opened->fd >= 0 && elf_file_create(opened->fd, &opened->elf) == 0;
}

static void close_program(struct opened *opened)
{
	elf_file_destroy(opened->elf);
	if (opened->fd >= 0)
		close(opened->fd);
	*opened = (struct opened){.fd = -1};
}

/* --- entries, against objdump --- */

static const struct elf_symbol *find(const struct elf_symbols *symbols, uint64_t address)
{
	for (size_t i = 0; i < symbols->count; i++)
		if (address - symbols->items[i].address < symbols->items[i].size)
			return &symbols->items[i];
	return NULL;
}

/* "0000000000001030 <abs@plt>:" */
static void compare_with_objdump(struct test *t, const struct place *place, const char *tool, const char *name,
				 const struct elf_symbols *symbols)
{
	char command[256], line[512], theirs[256];
	unsigned long long address;
	size_t count = 0, named = 0;
	FILE *pipe;

	(void)snprintf(command, sizeof(command), "%s -d '%s/%s' 2>/dev/null", tool, place->path, name);
	pipe = popen(command, "r");
	while (pipe && fgets(line, sizeof(line), pipe)) {
		const struct elf_symbol *ours;

		if (sscanf(line, "%llx <%255[^>]>:", &address, theirs) != 2 ||
		    !strstr(theirs, "@plt") || strstr(theirs, "@plt-"))
			continue;
		ours = find(symbols, address);
		count++;
		test_check(t, ours && ours->address == address && !strcmp(symbols->names + ours->name, theirs),
			   "%s: %llx is %s, not %s", name, address,
			   ours ? symbols->names + ours->name : "unnamed", theirs);
		test_check(t, find(symbols, address + 5) == ours, "%s: %s is too short", name, theirs);
	}
	if (pipe)
		(void)pclose(pipe);
	for (size_t i = 0; i < symbols->count; i++)
		named += strstr(symbols->names + symbols->items[i].name, "abs@plt") != NULL;
	printf("# %s: %zu entries\n", name, count);
	test_check(t, count >= 4 && named >= 2,
		   "%s: objdump names %zu entries, abs and labs are named %zu times", name,
		   count, named);
}

static void judge_program(struct test *t, const struct place *place, const char *tool, const char *name)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};
	_cleanup_(close_program) struct opened program = {.fd = -1};

	REQUIRE(t, open_program(place, name, &program));
	REQUIRE(t, elf_file_plt_symbols(program.elf, &symbols) == 0);
	compare_with_objdump(t, place, tool, name, &symbols);
}

struct way {
	const char *name, *command;
};

/* Leaves out ways that this compiler or linker does not know; returns how many were judged. */
static size_t judge_ways(struct test *t, const struct place *place, const char *tool,
			 const struct way *ways, size_t count)
{
	size_t made = 0;

	for (size_t i = 0; i < count; i++) {
		if (!run(place, "%s -O1 -fno-builtin program.c -o %s", ways[i].command, ways[i].name))
			continue;
		judge_program(t, place, tool, ways[i].name);
		made++;
	}
	return made;
}

static void names_entries_of_this_machine(struct test *t)
{
	static const struct way ways[] = {
		{"now", "cc -Wl,-z,now"},
		{"lazy", "cc -Wl,-z,lazy"},
		{"fixed", "cc -no-pie -Wl,-z,lazy"},
		{"stripped", "cc -s -Wl,-z,lazy"},
		{"ibt-lazy", "cc -fcf-protection=full -Wl,-z,lazy -Wl,-z,ibtplt"},
		{"ibt-now", "cc -fcf-protection=full -Wl,-z,now -Wl,-z,ibtplt"},
		{"lld", "cc -fuse-ld=lld -Wl,-z,lazy"},
		{"gold", "cc -fuse-ld=gold -Wl,-z,lazy"},
	};
	struct place place;

	REQUIRE(t, place_make(&place));
	CHECK(t, judge_ways(t, &place, "objdump", ways, sizeof(ways) / sizeof(ways[0])) >= 4);
	place_remove(&place);
}

static void names_entries_of_aarch64(struct test *t)
{
	static const struct way ways[] = {
		{"arm", "aarch64-linux-gnu-gcc -Wl,-z,now"},
		{"arm-lazy", "aarch64-linux-gnu-gcc -Wl,-z,lazy"},
		{"arm-bti", "aarch64-linux-gnu-gcc -mbranch-protection=standard -Wl,-z,force-bti"},
		{"arm-pac", "aarch64-linux-gnu-gcc -mbranch-protection=standard -Wl,-z,force-bti -Wl,-z,pac-plt"},
	};
	struct place place;

	if (system("aarch64-linux-gnu-gcc --version >/dev/null 2>&1"))
		SKIP(t, "no compiler for it here");
	REQUIRE(t, place_make(&place));
	CHECK(t, judge_ways(t, &place, "aarch64-linux-gnu-objdump", ways, sizeof(ways) / sizeof(ways[0])) >= 2);
	place_remove(&place);
}

TEST_MAIN(TEST(names_entries_of_this_machine), TEST(names_entries_of_aarch64))
