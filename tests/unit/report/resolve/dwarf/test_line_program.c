/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Line number programs, byte by byte; their results are worked out by hand from DWARF 5 §6.2. */
#include "report/resolve/dwarf/line_program.h"
#include "tests/test.h"

/* Code is from 0x1000 on. */
static bool is_code(const void *context, uint64_t address)
{
	(void)context;
	return address >= 0x1000 && address < 0x9000;
}

#define SET_ADDRESS(low, high) 0, 9, 2, low, high, 0, 0, 0, 0, 0, 0
#define END_SEQUENCE 0, 1, 1
#define LENGTHS 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 /* of standard opcodes 1 to 12 */

/* line_base -5, line_range 14, opcode_base 13: special opcode 13 + a * 14 + (l + 5) */
#define SPECIAL(address, line) (13 + (address) * 14 + (line) + 5)

static const uint8_t version_4[] = {
	110, 0, 0, 0, 4, 0,				   /* length, version */
	43, 0, 0, 0, 1, 1, 1, 0xfb, 14, 13, LENGTHS,	   /* header */
	'i', 'n', 'c', 0, '/', 'a', 'b', 's', 0, 0,	   /* directories 1, 2 */
	'a', '.', 'c', 0, 0, 0, 0, 'b', '.', 'h', 0, 1, 0, 0, 0, /* files 1 (compilation's directory), 2 (inc) */
	SET_ADDRESS(0x00, 0x20), SPECIAL(0, 4), SPECIAL(2, 1), /* 0x2000 line 5, 0x2002 line 6 */
	4, 2, 3, 0x7f, 1,				   /* file 2, line 5, a row at 0x2002 */
	8, SPECIAL(1, 0),				   /* 17 further and 1: 0x2014 */
	2, 4, END_SEQUENCE,				   /* up to 0x2018 */
	SET_ADDRESS(0x00, 0x00), SPECIAL(0, 90), 2, 0x80, 0x60, END_SEQUENCE, /* dropped: 0 to 0x3000 */
	SET_ADDRESS(0x00, 0x10), SPECIAL(0, 0), 9, 8, 0, END_SEQUENCE, /* 0x1000 line 1, up to 0x1008 */
};

static void version_4_is_read(struct test *t)
{
	const struct line_sections sections = {.line = {version_4, sizeof(version_4)}};
	static const struct {
		uint64_t address;
		uint32_t file, line; /* 0: none */
	} wanted[] = {{0xfff, 0, 0},  {0x1000, 1, 1}, {0x1007, 1, 1}, {0x1008, 0, 0}, {0x1fff, 0, 0}, {0x2000, 1, 5},
		      {0x2001, 1, 5}, {0x2002, 2, 5}, {0x2013, 2, 5}, {0x2017, 2, 5}, {0x2018, 0, 0}, {0x2fff, 0, 0}};
	struct line_index index = {0};
	struct line_program program;

	REQUIRE(t, sizeof(version_4) == version_4[0] + 4);
	REQUIRE(t, !line_program_read(&sections, 0, is_code, NULL, &program));
	CHECK_INT(t, program.sequences.count, 2);
	REQUIRE(t, !line_program_add_rows(&program, &index));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct line_row *row = line_index_row(&index, wanted[i].address);

		CHECK_INT(t, row ? row->file : 0, wanted[i].file);
		CHECK_INT(t, row ? row->line : 0, wanted[i].line);
	}
	line_index_deinit(&index);
	line_program_deinit(&program);
}

static void check_path(struct test *t, const struct line_program *program, uint64_t file,
		       const char *directory, const char *wanted)
{
	char *path = line_program_path(program, file, directory);

	CHECK_STR(t, path, wanted);
	free(path);
}

static void paths_are_joined(struct test *t)
{
	const struct line_sections sections = {.line = {version_4, sizeof(version_4)}};
	struct line_program program;

	REQUIRE(t, !line_program_read(&sections, 0, is_code, NULL, &program));
	check_path(t, &program, 0, "/src", NULL);
	check_path(t, &program, 1, "/src", "/src/a.c");
	check_path(t, &program, 2, "/src", "/src/inc/b.h");
	check_path(t, &program, 2, NULL, "inc/b.h");
	check_path(t, &program, 3, "/src", NULL);
	program.files.items[1].directory = 2;
	check_path(t, &program, 2, "/src", "/abs/b.h");
	program.files.items[1].directory = 3;
	check_path(t, &program, 2, "/src", "/src/b.h");
	program.files.items[1].name = "/own/c.h";
	check_path(t, &program, 2, "/src", "/own/c.h");
	line_program_deinit(&program);
}

/* Files from 0 on; their names in .debug_line_str or in place, with checksums that are skipped. */
static const uint8_t version_5[] = {
	61, 0, 0, 0, 5, 0, 8, 0, 46, 0, 0, 0, 1, 1, 1, 0xfb, 14, 13, LENGTHS, /* ends with the lengths */
	1, 1, 0x1f, 2, 0, 0, 0, 0, 5, 0, 0, 0,				      /* directories: 0 and 1, by line_strp */
	2, 1, 0x08, 2, 0x0b, 2, 'x', '.', 'c', 0, 0, 'y', '.', 'c', 0, 1,    /* files: string, data1 */
	0, 0, 0, 0, 0, 0, 0,
};

static void version_5_is_read(struct test *t)
{
	static const char strings[] = "/src\0sub";
	const struct line_sections sections = {.line = {version_5, sizeof(version_5)},
					       .line_str = {(const uint8_t *)strings, sizeof(strings)}};
	struct line_program program;

	/* The rest of the program is invalid: what the header says stays. */
	(void)line_program_read(&sections, 0, is_code, NULL, &program);
	REQUIRE(t, program.files.count == 2 && program.directories.count == 2);
	check_path(t, &program, 0, "/elsewhere", "/src/x.c");
	check_path(t, &program, 1, "/src", "/src/sub/y.c");
	check_path(t, &program, 2, "/src", NULL);
	line_program_deinit(&program);
}

/* Truncated anywhere, it ends well, and never has more than the complete one. */
static void cut_programs_end(struct test *t)
{
	for (size_t length = 0; length < sizeof(version_4); length++) {
		const struct line_sections sections = {.line = {version_4, length}};
		struct line_program program;

		CHECK_INT(t, line_program_read(&sections, 0, is_code, NULL, &program), -EBADMSG);
		CHECK(t, program.sequences.count == 0 && program.files.count == 0);
		line_program_deinit(&program);
	}
}

TEST_MAIN(TEST(version_4_is_read), TEST(paths_are_joined), TEST(version_5_is_read), TEST(cut_programs_end))
