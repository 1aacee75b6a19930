/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The index of a package of split units (.debug_cu_index): the part of each of the package's
 * sections that belongs to a unit. DWARF 5 §7.3.5.3; the one of gcc.gnu.org/wiki/DebugFissionDWP,
 * version 2, has the same layout. The bytes are untrusted.
 */
#ifndef RWALKER_REPORT_RESOLVE_DWARF_PACKAGE_INDEX_H
#define RWALKER_REPORT_RESOLVE_DWARF_PACKAGE_INDEX_H

#include <stdbool.h>

#include "report/resolve/dwarf/line_program.h"

enum package_column { /* DW_SECT_*: the sections that are read */
	PACKAGE_INFO = 1,
	PACKAGE_ABBREV = 3,
	PACKAGE_STR_OFFSETS = 6,
	PACKAGE_RNGLISTS = 8,
	PACKAGE_COLUMNS = 9,
};

struct package_part {
	bool known;
	uint32_t offset, size; /* in the section, which may be shorter */
};

/* Looks up a unit by its id. False: the unit is not in the package. */
bool package_index_find(struct line_bytes index, uint64_t id,
			struct package_part ret_parts[static PACKAGE_COLUMNS]);

#endif
