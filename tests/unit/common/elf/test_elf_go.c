/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Hand-made tables as src/runtime/symtab.go describes them, for each version. A real one: tests/live/test_go.sh. */
#include "common/elf/elf_file.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tests/test.h"

enum { NAMES = 0x100, FUNCTIONS = 0x200, SIZE = 0x300 };

struct made { /* a table, and where the next item goes */
	uint8_t bytes[SIZE];
	size_t at;
};

static void put(struct made *made, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++)
		made->bytes[made->at++] = (uint8_t)(value >> 8 * i);
}

/* main.main at 0, 0x40 long; runtime.goexit after it, up to 0x60. `text`: in the header, `first`: of the list. */
static struct made make(uint32_t magic, uint64_t text, uint64_t first)
{
	struct made made = {.at = 0};
	bool old = magic == 0xfffffffa;
	size_t field = old ? 8 : 4;

	put(&made, magic, 4);
	put(&made, 0x08010000, 4); /* 0, 0, quantum 1, pointers of 8 bytes */
	put(&made, 2, 8);	   /* functions */
	put(&made, 0, 8);	   /* files */
	if (!old)
		put(&made, text, 8);
	put(&made, NAMES, 8);
	put(&made, 0, 8);
	put(&made, 0, 8);
	put(&made, 0, 8);
	put(&made, FUNCTIONS, 8);
	made.at = FUNCTIONS;
	put(&made, first, field);
	put(&made, 0x80, field);
	put(&made, first + 0x40, field);
	put(&made, 0xa0, field);
	put(&made, first + 0x60, field);
	made.at = FUNCTIONS + 0x80;
	put(&made, first, field);
	put(&made, 1, 4);
	made.at = FUNCTIONS + 0xa0;
	put(&made, first + 0x40, field);
	put(&made, 11, 4);
	memcpy(made.bytes + NAMES, "\0main.main\0runtime.goexit", 26);
	return made;
}

static int parse(const struct made *made, uint64_t text, uint64_t text_end, struct elf_symbols *list)
{
	const struct elf_go_table table = {.bytes = made->bytes, .size = SIZE, .text = text, .text_end = text_end};

	return elf_go_parse(&table, list);
}

static void check_two(struct test *t, const struct made *made, uint64_t text, uint64_t text_end)
{
	struct elf_symbols list = {0};

	CHECK_INT(t, parse(made, text, text_end, &list), 0);
	if (CHECK(t, list.count == 2)) {
		CHECK_INT(t, list.items[0].address, 0x401000);
		CHECK_INT(t, list.items[0].size, 0x40);
		CHECK_STR(t, list.names + list.items[0].name, "main.main");
		CHECK_INT(t, list.items[1].address, 0x401040);
		CHECK_INT(t, list.items[1].size, 0x20);
		CHECK_STR(t, list.names + list.items[1].name, "runtime.goexit");
	}
	elf_symbols_deinit(&list);
}

static void reads_each_version(struct test *t)
{
	struct made made = make(0xfffffffa, 0, 0x401000);

	check_two(t, &made, 0, 0);
	made = make(0xfffffff0, 0x401000, 0);
	check_two(t, &made, 0, 0);
	made = make(0xfffffff1, 0x401000, 0);
	check_two(t, &made, 0, 0);
}

static void refuses_what_makes_no_sense(struct test *t)
{
	struct elf_symbols list = {0};
	struct made made = make(0xfffffffb, 0x401000, 0); /* Go 1.2 */

	CHECK_INT(t, parse(&made, 0, 0, &list), -ENOTSUP);
	made = make(0xfffffff1, 0x401000, 0);
	made.bytes[7] = 4; /* 32 bits */
	CHECK_INT(t, parse(&made, 0, 0, &list), -ENOTSUP);
	made = make(0xfffffff1, 0x401000, 0);
	made.bytes[8] = 0xff; /* more functions than there is room for */
	CHECK_INT(t, parse(&made, 0, 0, &list), -EBADMSG);
	made = make(0xfffffff1, 0x401000, 0);
	made.bytes[15] = 0xff;
	CHECK_INT(t, parse(&made, 0, 0, &list), -E2BIG);
	made = make(0xfffffff1, 0x401000, 0);
	made.bytes[FUNCTIONS + 5] = 0xff; /* a function beyond the table */
	CHECK_INT(t, parse(&made, 0, 0, &list), -EBADMSG);
	made = make(0xfffffff1, 0x401000, 0);
	made.bytes[FUNCTIONS + 0x84 + 1] = 0xff; /* a name beyond the table */
	CHECK_INT(t, parse(&made, 0, 0, &list), -EBADMSG);
	made = make(0xfffffff1, 0x401000, 0);
	made.bytes[FUNCTIONS + 8] = 0xff; /* functions that do not ascend */
	CHECK_INT(t, parse(&made, 0, 0, &list), -EBADMSG);
	made = make(0xfffffff1, UINT64_MAX - 8, 0); /* text that wraps to address 0 */
	CHECK_INT(t, parse(&made, 0, 0, &list), -EBADMSG);
	elf_symbols_deinit(&list);
}

/* Puts the runs of main.main's stack pointer: 0 for 4 bytes, 24 for 0x38, and 0 again for 4. */
static void put_runs(struct made *made, const void *runs, size_t size)
{
	enum { VALUES = 0x2d0, WORD_OF_VALUES = 6 };

	made->at = 8 + WORD_OF_VALUES * 8;
	put(made, VALUES, 8);
	made->at = FUNCTIONS + 0x80 + 4 + 3 * 4;
	put(made, 1, 4);
	memcpy(made->bytes + VALUES + 1, runs, size);
}

static int frames_of(const struct made *made, uint8_t **ret_bytes, size_t *ret_size)
{
	return elf_go_frames(&(struct elf_go_table){.bytes = made->bytes, .size = SIZE}, ret_bytes, ret_size);
}

static void frame_sizes_become_call_frame_information(struct test *t)
{
	static const uint8_t runs[] = {2, 4, 48, 0x38, 47, 4, 0}, wanted[] = {
		0x0e, 8, 0x04, 4, 0, 0, 0, 0x0e, 32, 0x04, 0x38, 0, 0, 0, 0x0e, 8}; /* CFA offsets, and steps */
	struct made made = make(0xfffffff1, 0x401000, 0);
	uint8_t *bytes = NULL;
	uint64_t place[2];
	size_t size = 0;

	put_runs(&made, runs, sizeof(runs));
	REQUIRE(t, !frames_of(&made, &bytes, &size));
	REQUIRE(t, size >= 24 + 24 + sizeof(wanted));
	memcpy(place, bytes + 24 + 8, sizeof(place)); /* behind the CIE, a length, and the CIE's place */
	CHECK(t, place[0] == 0x401000 && place[1] == 0x40);
	CHECK_MEM(t, bytes + 24 + 24, wanted, sizeof(wanted));
	free(bytes);
}

/* What makes no sense has no entry, and costs nothing: a negative frame, a run of no code, one without an end. */
static void frame_sizes_that_make_no_sense(struct test *t)
{
	static const uint8_t wrong[][4] = {{1, 4, 0, 0}, {2, 0, 0, 0}, {0xff, 0xff, 0xff, 0xff}, {0, 4, 0, 0}};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct made made = make(0xfffffff1, 0x401000, 0);
		uint8_t *bytes = NULL;
		uint64_t start = 0;
		size_t size = 0;

		put_runs(&made, wrong[i], sizeof(wrong[i]));
		CHECK_INT(t, frames_of(&made, &bytes, &size), 0);
		if (size >= 24 + 16)
			memcpy(&start, bytes + 24 + 8, sizeof(start));
		CHECK(t, start != 0x401000);
		free(bytes);
	}
}

TEST_MAIN(TEST(frame_sizes_become_call_frame_information), TEST(frame_sizes_that_make_no_sense),
	  TEST(reads_each_version), TEST(refuses_what_makes_no_sense))
