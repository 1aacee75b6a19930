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
	uint8_t *bytes; /* the image, if it had to be decompressed */
	Dwarf *dwarf;
};

struct dwarf_unit {
	Dwarf_Die die; /* for a split unit: the skeleton */
	bool built, partial;
	struct line_index index;
	ARRAY(struct dwarf_scope) scopes;
	struct line_program program; /* its files; the rows are in the index */
	const char *directory;	     /* the compilation directory, or NULL */
	const char **paths;	     /* of files that were looked up, by number */
	size_t path_count;
	struct dwarf_image split; /* has the DIEs then, made by dwarf_split.c; kept because of its texts */
	uint64_t bias;		  /* added to its addresses then */
};

struct dwarf_code {
	uint64_t low, high;
};

struct split_sections { /* of a .dwo or, with cu_index, a .dwp; or one unit's parts of them */
	struct line_bytes cu_index, info, abbrev, str_offsets, str, rnglists;
};

typedef ARRAY(uint64_t) dwarf_bases; /* ascending */

struct dwarf_lines {
	const struct local_files *files;
	const char *real; /* path of the main file; NULL or "": unknown */
	struct dwarf_image main, alternate, packaged;
	struct line_sections sections;
	struct line_bytes addr, ranges;
	dwarf_bases address_bases, range_bases; /* of split units, in the main file */
	bool bases_read;
	struct split_sections package;
	bool package_asked;
	struct text_pool texts;
	ARRAY(struct dwarf_code) code;
	ARRAY(struct dwarf_unit) units;
	struct dwarf_unit_map {
		struct line_index index; /* its scopes are units */
		bool read;
	} by_aranges, by_units;
	struct dwarf_quality quality;
};

void dwarf_close_image(struct dwarf_image *image);
bool dwarf_is_code(const struct dwarf_lines *lines, uint64_t address);

/*
 * dwarf_door.c: the sections of a file with split units. They are valid as long as the image, and
 * that as long as fd. If there are several .debug_info.dwo, takes the one with the unit `id`, if
 * there is one. 0; -errno: nothing is open.
 */
int dwarf_read_split(int fd, uint64_t id, struct dwarf_image *ret_image, struct split_sections *ret_sections);

/* dwarf_split.c: the root DIE of a skeleton's unit, which is in another file; false: not found. */
bool dwarf_split_unit(struct dwarf_lines *lines, struct dwarf_unit *unit, uint64_t id, unsigned int version,
		      Dwarf_Die *ret_root);

enum { DWARF_LOOSE_PLACES = 2 };

/*
 * dwarf_loose.c: opens the file with one split unit (.dwo) that a skeleton names, at one of the
 * places where it may be. The caller has to check that it contains the unit. -1: there is no file.
 */
int dwarf_open_loose(struct dwarf_lines *lines, Dwarf_Die *skeleton, unsigned int place);

/*
 * dwarf_bases.c: copies the data of a skeleton's unit from the main file. The unit's ranges are
 * offsets from the start of its code, which only the skeleton has. In version 4 the start is added
 * to them; in version 5 it is subtracted from the addresses (`less`). -ENOMEM.
 */
int dwarf_based_addresses(struct dwarf_lines *lines, Dwarf_Die *skeleton, uint64_t less,
			  uint8_t **ret_bytes, size_t *ret_size);
int dwarf_based_ranges(struct dwarf_lines *lines, Dwarf_Die *skeleton, uint8_t **ret_bytes, size_t *ret_size);

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
