/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A flat index of one unit of DWARF: the scope (a function, or an inlined call) and the line table
 * row of an address. It is filled, then laid out once, then only searched: two binary searches per
 * address. Independent of DWARF; scopes and files are the caller's numbers.
 *
 * Of several ranges that contain an address, the one with the highest scope number wins: number
 * scopes so that inner or later ones are higher.
 */
#ifndef RWALKER_REPORT_RESOLVE_DWARF_LINE_INDEX_H
#define RWALKER_REPORT_RESOLVE_DWARF_LINE_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array.h"

enum { LINE_NO_SCOPE = UINT32_MAX, LINE_NO_FILE = UINT32_MAX };

struct line_range {
	uint64_t low, high; /* [low, high) */
	uint32_t scope;
};

struct line_piece { /* valid until the next one begins */
	uint64_t low;
	uint32_t scope; /* or LINE_NO_SCOPE */
};

struct line_row { /* valid until the next one begins */
	uint64_t address;
	uint32_t file; /* or LINE_NO_FILE: no code, or unknown */
	uint32_t line; /* 0: no particular line */
};

struct line_index {
	ARRAY(struct line_range) ranges; /* the input; freed by the layout */
	ARRAY(struct line_piece) pieces;
	ARRAY(struct line_row) rows;
};

void line_index_deinit(struct line_index *index);

/* Ranges may be added in any order; empty ones are ignored. -ENOMEM. */
int line_index_add_range(struct line_index *index, uint64_t low, uint64_t high, uint32_t scope);
/* Rows must be added by ascending address; of several with the same address the last one wins. -ENOMEM. */
int line_index_add_row(struct line_index *index, const struct line_row *row);
/* Call it once, after the last range. -ENOMEM. */
int line_index_lay_out(struct line_index *index);

/* The scope of the address; LINE_NO_SCOPE: none. */
uint32_t line_index_scope(const struct line_index *index, uint64_t address);
/* The row of the address; NULL: none. */
const struct line_row *line_index_row(const struct line_index *index, uint64_t address);

#endif
