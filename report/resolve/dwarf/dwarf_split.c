/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Split units. They are in a package (.dwp; DWARF 5 §7.3.5, and before it
 * gcc.gnu.org/wiki/DebugFissionDWP, whose index has the same layout), which libdw 0.188 does not
 * support, or each in its own file (.dwo), which libdw can only open by name. So we copy a unit's
 * part of each section to a small ELF image under the plain section names, with the addresses that
 * its skeleton points to, in version 4 also the ranges, and the strings that it uses. For libdw
 * that is a file with one unit.
 */
#include <dwarf.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/byte_cursor.h"
#include "common/cleanup.h"
#include "report/resolve/dwarf/dwarf_internal.h"
#include "report/resolve/dwarf/package_index.h"
#include "report/resolve/file/local_files.h"

enum {
	PART_INFO,
	PART_ABBREV,
	PART_STR_OFFSETS,
	PART_STR,
	PART_RNGLISTS,
	PART_ADDR,
	PART_RANGES,
	PARTS
};

static const char *const part_names[PARTS] = {
	".debug_info", ".debug_abbrev", ".debug_str_offsets", ".debug_str",
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

/* --- the unit's part of a package --- */

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

/* False: the unit is not in the package. */
static bool cut_unit(const struct split_sections *package, uint64_t id, struct split_sections *ret_unit)
{
	struct package_part columns[PACKAGE_COLUMNS];

	if (!package_index_find(package->cu_index, id, columns))
		return false;
	*ret_unit = (struct split_sections){
		.info = cut_column(package->info, &columns[PACKAGE_INFO]),
		.abbrev = cut_column(package->abbrev, &columns[PACKAGE_ABBREV]),
		.str_offsets = cut_column(package->str_offsets, &columns[PACKAGE_STR_OFFSETS]),
		.rnglists = cut_column(package->rnglists, &columns[PACKAGE_RNGLISTS]),
		.str = package->str,
	};
	return true;
}

/* --- strings: only those that the unit uses --- */

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
	size_t at = version < 5 ? 0 : 8; /* after the header */
	int r = array_push(&parts->strings, 0);

	parts->offsets = malloc(offsets->size + 1);
	if (r < 0 || !parts->offsets)
		return -ENOMEM;
	if (offsets->size)
		memcpy(parts->offsets, offsets->bytes, offsets->size);
	for (; at + 4 <= offsets->size && !r; at += 4) {
		struct byte_cursor cursor = byte_cursor_make(offsets->bytes + at, 4);
		uint32_t moved;

		r = add_string(parts, strings, byte_cursor_u32(&cursor), &moved);
		for (size_t i = 0; i < 4 && !r; i++)
			parts->offsets[at + i] = (uint8_t)(moved >> (8 * i));
	}
	offsets->bytes = parts->offsets;
	parts->items[PART_STR] = (struct line_bytes){.bytes = parts->strings.items,
						     .size = parts->strings.count};
	return r;
}

/* --- the image --- */

static const char image_names[] = "\0.debug_info\0.debug_abbrev\0.debug_str_offsets\0.debug_str\0"
				  ".debug_rnglists\0.debug_addr\0.debug_ranges\0.shstrtab";

/* The sections are the parts in their order, then the section names. */
static const Elf64_Ehdr image_header = {
	.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	.e_type = ET_REL,
	.e_machine = EM_X86_64,
	.e_version = EV_CURRENT,
	.e_shoff = sizeof(image_header),
	.e_ehsize = sizeof(image_header),
	.e_shentsize = sizeof(Elf64_Shdr),
	.e_shnum = PARTS + 2,
	.e_shstrndx = PARTS + 1,
};

static int make_image(const struct parts *parts, struct dwarf_image *ret_image)
{
	const struct line_bytes names = {(const uint8_t *)image_names, sizeof(image_names)};
	Elf64_Shdr sections[PARTS + 2] = {0};
	size_t used = sizeof(image_header) + sizeof(sections), size = used + names.size, name = 1;
	struct dwarf_image image = {0};

	for (size_t i = 0; i < PARTS; i++)
		size += parts->items[i].size;
	image.bytes = malloc(size);
	if (!image.bytes)
		return -ENOMEM;
	for (size_t i = 0; i <= PARTS; i++) {
		struct line_bytes part = i < PARTS ? parts->items[i] : names;

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
	memcpy(image.bytes, &image_header, sizeof(image_header));
	memcpy(image.bytes + sizeof(image_header), sections, sizeof(sections));
	image.elf = elf_memory((char *)image.bytes, size);
	image.dwarf = image.elf ? dwarf_begin_elf(image.elf, DWARF_C_READ, NULL) : NULL;
	*ret_image = image;
	return image.dwarf ? 0 : -ENODATA;
}

/* --- the unit --- */

static int collect(struct dwarf_lines *lines, struct dwarf_unit *unit, const struct split_sections *own,
		   unsigned int version, struct parts *parts)
{
	struct line_bytes *items = parts->items;
	int r = 0;

	items[PART_INFO] = own->info;
	items[PART_ABBREV] = own->abbrev;
	items[PART_STR_OFFSETS] = own->str_offsets;
	if (version < 5) {
		r = dwarf_based_ranges(lines, &unit->die, &parts->ranges, &items[PART_RANGES].size);
		items[PART_RANGES].bytes = parts->ranges;
	} else {
		if (dwarf_lowpc(&unit->die, &unit->bias) != 0)
			unit->bias = 0;
		items[PART_RNGLISTS] = own->rnglists;
	}
	if (!r)
		r = dwarf_based_addresses(lines, &unit->die, unit->bias, &parts->addresses,
					  &items[PART_ADDR].size);
	items[PART_ADDR].bytes = parts->addresses;
	return r < 0 ? r : rewrite_strings(parts, own->str, version);
}

/* Only the unit's own id counts, whatever a file or an index says. */
static bool find_root(Dwarf *dwarf, uint64_t id, Dwarf_Die *ret_root)
{
	Dwarf_CU *unit = NULL;
	uint64_t found;
	uint8_t type;

	while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, ret_root, NULL) == 0)
		if (type == DW_UT_split_compile && !dwarf_cu_info(unit, NULL, NULL, NULL, NULL, &found, NULL, NULL) &&
		    found == id)
			return true;
	return false;
}

struct wanted_unit {
	struct dwarf_unit *unit;
	uint64_t id;
	unsigned int version;
};

static bool make_unit(struct dwarf_lines *lines, const struct wanted_unit *wanted, const struct split_sections *own,
		      Dwarf_Die *ret_root)
{
	_cleanup_(parts_deinit) struct parts parts = {0};
	struct dwarf_image *split = &wanted->unit->split;

	if (!collect(lines, wanted->unit, own, wanted->version, &parts) && !make_image(&parts, split) &&
	    find_root(split->dwarf, wanted->id, ret_root))
		return true;
	dwarf_close_image(split);
	return false;
}

/* The package is next to the file, with ".dwp" appended to the name. Unit ids show whether it belongs to the file. */
static void open_package(struct dwarf_lines *lines)
{
	struct opened_file file;
	char path[PATH_MAX];
	int length;

	lines->package_asked = true;
	if (!lines->real || !*lines->real)
		return;
	length = snprintf(path, sizeof(path), "%s.dwp", lines->real);
	if (length < 0 || (size_t)length >= sizeof(path) ||
	    opener_open(lines->files->opener, OPENER_ELF, path, &file) < 0)
		return;
	free(file.real);
	lines->quality.not_ours |= !file.ours;
	(void)dwarf_read_split(file.fd, 0, &lines->packaged, &lines->package); /* open until the process ends */
}

static bool make_packaged(struct dwarf_lines *lines, const struct wanted_unit *wanted, Dwarf_Die *ret_root)
{
	struct split_sections own;

	if (!lines->package_asked)
		open_package(lines);
	return cut_unit(&lines->package, wanted->id, &own) && make_unit(lines, wanted, &own, ret_root);
}

static bool make_loose(struct dwarf_lines *lines, const struct wanted_unit *wanted, unsigned int place,
		       Dwarf_Die *ret_root)
{
	_cleanup_close_ int fd = dwarf_open_loose(lines, &wanted->unit->die, place);
	struct split_sections own;
	struct dwarf_image image;
	bool made;

	if (fd < 0 || dwarf_read_split(fd, wanted->id, &image, &own) < 0)
		return false;
	made = make_unit(lines, wanted, &own, ret_root);
	dwarf_close_image(&image);
	return made;
}

bool dwarf_split_unit(struct dwarf_lines *lines, struct dwarf_unit *unit, uint64_t id, unsigned int version,
		      Dwarf_Die *ret_root)
{
	const struct wanted_unit wanted = {.unit = unit, .id = id, .version = version};
	bool made;

	if (unit->split.dwarf)
		return find_root(unit->split.dwarf, id, ret_root);
	if (!lines->files)
		return false;
	made = make_packaged(lines, &wanted, ret_root);
	for (unsigned int place = 0; place < DWARF_LOOSE_PLACES && !made; place++)
		made = make_loose(lines, &wanted, place, ret_root);
	return made;
}
