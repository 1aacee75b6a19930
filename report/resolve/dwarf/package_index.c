/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/dwarf/package_index.h"

#include <string.h>

#include "common/byte_cursor.h"

enum { MAX_COLUMNS = 64 };

/* The unit's row in the table of offsets, from 1; 0: the unit is not in the package. */
static uint32_t find_row(const uint8_t *signatures, const uint8_t *rows, uint32_t slots, uint64_t id)
{
	uint32_t at = (uint32_t)id & (slots - 1), step = ((uint32_t)(id >> 32) & (slots - 1)) | 1;

	for (uint32_t tries = 0; tries < slots; tries++) {
		struct byte_cursor signature = byte_cursor_make(signatures + 8 * (size_t)at, 8);
		struct byte_cursor row = byte_cursor_make(rows + 4 * (size_t)at, 4);
		uint64_t found = byte_cursor_u64(&signature);
		uint32_t number = byte_cursor_u32(&row);

		if (!number)
			return 0;
		if (found == id)
			return number;
		at = (at + step) & (slots - 1);
	}
	return 0;
}

bool package_index_find(struct line_bytes index, uint64_t id,
			struct package_part ret_parts[static PACKAGE_COLUMNS])
{
	struct byte_cursor cursor = byte_cursor_make(index.bytes, index.size), columns, offsets, sizes;
	uint32_t count, units, slots, row;
	const uint8_t *signatures, *rows;

	memset(ret_parts, 0, PACKAGE_COLUMNS * sizeof(*ret_parts));
	(void)byte_cursor_u32(&cursor); /* the version: the rest has the same layout in all of them */
	count = byte_cursor_u32(&cursor);
	units = byte_cursor_u32(&cursor);
	slots = byte_cursor_u32(&cursor);
	signatures = byte_cursor_bytes(&cursor, 8 * (size_t)slots);
	rows = byte_cursor_bytes(&cursor, 4 * (size_t)slots);
	columns = byte_cursor_sub(&cursor, 4 * (size_t)count);
	if (cursor.bad || !slots || (slots & (slots - 1)) || count > MAX_COLUMNS)
		return false;
	row = find_row(signatures, rows, slots, id);
	offsets = byte_cursor_sub(&cursor, 4 * (size_t)count * units);
	sizes = byte_cursor_sub(&cursor, 4 * (size_t)count * units);
	if (!row || row > units || sizes.bad)
		return false;
	(void)byte_cursor_bytes(&offsets, 4 * (size_t)count * (row - 1));
	(void)byte_cursor_bytes(&sizes, 4 * (size_t)count * (row - 1));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t column = byte_cursor_u32(&columns);
		struct package_part part = {.known = true, .offset = byte_cursor_u32(&offsets),
					    .size = byte_cursor_u32(&sizes)};

		if (column < PACKAGE_COLUMNS)
			ret_parts[column] = part;
	}
	return true;
}
