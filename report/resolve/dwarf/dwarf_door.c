/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/dwarf/dwarf_door.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <string.h>
#include <sys/resource.h>

#include "common/cleanup.h"
#include "report/resolve/dwarf/dwarf_internal.h"

static void close_image(struct dwarf_image *image)
{
	if (image->dwarf)
		(void)dwarf_end(image->dwarf);
	if (image->elf)
		(void)elf_end(image->elf);
	*image = (struct dwarf_image){0};
}

/* What libdw cannot decompress it ignores, as if it were not there: for lack of memory, or, below 0.189, zstd. */
static bool is_still_packed(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Chdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getchdr(section, &header))
			return true;
	return false;
}

static int open_image(int fd, struct dwarf_image *ret_image)
{
	struct dwarf_image image = {0};
	int r = 0;

	if (elf_version(EV_CURRENT) != EV_NONE)
		image.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (image.elf)
		image.dwarf = dwarf_begin_elf(image.elf, DWARF_C_READ, NULL);
	if (!image.dwarf)
		r = image.elf && is_still_packed(image.elf) ? -ENOTSUP : -ENODATA;
	if (r < 0)
		close_image(&image);
	*ret_image = image;
	return r;
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

/* No section is compressed any more, but the name may still be ".zdebug_line". */
static void keep_section(const struct wanted_section *wanted, size_t count, const char *name, Elf_Scn *section)
{
	size_t skipped = !strncmp(name, ".z", 2) ? 2 : 1;

	for (size_t i = 0; i < count; i++) {
		const Elf_Data *data;

		if (name[0] != '.' || strcmp(name + skipped, wanted[i].name + 1) != 0 || wanted[i].bytes->bytes)
			continue;
		data = elf_rawdata(section, NULL);
		if (data && data->d_buf)
			*wanted[i].bytes = (struct line_bytes){.bytes = data->d_buf, .size = data->d_size};
	}
}

/* Keeps the sections of lines, and the ranges of code. */
static int read_sections(struct dwarf_lines *lines)
{
	const struct wanted_section wanted[] = {{".debug_line", &lines->sections.line},
						{".debug_line_str", &lines->sections.line_str},
						{".debug_str", &lines->sections.str}};
	Elf *elf = lines->main.elf;
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
			keep_section(wanted, sizeof(wanted) / sizeof(wanted[0]), name, section);
		r = add_code(lines, &header);
	}
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
		r = read_sections(lines);
	if (r < 0) {
		dwarf_lines_close(lines);
		return r;
	}
	*ret_lines = lines;
	return 0;
}

void dwarf_lines_close(struct dwarf_lines *lines)
{
	if (!lines)
		return;
	dwarf_forget_units(lines);
	array_free(&lines->code);
	text_pool_deinit(&lines->texts);
	close_image(&lines->main);
	close_image(&lines->alternate);
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
