/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Split units out of a package (.dwp; DWARF 5 §7.3.5, and before it gcc.gnu.org/wiki/DebugFissionDWP, whose index looks alike),
 * which libdw 0.188 does not read. A unit's part of each section is put into a small ELF image under the sections' plain names,
 * with the addresses that its skeleton points to, in version 4 also the ranges, and the strings that it uses, and
 * libdw takes that for a file of one unit.
 */
#include <dwarf.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/byte_cursor.h"
#include "common/cleanup.h"
#include "report/resolve/dwarf_internal.h"
#include "report/resolve/package_index.h"

enum { PART_INFO, PART_ABBREV, PART_STR_OFFSETS, PART_STR, PART_RNGLISTS, PART_ADDR, PART_RANGES, PARTS };

static const char *const part_names[PARTS] = {".debug_info", ".debug_abbrev", ".debug_str_offsets", ".debug_str",
					      ".debug_rnglists", ".debug_addr", ".debug_ranges"};

struct parts {
	struct line_bytes items[PARTS];
	uint8_t *offsets; /* rewritten .debug_str_offsets */
	uint8_t *ranges, *addresses;
	ARRAY(uint8_t) strings;
};

static void parts_deinit(struct parts *parts)
{
	free(parts->offsets);
	free(parts->ranges);
	free(parts->addresses);
	array_free(&parts->strings);
}

/* --- which part of the package is the unit's --- */

static struct line_bytes cut(struct line_bytes section, uint64_t offset, uint64_t size)
{
	if (!section.bytes || offset > section.size || size > section.size - offset)
		return (struct line_bytes){0};
	return (struct line_bytes){.bytes = section.bytes + offset, .size = size};
}

static struct line_bytes cut_column(struct line_bytes section, const struct package_part *part)
{
	return part->known ? cut(section, part->offset, part->size) : (struct line_bytes){0};
}

/* --- strings: only those that the unit names --- */

static int add_string(struct parts *parts, struct line_bytes strings, uint32_t offset, uint32_t *ret_offset)
{
	const uint8_t *start = offset < strings.size ? strings.bytes + offset : NULL;
	const uint8_t *end = start ? memchr(start, '\0', strings.size - offset) : NULL;
	size_t length = end ? (size_t)(end - start) + 1 : 0, used = parts->strings.count;

	*ret_offset = 0;
	if (!length)
		return 0;
	if (used + length > UINT32_MAX || array_reserve(&parts->strings, used + length) < 0)
		return -ENOMEM;
	memcpy(parts->strings.items + used, start, length);
	parts->strings.count += length;
	*ret_offset = (uint32_t)used;
	return 0;
}

static int rewrite_strings(struct parts *parts, struct line_bytes strings, unsigned int version)
{
	struct line_bytes *offsets = &parts->items[PART_STR_OFFSETS];
	size_t at = version < 5 ? 0 : 8; /* behind the header */
	int r = array_push(&parts->strings, 0);

	parts->offsets = malloc(offsets->size + 1);
	if (r < 0 || !parts->offsets)
		return -ENOMEM;
	if (offsets->size)
		memcpy(parts->offsets, offsets->bytes, offsets->size);
	for (; at + 4 <= offsets->size && r == 0; at += 4) {
		struct byte_cursor cursor = byte_cursor_make(offsets->bytes + at, 4);
		uint32_t moved;

		r = add_string(parts, strings, byte_cursor_u32(&cursor), &moved);
		for (size_t i = 0; i < 4 && r == 0; i++)
			parts->offsets[at + i] = (uint8_t)(moved >> (8 * i));
	}
	offsets->bytes = parts->offsets;
	parts->items[PART_STR] = (struct line_bytes){.bytes = parts->strings.items, .size = parts->strings.count};
	return r;
}

/* --- the image --- */

static int make_image(const struct parts *parts, struct dwarf_image *ret_image)
{
	static const char names[] = "\0.debug_info\0.debug_abbrev\0.debug_str_offsets\0.debug_str\0.debug_rnglists\0"
				    ".debug_addr\0.debug_ranges\0.shstrtab";
	Elf64_Shdr sections[PARTS + 2] = {0};
	Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			     .e_type = ET_REL,
			     .e_machine = EM_X86_64,
			     .e_version = EV_CURRENT,
			     .e_ehsize = sizeof(header),
			     .e_shentsize = sizeof(sections[0]),
			     .e_shnum = PARTS + 2,
			     .e_shstrndx = PARTS + 1};
	size_t used = sizeof(header) + sizeof(sections), size = used + sizeof(names), name = 1;
	struct dwarf_image image = {0};

	for (size_t i = 0; i < PARTS; i++)
		size += parts->items[i].size;
	image.bytes = malloc(size);
	if (!image.bytes)
		return -ENOMEM;
	for (size_t i = 0; i <= PARTS; i++) {
		struct line_bytes part = i < PARTS ? parts->items[i] : (struct line_bytes){(const uint8_t *)names, sizeof(names)};

		sections[i + 1] = (Elf64_Shdr){.sh_name = (Elf64_Word)name,
					       .sh_type = i < PARTS ? SHT_PROGBITS : SHT_STRTAB,
					       .sh_offset = used,
					       .sh_size = part.size,
					       .sh_addralign = 1};
		name += i < PARTS ? strlen(part_names[i]) + 1 : 0;
		if (part.size)
			memcpy(image.bytes + used, part.bytes, part.size);
		used += part.size;
	}
	header.e_shoff = sizeof(header);
	memcpy(image.bytes, &header, sizeof(header));
	memcpy(image.bytes + sizeof(header), sections, sizeof(sections));
	image.elf = elf_memory((char *)image.bytes, size);
	image.dwarf = image.elf ? dwarf_begin_elf(image.elf, DWARF_C_READ, NULL) : NULL;
	*ret_image = image;
	return image.dwarf ? 0 : -ENODATA;
}

/* --- the package --- */

/* Beside the file, and called as it is with ".dwp" behind it. Whose it is its units' identities tell. */
static void open_package(struct dwarf_lines *lines)
{
	char link[64], path[PATH_MAX + 8];
	ssize_t length;
	int fd;

	lines->package_asked = true;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", lines->fd);
	length = readlink(link, path, PATH_MAX - 1);
	if (length <= 0)
		return;
	memcpy(path + length, ".dwp", sizeof(".dwp"));
	fd = dwarf_open_regular(path);
	if (fd >= 0)
		(void)dwarf_open_package(fd, lines); /* open until the process ends */
}

/* 0: the unit is in the package. */
static int collect(struct dwarf_lines *lines, struct dwarf_unit *unit, uint64_t id, unsigned int version, struct parts *parts)
{
	struct package_part columns[PACKAGE_COLUMNS];
	const struct package_sections *package = &lines->package;
	struct line_bytes *items = parts->items;
	int r;

	if (!package_index_find(package->cu_index, id, columns))
		return -ENOENT;
	items[PART_INFO] = cut_column(package->info, &columns[PACKAGE_INFO]);
	items[PART_ABBREV] = cut_column(package->abbrev, &columns[PACKAGE_ABBREV]);
	items[PART_STR_OFFSETS] = cut_column(package->str_offsets, &columns[PACKAGE_STR_OFFSETS]);
	if (version < 5) {
		r = dwarf_based_ranges(lines, &unit->die, &parts->ranges, &items[PART_RANGES].size);
		items[PART_RANGES].bytes = parts->ranges;
	} else {
		if (dwarf_lowpc(&unit->die, &unit->bias) != 0)
			unit->bias = 0;
		r = 0;
		items[PART_RNGLISTS] = cut_column(package->rnglists, &columns[PACKAGE_RNGLISTS]);
	}
	if (r == 0)
		r = dwarf_based_addresses(lines, &unit->die, unit->bias, &parts->addresses, &items[PART_ADDR].size);
	items[PART_ADDR].bytes = parts->addresses;
	return r < 0 ? r : rewrite_strings(parts, package->str, version);
}

bool dwarf_packaged_unit(struct dwarf_lines *lines, struct dwarf_unit *unit, uint64_t id, unsigned int version, Dwarf_Die *ret_root)
{
	_cleanup_(parts_deinit) struct parts parts = {0};
	Dwarf_CU *found = NULL;

	if (!lines->package_asked)
		open_package(lines);
	if (!lines->package.cu_index.bytes || unit->split.dwarf)
		return false;
	if (collect(lines, unit, id, version, &parts) < 0 || make_image(&parts, &unit->split) < 0)
		return false;
	return dwarf_get_units(unit->split.dwarf, NULL, &found, NULL, NULL, ret_root, NULL) == 0;
}
