/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/dwarf/dwarf_internal.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <string.h>
#include <sys/resource.h>

#include "common/cleanup.h"
#include "report/read/text_pool.h"

/*
 * A unit is opened when its first address is requested:
 * its lines become rows, its functions and inlined calls become scopes. Scopes are numbered in the
 * order of the DIEs, so inner ones have higher numbers.
 */
struct dwarf_scope {
	Dwarf_Die die;
	uint32_t parent; /* the enclosing scope, or LINE_NO_SCOPE */
	bool inlined, known; /* known: the members below are set */
	const char *name, *call_file;
	uint32_t call_line;
};

struct dwarf_image { /* an ELF file opened by libelf */
	Elf *elf;
	Dwarf *dwarf;
};

struct dwarf_unit {
	Dwarf_Die die; /* of a split unit: the skeleton */
	bool built, partial;
	struct line_index index;
	ARRAY(struct dwarf_scope) scopes;
	struct line_program program; /* its files; the rows are in the index */
	const char *directory;	     /* the compilation directory, or NULL */
	const char **paths;	     /* of files that were looked up, by number */
	size_t path_count;
};

struct dwarf_code {
	uint64_t low, high;
};

struct dwarf_lines {
	struct dwarf_image main, alternate;
	struct line_sections sections;
	struct text_pool texts;
	ARRAY(struct dwarf_code) code;
	ARRAY(struct dwarf_unit) units;
	struct dwarf_unit_map {
		struct line_index index; /* its scopes are units */
		bool read;
	} by_aranges, by_units;
	struct dwarf_quality quality;
};

static bool is_code(const struct dwarf_lines *lines, uint64_t address)
{
	for (size_t i = 0; i < lines->code.count; i++)
		if (address >= lines->code.items[i].low && address < lines->code.items[i].high)
			return true;
	return false;
}

static void forget_unit(struct dwarf_unit *unit)
{
	line_index_deinit(&unit->index);
	array_free(&unit->scopes);
	line_program_deinit(&unit->program);
	free(unit->paths);
	unit->paths = NULL;
	unit->path_count = 0;
	unit->built = false;
}

/* --- the unit of an address: by .debug_aranges, which is cheap, else by the ranges of the units not listed there --- */

static int add_unit(struct dwarf_lines *lines, const Dwarf_Die *die, uint32_t *ret_unit)
{
	if (lines->units.count >= LINE_NO_SCOPE ||
	    array_push(&lines->units, (struct dwarf_unit){.die = *die}) < 0)
		return -ENOMEM;
	*ret_unit = (uint32_t)lines->units.count - 1;
	return 0;
}

/* Ignores ranges that do not start in code: the linker dropped them, and left 0, 1 or -1 as the start. */
static int add_range(const struct dwarf_lines *lines, struct line_index *index, uint64_t low,
		     uint64_t high, uint32_t unit)
{
	return is_code(lines, low) ? line_index_add_range(index, low, high, unit) : 0;
}

/* --- .debug_aranges --- */

struct arange {
	Dwarf_Off unit; /* offset of its DIE */
	Dwarf_Addr start;
	Dwarf_Word length;
};

static int compare_aranges(const void *left, const void *right)
{
	const struct arange *l = left, *r = right;

	return (l->unit > r->unit) - (l->unit < r->unit);
}

/* The ranges are sorted by unit. */
static int add_aranges(struct dwarf_lines *lines, const struct arange *ranges, size_t count)
{
	bool known = false;
	uint32_t unit = 0;
	int r = 0;

	for (size_t i = 0; i < count && !r; i++) {
		uint64_t high;
		Dwarf_Die die;

		if (!i || ranges[i].unit != ranges[i - 1].unit) {
			known = dwarf_offdie(lines->main.dwarf, ranges[i].unit, &die);
			r = known ? add_unit(lines, &die, &unit) : 0;
		}
		if (!r && known && !__builtin_add_overflow(ranges[i].start, ranges[i].length, &high))
			r = add_range(lines, &lines->by_aranges.index, ranges[i].start, high, unit);
	}
	return r;
}

static int read_aranges(struct dwarf_lines *lines)
{
	struct arange *ranges;
	Dwarf_Aranges *table;
	size_t count, used = 0;
	int r;

	if (dwarf_getaranges(lines->main.dwarf, &table, &count) != 0)
		return 0;
	ranges = calloc(count + 1, sizeof(*ranges));
	if (!ranges)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		used += !dwarf_getarangeinfo(dwarf_onearange(table, i), &ranges[used].start,
					     &ranges[used].length, &ranges[used].unit);
	qsort(ranges, used, sizeof(*ranges), compare_aranges);
	r = add_aranges(lines, ranges, used);
	free(ranges);
	return r;
}

/* --- the units themselves --- */

static int add_unit_ranges(struct dwarf_lines *lines, Dwarf_Die *die)
{
	enum { RANGES_MAX = 1 << 22 };
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	uint32_t unit;
	int r = add_unit(lines, die, &unit);

	for (size_t i = 0; !r && i < RANGES_MAX; i++) {
		at = dwarf_ranges(die, at, &base, &low, &high);
		lines->quality.partial |= at < 0;
		if (at <= 0)
			break;
		r = add_range(lines, &lines->by_units.index, low, high, unit);
	}
	return r;
}

static int compare_offsets(const void *left, const void *right)
{
	Dwarf_Off l = *(const Dwarf_Off *)left, r = *(const Dwarf_Off *)right;

	return (l > r) - (l < r);
}

/* Adds the units that .debug_aranges does not cover; the others are there already, in the order of their DIEs. */
static int read_units(struct dwarf_lines *lines)
{
	size_t known = lines->units.count;
	Dwarf_Off *offsets = calloc(known + 1, sizeof(*offsets));
	Dwarf_CU *unit = NULL;
	int r = offsets ? 0 : -ENOMEM;

	for (size_t i = 0; i < known && !r; i++)
		offsets[i] = dwarf_dieoffset(&lines->units.items[i].die);
	while (!r) {
		Dwarf_Die die;
		Dwarf_Off offset;
		uint8_t type;
		int next = dwarf_get_units(lines->main.dwarf, unit, &unit, NULL, &type, &die, NULL);

		lines->quality.partial |= next < 0;
		if (next != 0)
			break;
		offset = dwarf_dieoffset(&die);
		if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
		    !bsearch(&offset, offsets, known, sizeof(*offsets), compare_offsets))
			r = add_unit_ranges(lines, &die);
	}
	free(offsets);
	return r;
}

/* --- both --- */

static int find_in(struct dwarf_lines *lines, struct dwarf_unit_map *map,
		   int (*read)(struct dwarf_lines *lines), uint64_t address, uint32_t *ret_unit)
{
	int r = 0;

	if (!map->read) {
		map->read = true;
		r = read(lines);
		if (!r)
			r = line_index_lay_out(&map->index);
	}
	*ret_unit = line_index_scope(&map->index, address);
	return r < 0 ? r : *ret_unit != LINE_NO_SCOPE;
}

/* 1; 0: there is none; -ENOMEM. */
static int find_unit(struct dwarf_lines *lines, uint64_t address, uint32_t *ret_unit)
{
	int r = is_code(lines, address) ?
		find_in(lines, &lines->by_aranges, read_aranges, address, ret_unit) : 0;

	if (r || !is_code(lines, address))
		return r;
	return find_in(lines, &lines->by_units, read_units, address, ret_unit);
}

static void forget_units(struct dwarf_lines *lines)
{
	for (size_t i = 0; i < lines->units.count; i++)
		forget_unit(&lines->units.items[i]);
	array_free(&lines->units);
	line_index_deinit(&lines->by_aranges.index);
	line_index_deinit(&lines->by_units.index);
}

/* --- one unit: its lines as rows, and, in one walk over its DIEs, its functions and inlined calls as scopes --- */

/* --- lines --- */

static Dwarf_Word number_of(Dwarf_Die *die, unsigned int attribute, Dwarf_Word otherwise)
{
	Dwarf_Attribute found;
	Dwarf_Word value;

	return dwarf_attr(die, attribute, &found) && dwarf_formudata(&found, &value) == 0 ? value : otherwise;
}

static bool is_wanted(const void *context, uint64_t address)
{
	return is_code(context, address);
}

static int read_lines(const struct dwarf_lines *lines, struct dwarf_unit *unit)
{
	Dwarf_Word offset = number_of(&unit->die, DW_AT_stmt_list, UINT64_MAX);
	Dwarf_Attribute directory;
	int r;

	if (offset == UINT64_MAX)
		return 0;
	r = line_program_read(&lines->sections, offset, is_wanted, lines, &unit->program);
	if (r == -EBADMSG)
		unit->partial = true;
	if (!r || r == -EBADMSG)
		r = line_program_add_rows(&unit->program, &unit->index);
	array_free(&unit->program.rows);
	if (dwarf_attr(&unit->die, DW_AT_comp_dir, &directory))
		unit->directory = dwarf_formstring(&directory);
	unit->path_count = unit->program.files.count + 1;
	unit->paths = calloc(unit->path_count, sizeof(*unit->paths));
	return unit->paths ? r : -ENOMEM;
}

static const char *path_of(struct dwarf_lines *lines, struct dwarf_unit *unit, uint64_t file)
{
	char *path;

	if (file >= unit->path_count)
		return NULL;
	if (unit->paths[file])
		return unit->paths[file];
	path = line_program_path(&unit->program, file, unit->directory);
	if (path && text_pool_add(&lines->texts, path, strlen(path), &unit->paths[file]) < 0)
		unit->partial = true;
	free(path);
	return unit->paths[file];
}

/* --- scopes --- */

enum { DEPTH_MAX = 512, RANGES_MAX = 1 << 20 };

struct walk {
	const struct dwarf_lines *lines;
	struct dwarf_unit *unit;
	bool plain; /* is_plain() for the unit's language */
	struct step {
		Dwarf_Die die;
		uint32_t scope; /* of the DIE and its siblings */
		bool local;	/* they are in a function, which may be an abstract one */
	} steps[DEPTH_MAX];
	size_t depth;
};

static int add_scope(struct walk *walk, Dwarf_Die *die, bool inlined, uint32_t *scope)
{
	struct dwarf_unit *unit = walk->unit;
	struct dwarf_scope made = {.die = *die, .parent = *scope, .inlined = inlined};
	uint32_t number = (uint32_t)unit->scopes.count;
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	int r = unit->scopes.count < LINE_NO_SCOPE ? array_push(&unit->scopes, made) : -ENOMEM;

	for (size_t i = 0; !r && i < RANGES_MAX; i++) {
		at = dwarf_ranges(die, at, &base, &low, &high);
		unit->partial |= at < 0;
		if (at <= 0)
			break;
		if (is_code(walk->lines, low))
			r = line_index_add_range(&unit->index, low, high, number);
	}
	*scope = number;
	return r;
}

/*
 * In C and C++, a type outside of functions contains declarations only; the code of its functions
 * has separate DIEs elsewhere, which refer to them. Most DIEs of C++ are in such types. (gcc puts
 * the code of a lambda into its type, which is in a function.)
 */
static bool is_plain(Dwarf_Die *unit)
{
	switch (number_of(unit, DW_AT_language, 0)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

/* Whether there may be functions with code below the DIE. */
static bool is_container(const struct walk *walk, const struct step *step, int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return true;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_interface_type:
	case DW_TAG_variant_part:
	case DW_TAG_variant:
		return !walk->plain || step->local;
	default:
		return false;
	}
}

/* Descends into a DIE or goes to the next one. */
static int walk_step(struct walk *walk)
{
	struct step *step = &walk->steps[walk->depth - 1];
	int tag = dwarf_tag(&step->die), r = 0;
	uint32_t scope = step->scope;

	if ((tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) &&
	    (dwarf_hasattr(&step->die, DW_AT_low_pc) || dwarf_hasattr(&step->die, DW_AT_ranges)))
		r = add_scope(walk, &step->die, tag == DW_TAG_inlined_subroutine, &scope);
	if (r < 0)
		return r;
	if (is_container(walk, step, tag) && dwarf_haschildren(&step->die)) {
		if (walk->depth == DEPTH_MAX)
			walk->unit->partial = true;
		else if (dwarf_child(&step->die, &walk->steps[walk->depth].die) == 0) {
			walk->steps[walk->depth].local = step->local || tag == DW_TAG_subprogram;
			walk->steps[walk->depth++].scope = scope;
			return 0;
		}
	}
	while (walk->depth) {
		Dwarf_Die *die = &walk->steps[walk->depth - 1].die;
		int next = dwarf_siblingof(die, die);

		if (next == 0)
			break;
		walk->unit->partial |= next < 0;
		walk->depth--;
	}
	return 0;
}

/*
 * Of a split unit the file has only the skeleton, with its lines; the rest is in a .dwo or .dwp file. libdw would open
 * that by name when asked for the split unit, or for an attribute that the skeleton lacks: we never ask for these.
 */
static bool is_skeleton(struct dwarf_unit *unit)
{
	uint8_t type;

	return dwarf_cu_info(unit->die.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 && type == DW_UT_skeleton;
}

static int read_scopes(struct dwarf_lines *lines, struct dwarf_unit *unit)
{
	struct walk *walk;
	int r = 0;

	if (is_skeleton(unit)) {
		lines->quality.is_split = true;
		return 0;
	}
	walk = malloc(sizeof(*walk));
	if (!walk)
		return -ENOMEM;
	walk->lines = lines;
	walk->unit = unit;
	walk->depth = 0;
	walk->plain = is_plain(&unit->die);
	if (dwarf_child(&unit->die, &walk->steps[0].die) == 0) {
		walk->steps[0].scope = LINE_NO_SCOPE;
		walk->steps[0].local = false;
		walk->depth = 1;
	}
	while (!r && walk->depth)
		r = walk_step(walk);
	free(walk);
	return r;
}

static int build_unit(struct dwarf_lines *lines, struct dwarf_unit *unit)
{
	int r = read_lines(lines, unit);

	if (!r)
		r = read_scopes(lines, unit);
	unit->built = true;
	return r < 0 ? r : line_index_lay_out(&unit->index);
}

/* --- the name of a scope, and the place of its call --- */

static const char *text_of(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute found;

	return dwarf_attr_integrate(die, attribute, &found) ? dwarf_formstring(&found) : NULL;
}

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned int attributes[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};
	const char *name = NULL;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]) && !name; i++)
		name = text_of(die, attributes[i]);
	return name && name[0] ? name : NULL;
}

/* With its name and the place of the call, which are looked up once. */
static const struct dwarf_scope *know_scope(struct dwarf_lines *lines, struct dwarf_unit *unit,
					   uint32_t number)
{
	struct dwarf_scope *scope = &unit->scopes.items[number];
	Dwarf_Word line;

	if (scope->known)
		return scope;
	scope->known = true;
	scope->name = name_of(&scope->die);
	if (!scope->inlined)
		return scope;
	line = number_of(&scope->die, DW_AT_call_line, 0);
	scope->call_file = path_of(lines, unit, number_of(&scope->die, DW_AT_call_file, UINT64_MAX));
	scope->call_line = line <= UINT32_MAX ? (uint32_t)line : 0;
	return scope;
}

/* --- files --- */

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
	forget_units(lines);
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

	levels[0] = (struct line_level){.file = row ? path_of(lines, unit, row->file) : NULL,
					.line = row ? row->line : 0};
	if (number == LINE_NO_SCOPE)
		return row ? 1 : 0;
	for (;;) {
		scope = know_scope(lines, unit, number);
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
	int r = unit->built ? 0 : build_unit(lines, unit);

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
		int r = find_unit(lines, addresses[i], &unit);

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
			forget_unit(&lines->units.items[questions[i].unit]);
	}
	*ret_quality = lines->quality;
	return r;
}
