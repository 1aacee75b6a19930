/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One unit's line number program (DWARF 2 to 5, §6.2 of DWARF 5): its files, and its rows in
 * sequences of ascending addresses. libdw can do this, too, but it sorts all rows one by one, at
 * five times the cost of reading the unit's DIEs, and mixes sequences that the linker dropped with
 * those that it kept. The bytes are hostile: everything is checked, and a malformed program is used
 * up to the error.
 */
#ifndef RWALKER_REPORT_RESOLVE_DWARF_LINE_PROGRAM_H
#define RWALKER_REPORT_RESOLVE_DWARF_LINE_PROGRAM_H

#include "report/resolve/dwarf/line_index.h"

struct line_bytes {
	const uint8_t *bytes; /* NULL: no such section */
	size_t size;
};

struct line_sections { /* .debug_line, .debug_line_str, .debug_str; not compressed */
	struct line_bytes line, line_str, str;
};

struct line_file {
	const char *name; /* in a section; "" if unknown */
	uint64_t directory;
};

struct line_sequence {
	uint64_t low, high;
	size_t first, count; /* range in `rows` */
};

struct line_program {
	uint16_t version;
	ARRAY(const char *) directories; /* before version 5 numbers start at 1 */
	ARRAY(struct line_file) files;	 /* likewise */
	ARRAY(struct line_sequence) sequences;
	ARRAY(struct line_row) rows;
};

/* Whether a sequence that begins there is needed. */
typedef bool line_wanted(const void *context, uint64_t address);

/* The program at this offset of .debug_line. -EBADMSG: malformed from some point on; -ENOMEM. */
int line_program_read(const struct line_sections *sections, uint64_t offset, line_wanted *wanted,
		      const void *context, struct line_program *ret_program);
void line_program_deinit(struct line_program *program);

/* Adds the rows to an index. Where sequences overlap, the later start wins. -ENOMEM. */
int line_program_add_rows(struct line_program *program, struct line_index *index);

/*
 * The path of a file by number; relative paths are based on `directory`, which may be NULL. New
 * memory; NULL: unknown.
 */
char *line_program_path(const struct line_program *program, uint64_t file, const char *directory);

#endif
