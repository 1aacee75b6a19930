/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the files behind the door to libdw share. A unit is opened when the first address in it is asked for: its lines become
 * rows, its functions and inlined calls become scopes, numbered in the order of the DIEs, so that inner ones are the higher.
 * Included by dwarf_*.c only.
 */
#ifndef RWALKER_REPORT_RESOLVE_DWARF_INTERNAL_H
#define RWALKER_REPORT_RESOLVE_DWARF_INTERNAL_H

#include <elfutils/libdw.h>

#include "report/resolve/dwarf_door.h"
#include "report/read/text_pool.h"
#include "report/resolve/line_program.h"

struct dwarf_scope {
	Dwarf_Die die;
	uint32_t parent; /* the scope that it stands in, or LINE_NO_SCOPE */
	bool inlined, known; /* known: the rest was looked up */
	const char *name, *call_file;
	uint32_t call_line;
};

struct dwarf_image { /* an ELF file as libelf sees it */
	Elf *elf;
	uint8_t *bytes; /* where it had to be unpacked first */
	Dwarf *dwarf;
};

struct dwarf_unit {
	Dwarf_Die die; /* of a split unit the skeleton */
	bool built, partial;
	struct line_index index;
	ARRAY(struct dwarf_scope) scopes;
	struct line_program program; /* its files; the rows are in the index */
	const char *directory;	     /* where it was compiled, or NULL */
	const char **paths;	     /* of files that were asked for, by number */
	size_t path_count;
	struct dwarf_image split; /* where its DIEs are from a package; stays, as texts are in it */
	uint64_t bias;		  /* what its addresses lack then */
};

struct dwarf_code {
	uint64_t low, high;
};

struct package_sections { /* of a .dwp */
	struct line_bytes cu_index, info, abbrev, str_offsets, str, rnglists;
};

typedef ARRAY(uint64_t) dwarf_bases; /* ascending */

struct dwarf_lines {
	int fd; /* of the main file */
	struct dwarf_image main, alternate, packaged;
	struct line_sections sections;
	struct line_bytes addr, ranges;
	dwarf_bases address_bases, range_bases; /* of split units, in the main file */
	bool bases_read;
	struct package_sections package;
	bool package_asked;
	struct text_pool texts;
	ARRAY(struct dwarf_code) code;
	ARRAY(struct dwarf_unit) units;
	struct dwarf_unit_map {
		struct line_index index; /* its scopes are units */
		bool read;
	} by_aranges, by_units;
	bool partial;
};

void dwarf_close_image(struct dwarf_image *image);
bool dwarf_is_code(const struct dwarf_lines *lines, uint64_t address);

/* A file to be read, if it is one that nobody has to wait for; -1. */
int dwarf_open_regular(const char *path);
int dwarf_open_package(int fd, struct dwarf_lines *lines);

/* dwarf_package.c: the root of what a skeleton stands for, from the package beside the file; false: there is none. */
bool dwarf_packaged_unit(struct dwarf_lines *lines, struct dwarf_unit *unit, uint64_t id, unsigned int version,
			 Dwarf_Die *ret_root);

/*
 * dwarf_bases.c: what a skeleton's unit has in the main file, copied. Offsets of its ranges count from where its code begins, which
 * only its skeleton knows: of version 4 they are made to count from 0; of 5 the addresses are lowered by it. -ENOMEM.
 */
int dwarf_based_addresses(struct dwarf_lines *lines, Dwarf_Die *skeleton, uint64_t less, uint8_t **ret_bytes, size_t *ret_size);
int dwarf_based_ranges(struct dwarf_lines *lines, Dwarf_Die *skeleton, uint8_t **ret_bytes, size_t *ret_size);

/* dwarf_units.c: the unit of an address. 1; 0: there is none; -ENOMEM. */
int dwarf_find_unit(struct dwarf_lines *lines, uint64_t address, uint32_t *ret_unit);
void dwarf_forget_units(struct dwarf_lines *lines);

/* dwarf_scopes.c: reads the unit's lines and scopes. -ENOMEM. */
int dwarf_build_unit(struct dwarf_lines *lines, struct dwarf_unit *unit);
void dwarf_forget_unit(struct dwarf_unit *unit);
/* Its name and where it was called, looked up once. */
const struct dwarf_scope *dwarf_know_scope(struct dwarf_lines *lines, struct dwarf_unit *unit, uint32_t scope);
/* The path of a file of the unit; NULL: not known. */
const char *dwarf_path(struct dwarf_lines *lines, struct dwarf_unit *unit, uint64_t file);

#endif
