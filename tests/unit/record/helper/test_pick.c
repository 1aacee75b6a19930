/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What is picked from files that may be hostile: functions without names, perf maps, entries of call frame information. */
#include "record/helper/pick.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "tests/test.h"
#include "tests/unit/cfi_bytes.h"

/* --- functions of a stripped program, as readelf finds them --- */

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

/* --- perf maps: lines that make sense are kept; a hole ends the text, however large the file is --- */

static int map_of(const char *text, off_t size)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	if (fd >= 0 && (write(fd, text, strlen(text)) < 0 || (size && ftruncate(fd, size)))) {
		(void)close(fd);
		return -1;
	}
	return fd;
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

/* --- unwind tables --- */

enum { RA = 16, MOST = 4096, HIT_ROOM = 8 };

struct picked {
	struct unwind_pieces pieces;
	uint64_t hits[HIT_ROOM]; /* afterwards: those for which there was no entry */
	size_t count;
	int result;
};

static struct unwind_section_view view_of(const struct cfi_writer *writer, enum cfi_kind kind)
{
	return (struct unwind_section_view){.bytes = cfi_written(writer), .kind = kind};
}

static struct picked pick(const struct unwind_section_view *view, size_t count, const uint64_t *hits)
{
	struct picked picked = {.pieces.most = MOST, .count = count};

	memcpy(picked.hits, hits, count * sizeof(*hits));
	picked.result = unwind_pick_hit(view, picked.hits, &picked.count, &picked.pieces);
	return picked;
}

#define PICK(view, ...)                                                          \
	pick((view), sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), \
	     (const uint64_t[]){__VA_ARGS__})

static int is_piece(const struct unwind_pieces *pieces, size_t i, size_t offset, size_t end)
{
	return i < pieces->list.count && pieces->list.items[i].offset == offset &&
	       pieces->list.items[i].size == end - offset;
}

static void shares_a_cie(struct test *t)
{
	struct cfi_writer writer = {0};
	size_t cie = cfi_put_cie(&writer, RA, "", 0), first = writer.bytes.count, second, third;
	struct unwind_section_view view;
	struct picked picked;

	CFI_FDE(&writer, cie, 0x1000, 0x20, 0x41);
	second = writer.bytes.count;
	CFI_FDE(&writer, cie, 0x2000, 0x10, 0x42);
	third = writer.bytes.count;
	CFI_FDE(&writer, cie, 0x3000, 0x40, 0x43);
	view = view_of(&writer, CFI_EH_FRAME);

	picked = PICK(&view, 0x1000, 0x1005, 0x303f);
	CHECK_INT(t, picked.result, 0);
	CHECK_INT(t, picked.count, 0);
	CHECK_INT(t, picked.pieces.list.count, 2);
	CHECK(t, is_piece(&picked.pieces, 0, cie, second));
	CHECK(t, is_piece(&picked.pieces, 1, third, writer.bytes.count));
	CHECK_INT(t, picked.pieces.bytes, writer.bytes.count - (third - second));
	unwind_pieces_deinit(&picked.pieces);

	picked = PICK(&view, 0x3000);
	CHECK_INT(t, picked.pieces.list.count, 2);
	CHECK(t, is_piece(&picked.pieces, 0, cie, first));
	unwind_pieces_deinit(&picked.pieces);
	array_free(&writer.bytes);
}

/* The last byte before a function picks it, because a signal may return to its first one, but is not a hit in it. */
static void ends_of_functions(struct test *t)
{
	struct cfi_writer writer = {0};
	size_t cie = cfi_put_cie(&writer, RA, "", 0);
	struct unwind_section_view view;
	struct picked picked;

	CFI_FDE(&writer, cie, 0x2000, 0x10, 0x42);
	view = view_of(&writer, CFI_EH_FRAME);
	picked = PICK(&view, 0x1ffe, 0x2010, UINT64_MAX);
	CHECK_INT(t, picked.pieces.list.count, 0);
	CHECK(t, picked.count == 3 && picked.hits[0] == 0x1ffe && picked.hits[1] == 0x2010 &&
			 picked.hits[2] == UINT64_MAX);
	picked = PICK(&view, 0x1fff);
	CHECK_INT(t, picked.pieces.list.count, 1);
	CHECK(t, picked.count == 1 && picked.hits[0] == 0x1fff);
	unwind_pieces_deinit(&picked.pieces);
	picked = PICK(&view, 0x10, 0x200f, 0x9000);
	CHECK_INT(t, picked.pieces.list.count, 1);
	CHECK(t, picked.count == 2 && picked.hits[0] == 0x10 && picked.hits[1] == 0x9000);
	unwind_pieces_deinit(&picked.pieces);
	array_free(&writer.bytes);
}

/* What follows an entry that exceeds the section cannot be found; the rest is usable. */
static void ends_at_what_is_malformed(struct test *t)
{
	struct cfi_writer writer = {0};
	size_t cie = cfi_put_cie(&writer, RA, "", 0), good = writer.bytes.count;
	struct unwind_section_view view;
	struct picked picked;

	cfi_begin(&writer, false); /* names an FDE as its CIE */
	cfi_put_uint(&writer, 4, 4);
	cfi_put_uint(&writer, 0x1000, 4);
	cfi_put_uint(&writer, 0x20, 4);
	cfi_end(&writer);
	cfi_begin(&writer, false); /* names a CIE before the section */
	cfi_put_uint(&writer, 0x10000, 4);
	cfi_end(&writer);
	view = view_of(&writer, CFI_EH_FRAME);
	picked = PICK(&view, 0x1000);
	CHECK_INT(t, picked.pieces.list.count, 0);
	CHECK_INT(t, picked.count, 1);

	writer.bytes.count = good;
	CFI_FDE(&writer, cie, 0x1000, 0x20, 0x41);
	cfi_put_uint(&writer, 0xfffffff0, 4);
	CFI_FDE(&writer, cie, 0x2000, 0x20, 0x41);
	view = view_of(&writer, CFI_EH_FRAME);
	picked = PICK(&view, 0x1000, 0x2000);
	CHECK_INT(t, picked.pieces.list.count, 1);
	CHECK(t, picked.count == 1 && picked.hits[0] == 0x2000);
	unwind_pieces_deinit(&picked.pieces);
	picked = (struct picked){.pieces.most = MOST};
	CHECK_INT(t, unwind_pick_all(&view, &picked.pieces), 0);
	CHECK(t, picked.pieces.list.count == 1 && picked.pieces.bytes < writer.bytes.count &&
			 picked.pieces.bytes > good);
	unwind_pieces_deinit(&picked.pieces);
	for (size_t size = 0; size < writer.bytes.count; size++) { /* truncated anywhere: never out of bounds (ASan) */
		view.bytes.size = size;
		picked = PICK(&view, 0x1000);
		CHECK_INT(t, picked.result, 0);
		unwind_pieces_deinit(&picked.pieces);
	}
	array_free(&writer.bytes);
}

/* An FDE may refer to bytes in the middle of another entry as its CIE. Pieces still do not overlap. */
static void pieces_do_not_overlap(struct test *t)
{
	struct cfi_writer writer = {0};
	size_t outer = cfi_put_cie(&writer, RA, "", 0), inner;
	struct unwind_section_view view;
	struct picked picked;
	uint32_t reach = 0;

	cfi_begin_fde(&writer, outer, 0x1000, 0x20);
	CFI_PUT(&writer, 0, 0, 0);
	inner = writer.bytes.count; /* aligned, inside the FDE: a CIE that ends after it */
	cfi_put_uint(&writer, 28, 4);
	cfi_put_uint(&writer, 0, 4);
	CFI_PUT(&writer, 1, 'z', 'R', 0, 1, 0x78, RA, 1, 0x1b, 0, 0, 0);
	cfi_end(&writer);
	CHECK_INT(t, inner % 4, 0);
	cfi_begin_fde(&writer, inner, 0x2000, 0x20);
	cfi_end(&writer);
	cfi_begin_fde(&writer, outer, 0x3000, 0x20);
	cfi_end(&writer);
	view = view_of(&writer, CFI_EH_FRAME);
	picked = PICK(&view, 0x1000, 0x2000, 0x3000);
	CHECK_INT(t, picked.count, 0);
	CHECK_INT(t, picked.pieces.bytes, writer.bytes.count);
	for (size_t i = 0; i < picked.pieces.list.count; i++) {
		CHECK(t, picked.pieces.list.items[i].offset >= reach);
		reach = picked.pieces.list.items[i].offset + picked.pieces.list.items[i].size;
	}
	CHECK_INT(t, reach, writer.bytes.count);
	unwind_pieces_deinit(&picked.pieces);
	array_free(&writer.bytes);
}

TEST_MAIN(TEST(tells_unnamed_functions_that_were_hit), TEST(reads_no_hole), TEST(shares_a_cie),
	  TEST(ends_of_functions), TEST(ends_at_what_is_malformed), TEST(pieces_do_not_overlap))
