/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/file/unpack.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/test.h"

enum { ZLIB = 1, ZSTD = 2, TEXT_SIZE = 184, ROOM = 4096 };

/* "call frame information " eight times, by Python's zlib and by zstd -19. */
static const uint8_t of_zlib[] = {
	0x78, 0xda, 0x4b, 0x4e, 0xcc, 0xc9, 0x51, 0x48, 0x2b, 0x4a, 0xcc, 0x4d, 0x55, 0xc8, 0xcc, 0x4b,
	0xcb, 0x2f, 0xca, 0x4d, 0x2c, 0xc9, 0xcc, 0xcf, 0x53, 0x48, 0x1e, 0xec, 0xc2, 0x00, 0x13, 0xab,
	0x45, 0x69,
};
static const uint8_t of_zstd[] = {
	0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x68, 0xf5, 0x00, 0x00, 0xb8, 0x63, 0x61, 0x6c, 0x6c, 0x20, 0x66,
	0x72, 0x61, 0x6d, 0x65, 0x20, 0x69, 0x6e, 0x66, 0x6f, 0x72, 0x6d, 0x61, 0x74, 0x69, 0x6f, 0x6e,
	0x20, 0x01, 0x00, 0x3d, 0x4a, 0xcd, 0x26,
};

struct section {
	uint8_t bytes[ROOM];
	size_t size;
};

static struct section make(uint32_t type, uint64_t says, const uint8_t *payload, size_t size)
{
	const Elf64_Chdr header = {.ch_type = type, .ch_size = says, .ch_addralign = 1};
	struct section section = {.size = sizeof(header) + size};

	memcpy(section.bytes, &header, sizeof(header));
	memcpy(section.bytes + sizeof(header), payload, size);
	return section;
}

static int unpack(const struct section *section, size_t most, size_t *ret_size)
{
	uint8_t *bytes = NULL;
	int r = unpack_section(section->bytes, section->size, most, &bytes, ret_size);

	free(bytes);
	return r;
}

static void check_text(struct test *t, const struct section *section)
{
	static const char text[] = "call frame information ";
	uint8_t *bytes;
	size_t size;

	REQUIRE(t, !unpack_section(section->bytes, section->size, TEXT_SIZE, &bytes, &size));
	CHECK_INT(t, size, TEXT_SIZE);
	for (size_t i = 0; i < size; i += sizeof(text) - 1)
		CHECK_MEM(t, bytes + i, text, sizeof(text) - 1);
	free(bytes);
}

static void both_kinds(struct test *t)
{
	struct section section = make(ZLIB, TEXT_SIZE, of_zlib, sizeof(of_zlib));

	check_text(t, &section);
	section = make(ZSTD, TEXT_SIZE, of_zstd, sizeof(of_zstd));
	check_text(t, &section);
}

/* Each truncated at every length, and with a wrong size. */
static void lies(struct test *t)
{
	static const struct {
		uint32_t type;
		const uint8_t *bytes;
		size_t size;
	} kinds[] = {{ZLIB, of_zlib, sizeof(of_zlib)}, {ZSTD, of_zstd, sizeof(of_zstd)}};
	struct section section;
	size_t size;

	for (size_t kind = 0; kind < 2; kind++) {
		section = make(kinds[kind].type, TEXT_SIZE, kinds[kind].bytes, kinds[kind].size);
		for (section.size = 0; section.size < sizeof(Elf64_Chdr) + kinds[kind].size; section.size++)
			CHECK_INT(t, unpack(&section, ROOM, &size), -EBADMSG);
		section = make(kinds[kind].type, TEXT_SIZE - 1, kinds[kind].bytes, kinds[kind].size);
		CHECK_INT(t, unpack(&section, ROOM, &size), -EBADMSG);
		section = make(kinds[kind].type, TEXT_SIZE + 1, kinds[kind].bytes, kinds[kind].size);
		CHECK_INT(t, unpack(&section, ROOM, &size), -EBADMSG);
		section = make(kinds[kind].type, 0, kinds[kind].bytes, kinds[kind].size);
		CHECK_INT(t, unpack(&section, ROOM, &size), -EBADMSG);
	}
}

static void limits(struct test *t)
{
	struct section section = make(ZLIB, TEXT_SIZE, of_zlib, sizeof(of_zlib));
	size_t size;

	CHECK_INT(t, unpack(&section, TEXT_SIZE - 1, &size), -E2BIG);
	section = make(ZSTD, UINT64_MAX, of_zstd, sizeof(of_zstd));
	CHECK_INT(t, unpack(&section, SIZE_MAX - 1, &size), -E2BIG);
	section = make(ZLIB, UINT64_C(1) << 40, of_zlib, sizeof(of_zlib)); /* more than the stream can give */
	CHECK_INT(t, unpack(&section, SIZE_MAX, &size), -EBADMSG);
	section = make(3, TEXT_SIZE, of_zlib, sizeof(of_zlib));
	CHECK_INT(t, unpack(&section, ROOM, &size), -ENOTSUP);
}

/* As left by a linker that appends what compilers packed. */
static void two_streams(struct test *t)
{
	uint8_t twice[2 * sizeof(of_zlib)], *bytes;
	struct section section;
	size_t size;

	memcpy(twice, of_zlib, sizeof(of_zlib));
	memcpy(twice + sizeof(of_zlib), of_zlib, sizeof(of_zlib));
	section = make(ZLIB, 2 * TEXT_SIZE, twice, sizeof(twice));
	REQUIRE(t, !unpack_section(section.bytes, section.size, ROOM, &bytes, &size));
	CHECK_INT(t, size, 2 * TEXT_SIZE);
	CHECK_MEM(t, bytes, bytes + TEXT_SIZE, TEXT_SIZE);
	free(bytes);
	section = make(ZLIB, 3 * TEXT_SIZE, twice, sizeof(twice));
	CHECK_INT(t, unpack(&section, ROOM, &size), -EBADMSG);
}

TEST_MAIN(TEST(both_kinds), TEST(lies), TEST(limits), TEST(two_streams))
