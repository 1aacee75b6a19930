/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdbool.h>

#include "common/bytes.h"
#include "common/gate/packet.h"
#include "tests/test.h"
#include "tests/unit/descriptors.h"

/* --- byte buffer --- */

static void writes_known_bytes(struct test *t)
{
	static const uint8_t wanted[] = {0x34, 0x12, 0xb9, 0x64, 2, 'h', 'i', 0};
	uint8_t bytes[64];
	struct byte_buffer buffer = {.bytes = bytes, .room = sizeof(bytes)};

	byte_buffer_uint(&buffer, 0x1234, 2);
	byte_buffer_varint(&buffer, 12857); /* DWARF 5, figure C.3 */
	byte_buffer_string(&buffer, "hi", 2);
	byte_buffer_string(&buffer, NULL, 0);
	CHECK_INT(t, buffer.used, sizeof(wanted));
	CHECK_MEM(t, bytes, wanted, sizeof(wanted));
	CHECK(t, !buffer.full);
}

/* What does not fit is not started, and nothing follows it. */
static void stops_when_full(struct test *t)
{
	uint8_t bytes[8];
	struct byte_buffer buffer = {.bytes = bytes, .room = 5};
	volatile size_t all = SIZE_MAX; /* the compiler need not know */

	memset(bytes, '#', sizeof(bytes));
	byte_buffer_uint(&buffer, 0, 4);
	byte_buffer_uint(&buffer, 0, 2);
	CHECK(t, buffer.full && buffer.used == 4);
	byte_buffer_uint(&buffer, 0, 1);
	byte_buffer_varint(&buffer, 0);
	byte_buffer_bytes(&buffer, NULL, 0);
	CHECK(t, buffer.used == 4 && bytes[4] == '#' && bytes[5] == '#');
	buffer.full = false; /* the writer went back to a record's start */
	byte_buffer_bytes(&buffer, bytes, all);
	CHECK(t, buffer.full && buffer.used == 4);
}

/* --- byte cursor --- */

static void reads_little_endian(struct test *t)
{
	static const uint8_t bytes[] = {0x80, 0x34, 0x12, 0x78, 0x56, 0x34, 0x92, 8, 7, 6, 5, 4, 3,
					2, 0x81, 0xff, 0xee, 0xdd};
	struct byte_cursor cursor = byte_cursor_make(bytes, sizeof(bytes));

	CHECK_INT(t, byte_cursor_u8(&cursor), 0x80);
	CHECK_INT(t, byte_cursor_u16(&cursor), 0x1234);
	CHECK_INT(t, byte_cursor_u32(&cursor), 0x92345678);
	CHECK(t, byte_cursor_u64(&cursor) == 0x8102030405060708);
	CHECK_INT(t, byte_cursor_uint(&cursor, 3), 0xddeeff);
	CHECK_INT(t, byte_cursor_left(&cursor), 0);
	CHECK(t, !cursor.bad);
}

/* Once bad, always bad, and nothing moves. */
static void stays_bad(struct test *t)
{
	static const uint8_t bytes[] = {1, 2, 3};
	struct byte_cursor cursor = byte_cursor_make(bytes, sizeof(bytes));

	CHECK_INT(t, byte_cursor_u8(&cursor), 1);
	CHECK_INT(t, byte_cursor_u32(&cursor), 0);
	CHECK(t, cursor.bad && cursor.next == bytes + 1);
	CHECK_INT(t, byte_cursor_u8(&cursor), 0);
	CHECK(t, !byte_cursor_bytes(&cursor, 0));
	CHECK_INT(t, byte_cursor_varint(&cursor), 0);
	CHECK_INT(t, byte_cursor_zigzag(&cursor), 0);
	CHECK(t, byte_cursor_sub(&cursor, 0).bad);
	CHECK_INT(t, byte_cursor_left(&cursor), 0);
	CHECK(t, cursor.next == bytes + 1);
}

static void refuses_lengths_that_wrap(struct test *t)
{
	static const uint8_t bytes[4];

	for (size_t length = sizeof(bytes) + 1; length > sizeof(bytes); length = length * 2 + 1) {
		struct byte_cursor cursor = byte_cursor_make(bytes, sizeof(bytes));

		CHECK(t, !byte_cursor_bytes(&cursor, length) && cursor.bad);
		cursor = byte_cursor_make(bytes, sizeof(bytes));
		CHECK(t, byte_cursor_sub(&cursor, length).bad && cursor.bad);
		if (length == SIZE_MAX)
			break;
	}
}

/* Encodings from the DWARF 5 specification (appendix C, figures C.3 and C.4 give the first ones) and the edges. */
static void reads_varints(struct test *t)
{
	static const struct {
		uint8_t bytes[12];
		size_t length;
		uint64_t value;
		int bad;
	} cases[] = {
		{{2}, 1, 2, 0},
		{{127}, 1, 127, 0},
		{{0x80, 1}, 2, 128, 0},
		{{0x81, 1}, 2, 129, 0},
		{{0xb9, 0x64}, 2, 12857, 0},
		{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, 10, UINT64_MAX, 0},
		{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, 9, UINT64_MAX >> 1, 0},
		{{0x80, 0}, 2, 0, 0}, /* longer than needed */
		{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}, 10, 0, 1},	/* 65 bits */
		{{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}, 11, 0, 1}, /* 11 bytes */
		{{0x80}, 1, 0, 1},
		{{0}, 0, 0, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct byte_cursor cursor = byte_cursor_make(cases[i].bytes, cases[i].length);

		CHECK(t, byte_cursor_varint(&cursor) == cases[i].value);
		CHECK_INT(t, cursor.bad, cases[i].bad);
		if (!cases[i].bad)
			CHECK_INT(t, byte_cursor_left(&cursor), 0);
	}
}

/* Pairs from the Protocol Buffers encoding guide. */
static void reads_zigzag(struct test *t)
{
	static const struct {
		uint8_t bytes[10];
		int64_t value;
	} cases[] = {
		{{0}, 0},
		{{1}, -1},
		{{2}, 1},
		{{3}, -2},
		{{0xfe, 0xff, 0xff, 0xff, 0x0f}, 0x7fffffff},
		{{0xff, 0xff, 0xff, 0xff, 0x0f}, -0x80000000LL},
		{{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, INT64_MAX},
		{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, INT64_MIN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct byte_cursor cursor = byte_cursor_make(cases[i].bytes, 10);

		CHECK_INT(t, byte_cursor_zigzag(&cursor), cases[i].value);
		CHECK(t, !cursor.bad);
	}
}

/*
 * Packets with descriptors: a peer that was taken over cannot fill the receiver's table of
 * them.
 */

/* How many descriptors are left open by a packet with `count` of them; *ret_fd is closed. */
static int left_by(struct test *t, size_t count, bool wanted)
{
	const unsigned int before = count_descriptors();
	int ends[2], fd = -1, bytes = 7, got = 0;

	if (!test_check(t, !socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), "no sockets"))
		return -1;
	send_with_descriptors(ends[0], &bytes, sizeof(bytes), count);
	CHECK_INT(t, packet_receive(ends[1], &got, sizeof(got), 10000, wanted ? &fd : NULL), sizeof(got));
	CHECK_INT(t, got, 7);
	CHECK(t, (fd >= 0) == (wanted && count));
	if (fd >= 0)
		(void)close(fd);
	(void)close(ends[0]);
	(void)close(ends[1]);
	return (int)(count_descriptors() - before);
}

static void no_descriptor_is_left(struct test *t)
{
	for (size_t count = 1; count <= 4; count++) {
		CHECK_INT(t, left_by(t, count, true), 0);
		CHECK_INT(t, left_by(t, count, false), 0);
	}
}

TEST_MAIN(TEST(writes_known_bytes), TEST(stops_when_full), TEST(reads_little_endian),
	  TEST(stays_bad), TEST(refuses_lengths_that_wrap), TEST(reads_varints),
	  TEST(reads_zigzag), TEST(no_descriptor_is_left))
