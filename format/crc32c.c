/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/crc32c.h"

#include <string.h>

/*
 * The polynomial is 0x82f63b78: 0x1EDC6F41, bits reflected.
 * BASIS(k, b): the register after 8 (k + 1) shifts from the register 1 << b. The checksum is
 * linear, so an entry of the k-th table is the exclusive or of the basis values of the bits of its
 * index.
 */
#define ENTRY(n, b0, b1, b2, b3, b4, b5, b6, b7)                                                   \
	(((n) & 1 ? b0 : 0) ^ ((n) & 2 ? b1 : 0) ^ ((n) & 4 ? b2 : 0) ^ ((n) & 8 ? b3 : 0) ^       \
	 ((n) & 16 ? b4 : 0) ^ ((n) & 32 ? b5 : 0) ^ ((n) & 64 ? b6 : 0) ^ ((n) & 128 ? b7 : 0))
#define ENTRIES4(n, ...)                                                                           \
	ENTRY(n, __VA_ARGS__), ENTRY((n) + 1, __VA_ARGS__), ENTRY((n) + 2, __VA_ARGS__), ENTRY((n) + 3, __VA_ARGS__)
#define ENTRIES16(n, ...)                                                                          \
	ENTRIES4(n, __VA_ARGS__), ENTRIES4((n) + 4, __VA_ARGS__), ENTRIES4((n) + 8, __VA_ARGS__),  \
		ENTRIES4((n) + 12, __VA_ARGS__)
#define ENTRIES64(n, ...)                                                                          \
	ENTRIES16(n, __VA_ARGS__), ENTRIES16((n) + 16, __VA_ARGS__), ENTRIES16((n) + 32, __VA_ARGS__), \
		ENTRIES16((n) + 48, __VA_ARGS__)
#define ENTRIES256(...)                                                                            \
	{                                                                                          \
		ENTRIES64(0, __VA_ARGS__), ENTRIES64(64, __VA_ARGS__), ENTRIES64(128, __VA_ARGS__), \
			ENTRIES64(192, __VA_ARGS__)                                                \
	}

/* tables[k][n]: what byte n contributes when k more bytes follow in the same step. */
static const uint32_t tables[8][256] = {
	ENTRIES256(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf, 0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78),
	ENTRIES256(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8, 0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9),
	ENTRIES256(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5, 0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743),
	ENTRIES256(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6, 0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f),
	ENTRIES256(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91, 0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c),
	ENTRIES256(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f, 0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6),
	ENTRIES256(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53, 0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4),
	ENTRIES256(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da, 0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664),
};

static uint32_t step_byte(uint32_t state, uint8_t byte)
{
	return state >> 8 ^ tables[0][(uint8_t)(state ^ byte)];
}

/* Eight bytes at once: Kounavis and Berry, "A systematic approach to building high performance software-based
 * CRC generators", 2005. Little-endian, as trace.h demands. */
static uint32_t step_word(uint32_t state, const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	word ^= state;
	state = 0;
	for (int k = 0; k < 8; k++)
		state ^= tables[7 - k][(uint8_t)(word >> (8 * k))];
	return state;
}

uint32_t crc32c_portable(uint32_t seed, const void *bytes, size_t length)
{
	const uint8_t *next = bytes;
	uint32_t state = ~seed;

	for (; length >= 8; length -= 8, next += 8)
		state = step_word(state, next);
	for (; length; length--)
		state = step_byte(state, *next++);
	return ~state;
}

uint32_t crc32c(uint32_t seed, const void *bytes, size_t length)
{
	return (crc32c_hardware_available() ? crc32c_hardware : crc32c_portable)(seed, bytes, length);
}
