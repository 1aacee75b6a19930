/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Code for the trace, picked from this very program: what is written equals what the processor has in memory. */
#include "record/pick/code_pick.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "common/byte_cursor.h"
#include "common/elf/call_code.h"
#include "tests/test.h"

enum {
	SPAN = 2048, /* bytes of our code, from the entry point on */
	RETURN = 4,
	PROLOGUE = 256,
};

struct bench {
	struct elf_file *file;
	uint64_t entry;	    /* link-time */
	const uint8_t *code; /* at the entry point, in memory */
	struct elf_symbol symbols[2];
	struct code_pick pick;
};

/* Two made-up functions of 40 and 1000 bytes, one after the other. */
static void bench_open(struct test *t, struct bench *b)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	*b = (struct bench){0};
	REQUIRE(t, fd >= 0 && elf_file_create(fd, &b->file) == 0);
	b->entry = elf_file_entry(b->file);
	b->code = (const uint8_t *)getauxval(AT_ENTRY);
	b->symbols[0] = (struct elf_symbol){.address = b->entry, .size = 40};
	b->symbols[1] = (struct elf_symbol){.address = b->entry + 40, .size = 1000};
	b->pick = (struct code_pick){.file = b->file, .symbols = b->symbols, .symbol_count = 2};
}

static void bench_close(struct bench *b)
{
	code_pick_deinit(&b->pick);
	elf_file_destroy(b->file);
}

static void want(bool wanted[SPAN], int64_t from, int64_t size)
{
	for (int64_t i = 0; i < size; i++)
		wanted[from + i] = true;
}

/* Each wanted byte is written once, in ascending order, and no other; in runs that do not touch. */
static void check_text(struct test *t, struct bench *b, const bool wanted[SPAN])
{
	struct elf_section_bytes text = {0};
	bool written[SPAN] = {0};
	struct byte_cursor cursor;
	uint64_t at = 0;

	CHECK_INT(t, code_pick_write(&b->pick, &text), 0);
	REQUIRE(t, text.bytes);
	cursor = byte_cursor_make(text.bytes, text.size);
	CHECK_INT(t, byte_cursor_varint(&cursor), b->entry);
	while (byte_cursor_left(&cursor)) {
		uint64_t gap = byte_cursor_varint(&cursor), size = byte_cursor_varint(&cursor);
		const uint8_t *bytes = byte_cursor_bytes(&cursor, size);

		REQUIRE(t, bytes && gap);
		at += gap;
		REQUIRE(t, at >= b->entry && at + size <= b->entry + SPAN);
		CHECK_MEM(t, bytes, b->code + (at - b->entry), size);
		want(written, (int64_t)(at - b->entry), (int64_t)size);
		at += size;
	}
	CHECK_MEM(t, written, wanted, SPAN);
	free(text.bytes);
}

/* The call before the hit and a return after it; of the function that holds it, what sets up its frame. */
static void functions_of_hits(struct test *t)
{
	bool wanted[SPAN] = {0};
	struct bench b;

	bench_open(t, &b);
	const uint64_t hits[] = {b.entry + 39, b.entry + 40 + 999, b.entry + 40 + 1000 + 300};

	CHECK_INT(t, code_pick_functions(&b.pick, hits, 3), 0);
	want(wanted, 0, 40);
	want(wanted, 40, PROLOGUE);
	for (int i = 0; i < 3; i++) /* the last one is in no function */
		want(wanted, (int64_t)(hits[i] - b.entry) + 1 - CALL_CODE_BYTES, CALL_CODE_BYTES + RETURN);
	check_text(t, &b, wanted);
	bench_close(&b);
}

static void a_hit_behind_a_function_is_not_in_it(struct test *t)
{
	bool wanted[SPAN] = {0};
	struct bench b;

	bench_open(t, &b);
	const uint64_t hit = b.entry + 40 + 1000;

	CHECK_INT(t, code_pick_functions(&b.pick, &hit, 1), 0);
	want(wanted, 40 + 1000 + 1 - CALL_CODE_BYTES, CALL_CODE_BYTES + RETURN);
	check_text(t, &b, wanted);
	bench_close(&b);
}

static void nothing_is_written_without_windows(struct test *t)
{
	const uint64_t last = UINT64_MAX;
	struct elf_section_bytes text = {0};
	struct bench b;

	bench_open(t, &b);
	CHECK_INT(t, code_pick_functions(&b.pick, &last, 1), 0); /* no address follows */
	CHECK_INT(t, code_pick_calls(&b.pick, &last, 1), 0);
	CHECK_INT(t, code_pick_write(&b.pick, &text), 0);
	CHECK(t, !text.bytes);
	bench_close(&b);
}

/* Exactly those addresses behind the entry point are picked at which a call ends. */
static void calls_before_hits(struct test *t)
{
	uint64_t hits[SPAN - CALL_CODE_BYTES];
	size_t count = 0, calls = 0;
	struct call_code call;
	struct bench b;

	bench_open(t, &b);
	b.pick.symbol_count = 0;
	for (uint64_t i = CALL_CODE_BYTES; i < SPAN; i++) {
		hits[count++] = b.entry + i - 1;
		calls += call_code_before(elf_file_machine(b.file), b.code + i - CALL_CODE_BYTES, b.entry + i, &call);
	}
	CHECK_INT(t, code_pick_calls(&b.pick, hits, count), 0);
	CHECK(t, calls > 0 && b.pick.windows.count >= calls);
	for (size_t i = 0; i < calls; i++) {
		const uint64_t end = b.pick.windows.items[i].address + CALL_CODE_BYTES;

		CHECK_INT(t, b.pick.windows.items[i].size, CALL_CODE_BYTES);
		CHECK(t, call_code_before(elf_file_machine(b.file), b.code + (end - b.entry) - CALL_CODE_BYTES, end,
					  &call));
		CHECK(t, !i || end > b.pick.windows.items[i - 1].address + CALL_CODE_BYTES);
	}
	bench_close(&b);
}

TEST_MAIN(TEST(functions_of_hits), TEST(a_hit_behind_a_function_is_not_in_it), TEST(nothing_is_written_without_windows),
	  TEST(calls_before_hits))
