/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The data of split units in the main file: addresses, and in version 4 ranges. The skeletons give
 * the start of each unit's data (DW_AT_addr_base, DW_AT_GNU_addr_base, DW_AT_GNU_ranges_base;
 * gcc.gnu.org/wiki/DebugFission), but nothing gives the end: it is the start of another unit's
 * data.
 */
#include <dwarf.h>
#include <string.h>

#include "common/byte_cursor.h"
#include "common/sorted.h"
#include "report/resolve/dwarf/dwarf_internal.h"

static bool number_of(Dwarf_Die *die, unsigned int attribute, uint64_t *ret_number)
{
	Dwarf_Attribute found;
	Dwarf_Word value;

	if (!dwarf_attr(die, attribute, &found) || dwarf_formudata(&found, &value) != 0)
		return false;
	*ret_number = value;
	return true;
}

static bool base_of(Dwarf_Die *skeleton, const unsigned int attributes[static 2], uint64_t *ret_base)
{
	return number_of(skeleton, attributes[0], ret_base) || number_of(skeleton, attributes[1], ret_base);
}

static const unsigned int address_bases[] = {DW_AT_addr_base, DW_AT_GNU_addr_base};
static const unsigned int range_bases[] = {DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base};

static int compare_bases(const void *left, const void *right)
{
	uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;

	return (l > r) - (l < r);
}

static void read_bases(struct dwarf_lines *lines)
{
	Dwarf_CU *unit = NULL;
	uint64_t base;
	Dwarf_Die die;
	int r = 0;

	lines->bases_read = true;
	while (!r && dwarf_get_units(lines->main.dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		if (base_of(&die, address_bases, &base))
			r = array_push(&lines->address_bases, base);
		if (!r && base_of(&die, range_bases, &base))
			r = array_push(&lines->range_bases, base);
	}
	if (lines->address_bases.count)
		qsort(lines->address_bases.items, lines->address_bases.count, sizeof(base), compare_bases);
	if (lines->range_bases.count)
		qsort(lines->range_bases.items, lines->range_bases.count, sizeof(base), compare_bases);
}

/* The bytes from `base` to the next base. */
static struct line_bytes slice(struct line_bytes section, const dwarf_bases *bases, uint64_t base)
{
	size_t above = SORTED_FIRST(i, bases->count, bases->items[i] > base);
	uint64_t end = section.size;

	if (above < bases->count && bases->items[above] < end)
		end = bases->items[above];
	if (!section.bytes || base >= end)
		return (struct line_bytes){0};
	return (struct line_bytes){.bytes = section.bytes + base, .size = end - base};
}

static void put(uint8_t *out, uint64_t value)
{
	for (size_t i = 0; i < 8; i++)
		out[i] = (uint8_t)(value >> (8 * i));
}

int dwarf_based_addresses(struct dwarf_lines *lines, Dwarf_Die *skeleton, uint64_t less,
			  uint8_t **ret_bytes, size_t *ret_size)
{
	struct line_bytes addresses;
	uint64_t base = 0;

	if (!lines->bases_read)
		read_bases(lines);
	(void)base_of(skeleton, address_bases, &base);
	addresses = slice(lines->addr, &lines->address_bases, base);
	*ret_bytes = malloc(addresses.size + 1);
	if (!*ret_bytes)
		return -ENOMEM;
	for (size_t at = 0; addresses.size - at >= 8; at += 8) {
		struct byte_cursor cursor = byte_cursor_make(addresses.bytes + at, 8);

		put(*ret_bytes + at, byte_cursor_u64(&cursor) - less);
	}
	*ret_size = addresses.size / 8 * 8;
	return 0;
}

/*
 * Adds the start of the unit's code, which only the skeleton has, to the offsets relative to it:
 * those before an entry that sets another base.
 */
static void add_low(uint8_t *ranges, size_t size, uint64_t low)
{
	bool from_low = true;

	for (size_t at = 0; size - at >= 16; at += 16) {
		struct byte_cursor cursor = byte_cursor_make(ranges + at, 16);
		uint64_t first = byte_cursor_u64(&cursor), last = byte_cursor_u64(&cursor);

		if (!first && !last) { /* the end of a list; the next one follows */
			from_low = true;
		} else if (first == UINT64_MAX) {
			from_low = false;
		} else if (from_low) {
			put(ranges + at, first + low);
			put(ranges + at + 8, last + low);
		}
	}
}

int dwarf_based_ranges(struct dwarf_lines *lines, Dwarf_Die *skeleton, uint8_t **ret_bytes, size_t *ret_size)
{
	struct line_bytes ranges;
	uint64_t base = 0, low = 0;

	if (!lines->bases_read)
		read_bases(lines);
	(void)base_of(skeleton, range_bases, &base);
	(void)dwarf_lowpc(skeleton, &low);
	ranges = slice(lines->ranges, &lines->range_bases, base);
	*ret_bytes = malloc(ranges.size + 1);
	if (!*ret_bytes)
		return -ENOMEM;
	if (ranges.size)
		memcpy(*ret_bytes, ranges.bytes, ranges.size);
	add_low(*ret_bytes, ranges.size, low);
	*ret_size = ranges.size;
	return 0;
}
