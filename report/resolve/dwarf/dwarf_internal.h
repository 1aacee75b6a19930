/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Private to dwarf_*.c, the door to libdw. A unit is opened when its first address is requested:
 * its lines become rows, its functions and inlined calls become scopes. Scopes are numbered in the
 * order of the DIEs, so inner ones have higher numbers.
 */
#ifndef RWALKER_REPORT_RESOLVE_DWARF_DWARF_INTERNAL_H
#define RWALKER_REPORT_RESOLVE_DWARF_DWARF_INTERNAL_H

#include <elfutils/libdw.h>

#include "report/read/text_pool.h"
#include "report/resolve/dwarf/dwarf_door.h"
#include "report/resolve/dwarf/line_program.h"

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

bool dwarf_is_code(const struct dwarf_lines *lines, uint64_t address);

/* dwarf_units.c: finds the unit of an address. 1; 0: there is none; -ENOMEM. */
int dwarf_find_unit(struct dwarf_lines *lines, uint64_t address, uint32_t *ret_unit);
void dwarf_forget_units(struct dwarf_lines *lines);

/* dwarf_scopes.c: reads the unit's lines and scopes. -ENOMEM. */
int dwarf_build_unit(struct dwarf_lines *lines, struct dwarf_unit *unit);
void dwarf_forget_unit(struct dwarf_unit *unit);
/* The scope, with its name and the place of the call, which are looked up once. */
const struct dwarf_scope *dwarf_know_scope(struct dwarf_lines *lines, struct dwarf_unit *unit,
					   uint32_t scope);
/* The path of a file of the unit; NULL: unknown. */
const char *dwarf_path(struct dwarf_lines *lines, struct dwarf_unit *unit, uint64_t file);

#endif
