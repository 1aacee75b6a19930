/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/crc32c.h"
#include "tests/test.h"

/* RFC 3720, appendix B.4, and the catalogue's check value. */
static void agrees_with_published_vectors(struct test *t)
{
	uint8_t bytes[32];

	CHECK_INT(t, crc32c(0, "123456789", 9), 0xe3069283);
	memset(bytes, 0, sizeof(bytes));
	CHECK_INT(t, crc32c(0, bytes, 32), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	CHECK_INT(t, crc32c(0, bytes, 32), 0x62a8ab43);
	for (int i = 0; i < 32; i++)
		bytes[i] = (uint8_t)i;
	CHECK_INT(t, crc32c(0, bytes, 32), 0x46dd794e);
	for (int i = 0; i < 32; i++)
		bytes[i] = (uint8_t)(31 - i);
	CHECK_INT(t, crc32c(0, bytes, 32), 0x113fdb5c);
	CHECK_INT(t, crc32c(0, "", 0), 0);
}

static void fill(uint8_t *bytes, size_t length)
{
	uint32_t state = 7;

	for (size_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
}

static void hardware_and_portable_agree_at_every_length_and_alignment(struct test *t)
{
	uint8_t bytes[320];

	if (!crc32c_hardware_available())
		SKIP(t, "this processor has no instruction for it");
	fill(bytes, sizeof(bytes));
	for (size_t from = 0; from < 8; from++)
		for (size_t length = 0; length < 300; length++)
			CHECK_INT(t, crc32c_hardware(5, bytes + from, length),
				  crc32c_portable(5, bytes + from, length));
}

TEST_MAIN(TEST(agrees_with_published_vectors),
	  TEST(hardware_and_portable_agree_at_every_length_and_alignment))
