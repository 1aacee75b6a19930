/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Flattened ranges, rows, answers, and the wire format in the pipe: expectations by hand. */
#include <unistd.h>

#include "report/dwarf/dwarf_internal.h"
#include "report/dwarf/lines.h"
#include "tests/test.h"

static void inner_scopes_win(struct test *t)
{
	/*
	 *	10        20        30        40
	 *	 0-----------------------------     function
	 *	     1---------                     inlined
	 *	        2--                         in that
	 *	                    1-----          and again
	 */
	struct line_index index = {0};
	static const struct {
		uint64_t address;
		uint32_t scope;
	} wanted[] = {{9, LINE_NO_SCOPE}, {10, 0}, {13, 0},  {14, 1}, {17, 2}, {18, 2}, {19, 1},
		      {23, 1},	      {24, 0}, {29, 0},	 {30, 1}, {35, 1}, {36, 0}, {39, 0}, {40, LINE_NO_SCOPE}};

	CHECK_INT(t, line_index_add_range(&index, 30, 36, 1), 0);
	CHECK_INT(t, line_index_add_range(&index, 10, 40, 0), 0);
	CHECK_INT(t, line_index_add_range(&index, 17, 19, 2), 0);
	CHECK_INT(t, line_index_add_range(&index, 14, 24, 1), 0);
	CHECK_INT(t, line_index_add_range(&index, 20, 20, 9), 0);
	REQUIRE(t, !line_index_lay_out(&index));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		CHECK_INT(t, line_index_scope(&index, wanted[i].address), wanted[i].scope);
	CHECK_INT(t, index.pieces.count, 8);
	line_index_deinit(&index);
}

/* Hostile DWARF: ranges that cross, that repeat, that reach to the end of the address space. */
static void crossing_ranges_have_one_answer(struct test *t)
{
	struct line_index index = {0};

	CHECK_INT(t, line_index_add_range(&index, 10, 30, 5), 0);
	CHECK_INT(t, line_index_add_range(&index, 20, 40, 3), 0);
	CHECK_INT(t, line_index_add_range(&index, 25, 35, 4), 0);
	CHECK_INT(t, line_index_add_range(&index, 20, 40, 3), 0);
	CHECK_INT(t, line_index_add_range(&index, 100, UINT64_MAX, 1), 0);
	REQUIRE(t, !line_index_lay_out(&index));
	CHECK_INT(t, line_index_scope(&index, 29), 5);
	CHECK_INT(t, line_index_scope(&index, 30), 4);
	CHECK_INT(t, line_index_scope(&index, 35), 3);
	CHECK_INT(t, line_index_scope(&index, 40), LINE_NO_SCOPE);
	CHECK_INT(t, line_index_scope(&index, 99), LINE_NO_SCOPE);
	CHECK_INT(t, line_index_scope(&index, UINT64_MAX - 1), 1);
	CHECK_INT(t, line_index_scope(&index, UINT64_MAX), LINE_NO_SCOPE);
	line_index_deinit(&index);
}

/* --- the pipe --- */

static const uint64_t addresses[] = {0x10, 0x20, 0x30};

/* What a compromised child may send. Bytes by hand: see line_wire.h. */
static void a_wild_child_is_not_believed(struct test *t)
{
	static const struct {
		uint8_t bytes[16];
		size_t size;
		size_t kept; /* answers for 0x10 */
	} cases[] = {
		{{2, 0, 1, 0, 0, 5}, 6, 1},			  /* good, but no end */
		{{2, 0, 1, 1, 0, 5}, 6, 0},			  /* a text that was never sent */
		{{2, 3, 1, 0, 0, 5}, 6, 0},			  /* an address that was not asked for */
		{{1, 0xff, 0xff, 0xff, 0x7f, 'x'}, 6, 0},	  /* a text longer than all */
		{{2, 0, 0xff, 0xff, 0x03, 0, 0, 0}, 8, 0},	  /* more levels than allowed */
		{{7, 0}, 2, 0},					  /* no such record */
		{{2, 0, 1, 0, 0, 5, 2, 0, 1, 0, 0, 6}, 12, 1},	  /* one address twice */
		{{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}, 11, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct line_level *levels;
		struct line_answers answers;
		struct text_pool texts;
		int end;

		REQUIRE(t, !text_pool_init(&texts) && !line_answers_init(&answers, addresses, 3));
		CHECK_INT(t, wire_read(cases[i].bytes, cases[i].size, &texts, &answers, &end), 0);
		CHECK_INT(t, end, -EBADMSG);
		CHECK_INT(t, line_answers_find(&answers, 0x10, &levels), cases[i].kept);
		line_answers_deinit(&answers);
		text_pool_deinit(&texts);
	}
}

/* The merged answers of a module, as the cache of names keeps them. */
static void answers_are_packed(struct test *t)
{
	static const struct line_level deep[] = {{"inner", "/src/a.h", 3}, {"outer", "/src/a.c", UINT32_MAX}};
	static const uint8_t bad[][8] = {{2, 5}, {1, 5, 2, 1, 0}, {0xff, 0xff, 0xff, 0x7f}};
	static const uint64_t far[] = {0, 1, UINT64_MAX};
	struct line_answers answers, got;
	const struct line_level *levels;
	struct wire_writer writer;
	struct text_pool texts;

	REQUIRE(t, !wire_writer_init(&writer, -1) && !text_pool_init(&texts) && !line_answers_init(&answers, far, 3));
	REQUIRE(t, !line_answers_put(&answers, 2, deep, 2));
	CHECK_INT(t, wire_pack(&answers, &writer), 0);
	REQUIRE(t, !wire_unpack(writer.bytes.items, writer.bytes.count, &texts, &got));
	CHECK_INT(t, got.count, 3);
	REQUIRE(t, line_answers_find(&got, UINT64_MAX, &levels) == 2);
	CHECK_STR(t, levels[0].function, "inner");
	CHECK_STR(t, levels[1].file, "/src/a.c");
	CHECK_INT(t, levels[1].line, UINT32_MAX);
	CHECK_INT(t, line_answers_find(&got, 1, &levels), 0);
	line_answers_deinit(&got);
	for (size_t size = 0; size < writer.bytes.count; size++)
		CHECK_INT(t, wire_unpack(writer.bytes.items, size, &texts, &got), -EBADMSG);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_INT(t, wire_unpack(bad[i], sizeof(bad[i]), &texts, &got), -EBADMSG);
	line_answers_deinit(&answers);
	text_pool_deinit(&texts);
	wire_writer_deinit(&writer);
}

/* --- line program --- */

/* Line number programs, byte by byte; their results are worked out by hand from DWARF 5 §6.2. */

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

TEST_MAIN(TEST(inner_scopes_win), TEST(crossing_ranges_have_one_answer),
	  TEST(a_wild_child_is_not_believed), TEST(answers_are_packed), TEST(version_4_is_read),
	  TEST(paths_are_joined), TEST(cut_programs_end))
