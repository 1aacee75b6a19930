/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/dwarf/dwarf_door.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <string.h>
#include <sys/resource.h>

#include "common/byte_cursor.h"
#include "common/cleanup.h"
#include "report/resolve/dwarf/dwarf_internal.h"
#include "report/resolve/file/unpack_sections.h"

void dwarf_close_image(struct dwarf_image *image)
{
	if (image->dwarf)
		(void)dwarf_end(image->dwarf);
	if (image->elf)
		(void)elf_end(image->elf);
	free(image->bytes);
	*image = (struct dwarf_image){0};
}

static int open_elf(int fd, struct dwarf_image *ret_image)
{
	struct dwarf_image image = {0};
	size_t size;
	int r = unpack_sections(fd, &image.bytes, &size);

	if (r < 0)
		return r;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENODATA;
	image.elf = image.bytes ? elf_memory((char *)image.bytes, size) :
				  elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!image.elf)
		dwarf_close_image(&image);
	*ret_image = image;
	return image.elf ? 0 : -ENODATA;
}

static int open_image(int fd, struct dwarf_image *ret_image)
{
	int r = open_elf(fd, ret_image);

	if (r < 0)
		return r;
	ret_image->dwarf = dwarf_begin_elf(ret_image->elf, DWARF_C_READ, NULL);
	if (!ret_image->dwarf)
		dwarf_close_image(ret_image);
	return ret_image->dwarf ? 0 : -ENODATA;
}

/* Adds the range of a code section. Debug files have the headers of these sections, too. */
static int add_code(struct dwarf_lines *lines, const GElf_Shdr *header)
{
	uint64_t high;

	if (!(header->sh_flags & SHF_ALLOC) || !(header->sh_flags & SHF_EXECINSTR) ||
	    __builtin_add_overflow(header->sh_addr, header->sh_size, &high))
		return 0;
	return array_push(&lines->code, (struct dwarf_code){.low = header->sh_addr, .high = high});
}

struct wanted_section {
	const char *name;
	struct line_bytes *bytes;
};

/*
 * Whether the section begins with this split unit. In version 5 each type unit has a section of the
 * same name (§7.5.1.2); in earlier versions nothing else has that name.
 */
static bool begins_with(struct line_bytes section, uint64_t unit)
{
	struct byte_cursor cursor = byte_cursor_make(section.bytes, section.size);
	uint16_t version;
	uint8_t type;

	(void)byte_cursor_u32(&cursor); /* the length */
	version = byte_cursor_u16(&cursor);
	type = byte_cursor_u8(&cursor);
	(void)byte_cursor_u8(&cursor);	/* the size of addresses */
	(void)byte_cursor_u32(&cursor); /* its abbreviations */
	return byte_cursor_u64(&cursor) == unit && !cursor.bad && version >= 5 && type == DW_UT_split_compile;
}

/* No section is compressed, but the name may still be ".zdebug_line". Of several, takes the first with the unit. */
static void keep_section(const struct wanted_section *wanted, size_t count, uint64_t unit, const char *name,
			 Elf_Scn *section)
{
	size_t skipped = !strncmp(name, ".z", 2) ? 2 : 1;

	for (size_t i = 0; i < count; i++) {
		struct line_bytes *kept = wanted[i].bytes, found = {0};
		const Elf_Data *data;

		if (name[0] != '.' || strcmp(name + skipped, wanted[i].name + 1) != 0 ||
		    (kept->bytes && (!unit || begins_with(*kept, unit))))
			continue;
		data = elf_rawdata(section, NULL);
		if (data && data->d_buf)
			found = (struct line_bytes){.bytes = data->d_buf, .size = data->d_size};
		if (found.bytes && (!kept->bytes || begins_with(found, unit)))
			*kept = found;
	}
}

/* Adds the ranges of code to `lines`, unless that is NULL. `unit`: the id of a split unit, or 0. */
static int read_sections(struct dwarf_lines *lines, Elf *elf, uint64_t unit, const struct wanted_section *wanted,
			 size_t count)
{
	Elf_Scn *section = NULL;
	size_t names;
	int r = elf_getshdrstrndx(elf, &names) < 0 ? -EBADMSG : 0;

	while (!r && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header) ?
				   elf_strptr(elf, names, header.sh_name) : NULL;

		if (!name)
			continue;
		if (header.sh_type != SHT_NOBITS)
			keep_section(wanted, count, unit, name, section);
		if (lines)
			r = add_code(lines, &header);
	}
	return r;
}

static int read_main_sections(struct dwarf_lines *lines)
{
	const struct wanted_section wanted[] = {{".debug_line", &lines->sections.line},
						{".debug_line_str", &lines->sections.line_str},
						{".debug_str", &lines->sections.str},
						{".debug_addr", &lines->addr},
						{".debug_ranges", &lines->ranges}};

	return read_sections(lines, lines->main.elf, 0, wanted, sizeof(wanted) / sizeof(wanted[0]));
}

int dwarf_read_split(int fd, uint64_t id, struct dwarf_image *ret_image, struct split_sections *ret_sections)
{
	struct split_sections *split = ret_sections;
	const struct wanted_section wanted[] = {{".debug_cu_index", &split->cu_index},
						{".debug_info.dwo", &split->info},
						{".debug_abbrev.dwo", &split->abbrev},
						{".debug_str_offsets.dwo", &split->str_offsets},
						{".debug_str.dwo", &split->str},
						{".debug_rnglists.dwo", &split->rnglists}};
	int r;

	*split = (struct split_sections){0};
	r = open_elf(fd, ret_image);
	if (r < 0)
		return r;
	r = read_sections(NULL, ret_image->elf, id, wanted, sizeof(wanted) / sizeof(wanted[0]));
	if (r < 0)
		dwarf_close_image(ret_image);
	return r;
}

bool dwarf_is_code(const struct dwarf_lines *lines, uint64_t address)
{
	for (size_t i = 0; i < lines->code.count; i++)
		if (address >= lines->code.items[i].low && address < lines->code.items[i].high)
			return true;
	return false;
}

int dwarf_lines_open(int fd, struct dwarf_lines **ret_lines)
{
	struct dwarf_lines *lines = calloc(1, sizeof(*lines));
	int r = lines ? text_pool_init(&lines->texts) : -ENOMEM;

	if (!r)
		r = open_image(fd, &lines->main);
	if (!r)
		r = read_main_sections(lines);
	if (r < 0) {
		dwarf_lines_close(lines);
		return r;
	}
	*ret_lines = lines;
	return 0;
}

void dwarf_lines_set_place(struct dwarf_lines *lines, const struct local_files *files, const char *real)
{
	lines->files = files;
	lines->real = real;
}

void dwarf_lines_close(struct dwarf_lines *lines)
{
	if (!lines)
		return;
	dwarf_forget_units(lines);
	array_free(&lines->code);
	array_free(&lines->address_bases);
	array_free(&lines->range_bases);
	text_pool_deinit(&lines->texts);
	dwarf_close_image(&lines->main);
	dwarf_close_image(&lines->alternate);
	dwarf_close_image(&lines->packaged);
	free(lines);
}

bool dwarf_lines_alternate(const struct dwarf_lines *lines, const char **ret_name, struct build_id *ret_id)
{
	const char *name;
	const void *id;
	ssize_t length = dwelf_dwarf_gnu_debugaltlink(lines->main.dwarf, &name, &id);

	if (length <= 0 || length > BUILD_ID_MAX)
		return false;
	ret_id->length = (uint8_t)length;
	memcpy(ret_id->bytes, id, (size_t)length);
	*ret_name = name;
	return true;
}

/*
 * libdw would search for the file itself, anywhere, and use it unchecked. It searches only once, so
 * we make it search while it cannot open anything.
 */
static void forbid_search(struct dwarf_lines *lines)
{
	struct rlimit limit, none;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
	if (setrlimit(RLIMIT_NOFILE, &none) < 0)
		return;
	(void)dwarf_getalt(lines->main.dwarf);
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

int dwarf_lines_set_alternate(struct dwarf_lines *lines, int fd, bool ours)
{
	int r = fd < 0 ? -ENODATA : open_image(fd, &lines->alternate);

	if (r < 0) {
		forbid_search(lines);
		lines->quality.partial = true;
		return r;
	}
	lines->quality.not_ours |= !ours;
	dwarf_setalt(lines->main.dwarf, lines->alternate.dwarf);
	return 0;
}

/* --- queries --- */

struct question {
	uint32_t unit;
	uint32_t number; /* index of the address */
};

static int compare_questions(const void *left, const void *right)
{
	const struct question *l = left, *r = right;

	if (l->unit != r->unit)
		return l->unit < r->unit ? -1 : 1;
	return (l->number > r->number) - (l->number < r->number);
}

enum { LEVELS_MAX = 512 };

/* Innermost first. The first level has the row's line; each other one has the line where it calls the previous one. */
static size_t levels_of(struct dwarf_lines *lines, struct dwarf_unit *unit, uint64_t address,
			struct line_level levels[static LEVELS_MAX])
{
	const struct line_row *row = line_index_row(&unit->index, address);
	uint32_t number = line_index_scope(&unit->index, address);
	const struct dwarf_scope *scope;
	size_t count = 0;

	levels[0] = (struct line_level){.file = row ? dwarf_path(lines, unit, row->file) : NULL,
					.line = row ? row->line : 0};
	if (number == LINE_NO_SCOPE)
		return row ? 1 : 0;
	for (;;) {
		scope = dwarf_know_scope(lines, unit, number);
		levels[count++].function = scope->name;
		number = scope->parent;
		if (!scope->inlined || number == LINE_NO_SCOPE || count == LEVELS_MAX)
			return count;
		levels[count] = (struct line_level){.file = scope->call_file, .line = scope->call_line};
	}
}

static int answer_unit(struct dwarf_lines *lines, const struct question *questions, size_t count,
		       const uint64_t *addresses, dwarf_lines_take *take, void *context)
{
	struct dwarf_unit *unit = &lines->units.items[questions[0].unit];
	struct line_level levels[LEVELS_MAX];
	int r = unit->built ? 0 : dwarf_build_unit(lines, unit);

	lines->quality.partial |= unit->partial;
	for (size_t i = 0; i < count && !r; i++) {
		size_t depth = levels_of(lines, unit, addresses[questions[i].number], levels);

		if (depth)
			r = take(context, questions[i].number, levels, depth);
	}
	return r;
}

static int find_units(struct dwarf_lines *lines, const uint64_t *addresses, size_t count,
		      struct question *questions, size_t *ret_found)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t unit;
		int r = dwarf_find_unit(lines, addresses[i], &unit);

		if (r < 0)
			return r;
		if (r > 0)
			questions[found++] = (struct question){.unit = unit, .number = (uint32_t)i};
	}
	*ret_found = found;
	return 0;
}

int dwarf_lines_resolve(struct dwarf_lines *lines, const uint64_t *addresses, size_t count,
			bool keep, dwarf_lines_take *take, void *context, struct dwarf_quality *ret_quality)
{
	_cleanup_free_ struct question *questions = count < UINT32_MAX ?
						    calloc(count + 1, sizeof(*questions)) : NULL;
	size_t found = 0;
	int r = questions ? find_units(lines, addresses, count, questions, &found) : -ENOMEM;

	if (!r)
		qsort(questions, found, sizeof(*questions), compare_questions);
	for (size_t i = 0, next; i < found && !r; i = next) {
		for (next = i + 1; next < found && questions[next].unit == questions[i].unit;)
			next++;
		r = answer_unit(lines, questions + i, next - i, addresses, take, context);
		if (!keep)
			dwarf_forget_unit(&lines->units.items[questions[i].unit]);
	}
	*ret_quality = lines->quality;
	return r;
}
