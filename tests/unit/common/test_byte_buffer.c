/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/byte_buffer.h"

#include "common/byte_cursor.h"
#include "tests/random.h"
#include "tests/test.h"

static void writes_known_bytes(struct test *t)
{
	static const uint8_t wanted[] = {0x34, 0x12, 0xb9, 0x64, 3, 0xff, 0xff, 0xff, 0xff, 0xff,
					 0xff, 0xff, 0xff, 0xff, 1,    2,    'h',  'i',  0};
	uint8_t bytes[64];
	struct byte_buffer buffer = {.bytes = bytes, .room = sizeof(bytes)};

	byte_buffer_uint(&buffer, 0x1234, 2);
	byte_buffer_varint(&buffer, 12857); /* DWARF 5, figure C.3 */
	byte_buffer_zigzag(&buffer, -2);
	byte_buffer_zigzag(&buffer, INT64_MIN);
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

TEST_MAIN(TEST(writes_known_bytes), TEST(stops_when_full))
