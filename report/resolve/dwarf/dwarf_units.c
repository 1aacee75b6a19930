/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Finds the unit of an address: by .debug_aranges, which is cheap, else by the ranges of the units not listed there. */
#include "report/resolve/dwarf/dwarf_internal.h"

#include <dwarf.h>

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
	return dwarf_is_code(lines, low) ? line_index_add_range(index, low, high, unit) : 0;
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

int dwarf_find_unit(struct dwarf_lines *lines, uint64_t address, uint32_t *ret_unit)
{
	int r = dwarf_is_code(lines, address) ?
		find_in(lines, &lines->by_aranges, read_aranges, address, ret_unit) : 0;

	if (r || !dwarf_is_code(lines, address))
		return r;
	return find_in(lines, &lines->by_units, read_units, address, ret_unit);
}

void dwarf_forget_units(struct dwarf_lines *lines)
{
	for (size_t i = 0; i < lines->units.count; i++)
		dwarf_forget_unit(&lines->units.items[i]);
	array_free(&lines->units);
	line_index_deinit(&lines->by_aranges.index);
	line_index_deinit(&lines->by_units.index);
}
