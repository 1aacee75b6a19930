/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "record/pick/perf_map.h"
#include "record/pick/symbol_pick.h"
#include "tests/test.h"

/*
 * Function pick: A stripped program's functions that were hit and have no name are recorded, as
 * readelf finds them in its unwind information.
 */

struct range {
	unsigned long long start, end;
};

struct program { /* a stripped copy of a program made here */
	char folder[32], path[48];
	int fd;
	struct elf_file *elf;
	struct elf_symbols symbols;
	ARRAY(struct range) ranges; /* by readelf */
};

static void program_deinit(struct program *program)
{
	char command[64];

	elf_symbols_deinit(&program->symbols);
	elf_file_destroy(program->elf);
	array_free(&program->ranges);
	if (program->fd >= 0)
		close(program->fd);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", program->folder);
	if (system(command))
		perror(program->folder);
}

static void read_ranges(struct program *program)
{
	char command[128], line[512];
	struct range range;
	FILE *pipe;

	(void)snprintf(command, sizeof(command), "readelf --debug-dump=frames '%s' 2>/dev/null", program->path);
	pipe = popen(command, "r");
	while (pipe && fgets(line, sizeof(line), pipe)) {
		const char *text = strstr(line, " pc=");

		if (text && sscanf(text, " pc=%llx..%llx", &range.start, &range.end) == 2 && range.start < range.end)
			(void)array_push(&program->ranges, range);
	}
	if (pipe)
		(void)pclose(pipe);
}

/* Functions `named` (exported) and `hidden`, three of them. */
static bool program_make(struct program *program)
{
	char command[768];

	*program = (struct program){.fd = -1};
	memcpy(program->folder, "/tmp/rwalker-pick-XXXXXX", 25);
	if (!mkdtemp(program->folder))
		return false;
	(void)snprintf(program->path, sizeof(program->path), "%s/library.so", program->folder);
	(void)snprintf(command, sizeof(command),
		       "cd '%s' && printf '%s' >library.c && cc -O1 -fPIC -shared -s library.c -o "
		       "library.so >/dev/null 2>&1",
		       program->folder,
		       "#define HIDDEN static __attribute__((noinline)) int\\nvolatile int sink;\\n"
		       "HIDDEN one(int n) { return sink += n; }\\nHIDDEN two(int n) { return sink -= n; }\\n"
		       "HIDDEN three(int n) { return sink *= n; }\\n"
		       "int named(int n) { return one(n) + two(n) + three(n); }\\n");
	if (system(command))
		return false;
	program->fd = open(program->path, O_RDONLY | O_CLOEXEC);
	read_ranges(program);
	return program->fd >= 0 && elf_file_create(program->fd, &program->elf) == 0 &&
	       elf_file_symbols(program->elf, &program->symbols) == 0;
}

static const struct elf_symbol *symbol_at(const struct elf_symbols *symbols, uint64_t address)
{
	for (size_t i = 0; i < symbols->count; i++)
		if (symbols->items[i].address == address)
			return &symbols->items[i];
	return NULL;
}

static void tells_unnamed_functions_that_were_hit(struct test *t)
{
	_cleanup_(program_deinit) struct program program;
	uint64_t hits[64];
	size_t count = 0, named;

	REQUIRE(t, program_make(&program));
	REQUIRE(t, program.ranges.count >= 4);
	named = program.symbols.count;
	CHECK(t, named >= 1);
	for (size_t i = 0; i < program.ranges.count && count < 64; i++)
		hits[count++] = program.ranges.items[i].end - 1;
	for (size_t i = 1; i < count; i++) /* they ascend */
		for (size_t k = i; k && hits[k - 1] > hits[k]; k--) {
			uint64_t other = hits[k];

			hits[k] = hits[k - 1];
			hits[k - 1] = other;
		}
	REQUIRE(t, function_pick_add(program.elf, hits, count, &program.symbols) == 0);
	CHECK(t, program.symbols.count > named + 2);
	for (size_t i = 0; i < program.ranges.count; i++) {
		const struct elf_symbol *symbol = symbol_at(&program.symbols, program.ranges.items[i].start);

		if (!test_check(t, symbol != NULL, "nothing begins at %llx", program.ranges.items[i].start))
			continue;
		test_check(t, symbol->address + symbol->size == program.ranges.items[i].end,
			   "the function at %llx does not end at %llx",
			   program.ranges.items[i].start, program.ranges.items[i].end);
	}
}

/*
 * Perf map: Perf maps: lines that make sense are kept; a hole ends the text, however large the file
 * is.
 */

static int map_of(const char *text, off_t size)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	if (fd >= 0 && (write(fd, text, strlen(text)) < 0 || (size && ftruncate(fd, size)))) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

static void keeps_lines_that_make_sense(struct test *t)
{
	struct elf_symbols symbols = {0};
	int fd = map_of("1000 20 one\nnonsense\n2000 0 empty\n3000 10 two words\n4000 10 unfinished", 0);

	REQUIRE(t, fd >= 0 && !perf_map_read(fd, &symbols));
	REQUIRE(t, symbols.count == 2);
	CHECK_INT(t, symbols.items[0].address, 0x1000);
	CHECK_STR(t, symbols.names + symbols.items[1].name, "two words");
	elf_symbols_deinit(&symbols);
	(void)close(fd);
}

static void reads_no_hole(struct test *t)
{
	struct elf_symbols symbols = {0};
	int fd = map_of("1000 20 one\n", (off_t)1 << 40);

	REQUIRE(t, fd >= 0 && !perf_map_read(fd, &symbols));
	CHECK_INT(t, symbols.count, 1);
	CHECK(t, symbols.names_size < 4096);
	elf_symbols_deinit(&symbols);
	(void)close(fd);
}

TEST_MAIN(TEST(tells_unnamed_functions_that_were_hit), TEST(keeps_lines_that_make_sense),
	  TEST(reads_no_hole))
