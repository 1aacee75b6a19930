/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/file/unpack.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/resolve/file/unpack_sections.h"
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

/* --- whole files --- */

static const char names[] = "\0.zdebug_str\0.debug_info\0.debug_loc\0.shstrtab";
enum { SECTIONS = 5, NAMES = 4, ZDEBUG = 1, INFO = 13, LOC = 25, SHSTRTAB = 36 };

struct file {
	Elf64_Ehdr header;
	Elf64_Shdr sections[SECTIONS];
	char names[sizeof(names)];
	uint8_t old[12 + sizeof(of_zlib)], packed[sizeof(Elf64_Chdr) + sizeof(of_zlib)];
};

static Elf64_Shdr section_at(uint32_t name, uint32_t type, uint64_t flags, uint64_t offset, uint64_t size)
{
	return (Elf64_Shdr){.sh_name = name, .sh_type = type, .sh_flags = flags, .sh_offset = offset, .sh_size = size};
}

/* A section in the old style, one in the new one, and one that is never read. */
static struct file make_file(void)
{
	const Elf64_Chdr header = {.ch_type = ZLIB, .ch_size = TEXT_SIZE, .ch_addralign = 1};
	struct file file = {.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
				       .e_shoff = offsetof(struct file, sections),
				       .e_shentsize = sizeof(Elf64_Shdr),
				       .e_shnum = SECTIONS,
				       .e_shstrndx = NAMES},
			    .old = "ZLIB\0\0\0\0\0\0\0\xb8"};

	memcpy(file.names, names, sizeof(names));
	memcpy(file.old + 12, of_zlib, sizeof(of_zlib));
	memcpy(file.packed, &header, sizeof(header));
	memcpy(file.packed + sizeof(header), of_zlib, sizeof(of_zlib));
	file.sections[1] = section_at(ZDEBUG, SHT_PROGBITS, 0, offsetof(struct file, old), sizeof(file.old));
	file.sections[2] = section_at(INFO, SHT_PROGBITS, SHF_COMPRESSED,
				      offsetof(struct file, packed), sizeof(file.packed));
	file.sections[3] = section_at(LOC, SHT_PROGBITS, SHF_COMPRESSED,
				      offsetof(struct file, packed), sizeof(file.packed));
	file.sections[NAMES] = section_at(SHSTRTAB, SHT_STRTAB, 0, offsetof(struct file, names), sizeof(names));
	return file;
}

static uint8_t *image_of(struct test *t, const struct file *file, Elf64_Shdr sections[static SECTIONS])
{
	int fd = memfd_create("file", MFD_CLOEXEC);
	uint8_t *image = NULL;
	Elf64_Ehdr header;
	size_t size;

	CHECK_INT(t, write(fd, file, sizeof(*file)), sizeof(*file));
	CHECK_INT(t, unpack_sections(fd, &image, &size), 0);
	(void)close(fd);
	if (image) {
		memcpy(&header, image, sizeof(header));
		memcpy(sections, image + header.e_shoff, SECTIONS * sizeof(*sections));
	}
	return image;
}

static void file_is_unpacked(struct test *t)
{
	const struct file file = make_file();
	Elf64_Shdr sections[SECTIONS];
	uint8_t *image = image_of(t, &file, sections);

	REQUIRE(t, image);
	for (int i = 1; i < 3; i++) {
		CHECK_INT(t, sections[i].sh_size, TEXT_SIZE);
		CHECK_INT(t, sections[i].sh_flags, 0);
		CHECK_MEM(t, image + sections[i].sh_offset, "call frame information ", 23);
	}
	CHECK_STR(t, (char *)image + sections[NAMES].sh_offset + sections[1].sh_name, ".debug_str");
	CHECK_STR(t, (char *)image + sections[NAMES].sh_offset + sections[2].sh_name, ".debug_info");
	CHECK_INT(t, sections[3].sh_type, SHT_NOBITS);
	free(image);
}

/* A section that cannot be unpacked is left for others to judge; the rest is unaffected. */
static void damage_stays_where_it_is(struct test *t)
{
	struct file file = make_file();
	Elf64_Shdr sections[SECTIONS];
	uint8_t *image;

	file.old[30] ^= 0x55;
	image = image_of(t, &file, sections);
	REQUIRE(t, image);
	CHECK_INT(t, sections[1].sh_size, sizeof(file.old));
	CHECK_MEM(t, image + sections[1].sh_offset, file.old, sizeof(file.old));
	CHECK_STR(t, (char *)image + sections[NAMES].sh_offset + sections[1].sh_name, ".zdebug_str");
	CHECK_INT(t, sections[2].sh_size, TEXT_SIZE);
	free(image);
}

TEST_MAIN(TEST(both_kinds), TEST(lies), TEST(limits), TEST(two_streams), TEST(file_is_unpacked),
	  TEST(damage_stays_where_it_is))
