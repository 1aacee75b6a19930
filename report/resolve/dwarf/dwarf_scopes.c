/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Reads one unit: its lines as rows, and, in one walk over its DIEs, its functions and inlined calls as scopes. */
#include <dwarf.h>
#include <string.h>

#include "report/resolve/dwarf/dwarf_internal.h"

/* --- lines --- */

static Dwarf_Word number_of(Dwarf_Die *die, unsigned int attribute, Dwarf_Word otherwise)
{
	Dwarf_Attribute found;
	Dwarf_Word value;

	return dwarf_attr(die, attribute, &found) && dwarf_formudata(&found, &value) == 0 ? value : otherwise;
}

static bool is_wanted(const void *context, uint64_t address)
{
	return dwarf_is_code(context, address);
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

const char *dwarf_path(struct dwarf_lines *lines, struct dwarf_unit *unit, uint64_t file)
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
		if (dwarf_is_code(walk->lines, low))
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

int dwarf_build_unit(struct dwarf_lines *lines, struct dwarf_unit *unit)
{
	int r = read_lines(lines, unit);

	if (!r)
		r = read_scopes(lines, unit);
	unit->built = true;
	return r < 0 ? r : line_index_lay_out(&unit->index);
}

void dwarf_forget_unit(struct dwarf_unit *unit)
{
	line_index_deinit(&unit->index);
	array_free(&unit->scopes);
	line_program_deinit(&unit->program);
	free(unit->paths);
	unit->paths = NULL;
	unit->path_count = 0;
	unit->built = false;
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

const struct dwarf_scope *dwarf_know_scope(struct dwarf_lines *lines, struct dwarf_unit *unit,
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
	scope->call_file = dwarf_path(lines, unit, number_of(&scope->die, DW_AT_call_file, UINT64_MAX));
	scope->call_line = line <= UINT32_MAX ? (uint32_t)line : 0;
	return scope;
}
