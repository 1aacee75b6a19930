/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A compressed section in memory: zlib's, truncated, with wrong sizes, not zlib's. */
#include "common/elf/elf_file.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "tests/test.h"

enum { TEXT = 4096, ROOM = 8192, ZSTD = 2 };

struct packed {
	uint8_t text[TEXT], stream[ROOM];
	size_t size;
};

static void make(struct packed *packed)
{
	uLongf size = sizeof(packed->stream);

	for (size_t i = 0; i < TEXT; i++)
		packed->text[i] = (uint8_t)(i * i >> 5);
	if (compress(packed->stream, &size, packed->text, TEXT) != Z_OK)
		abort();
	packed->size = size;
}

static struct elf_section_bytes section_of(uint32_t type, uint64_t says, const struct packed *packed, size_t size,
					   unsigned int times)
{
	const Elf64_Chdr header = {.ch_type = type, .ch_size = says, .ch_addralign = 1};
	struct elf_section_bytes section = {.size = sizeof(header) + times * size, .address = 77, .compressed = true};

	section.bytes = malloc(section.size);
	memcpy(section.bytes, &header, sizeof(header));
	for (unsigned int i = 0; i < times; i++)
		memcpy(section.bytes + sizeof(header) + i * size, packed->stream, size);
	return section;
}

static int unpack(uint32_t type, uint64_t says, const struct packed *packed, size_t size, size_t most)
{
	struct elf_section_bytes section = section_of(type, says, packed, size, 1);
	int r = elf_section_unpack(&section, most);

	if (r < 0 && !section.compressed)
		r = 1; /* it must be unchanged */
	free(section.bytes);
	return r;
}

static void gives_what_was_packed(struct test *t)
{
	struct elf_section_bytes section;
	struct packed packed;

	make(&packed);
	for (unsigned int times = 1; times <= 2; times++) { /* as left by linkers that append what compilers packed */
		section = section_of(ELFCOMPRESS_ZLIB, times * TEXT, &packed, packed.size, times);
		CHECK_INT(t, elf_section_unpack(&section, times * TEXT), 0);
		CHECK_INT(t, section.size, times * TEXT);
		CHECK_INT(t, section.address, 77);
		CHECK(t, !section.compressed);
		for (unsigned int i = 0; i < times; i++)
			CHECK_MEM(t, section.bytes + (size_t)i * TEXT, packed.text, TEXT);
		free(section.bytes);
	}
}

static void refuses_lies(struct test *t)
{
	struct packed packed;

	make(&packed);
	for (size_t size = 0; size < packed.size; size++)
		CHECK_INT(t, unpack(ELFCOMPRESS_ZLIB, TEXT, &packed, size, ROOM), -EBADMSG);
	CHECK_INT(t, unpack(ELFCOMPRESS_ZLIB, TEXT - 1, &packed, packed.size, ROOM), -EBADMSG);
	CHECK_INT(t, unpack(ELFCOMPRESS_ZLIB, TEXT + 1, &packed, packed.size, ROOM), -EBADMSG);
	CHECK_INT(t, unpack(ELFCOMPRESS_ZLIB, 0, &packed, packed.size, ROOM), -EBADMSG);
	CHECK_INT(t, unpack(ELFCOMPRESS_ZLIB, TEXT, &packed, packed.size, TEXT - 1), -E2BIG);
	CHECK_INT(t, unpack(ELFCOMPRESS_ZLIB, UINT64_C(1) << 40, &packed, packed.size, SIZE_MAX), -EBADMSG);
	CHECK_INT(t, unpack(ZSTD, TEXT, &packed, packed.size, ROOM), -ENOTSUP);
}

TEST_MAIN(TEST(gives_what_was_packed), TEST(refuses_lies))
