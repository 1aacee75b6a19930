/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One unit's line number program (DWARF 2 to 5, §6.2 of DWARF 5): its files, and its rows in sequences of ascending addresses.
 * libdw has this, too, but sorts all rows one by one, at five times the cost of reading the unit's DIEs, and mixes sequences that
 * the linker dropped with those that it kept. The bytes are hostile: everything is checked, and a program that is malformed is
 * good up to there.
 */
#ifndef RWALKER_REPORT_RESOLVE_LINE_PROGRAM_H
#define RWALKER_REPORT_RESOLVE_LINE_PROGRAM_H

#include "report/resolve/line_index.h"

struct line_bytes {
	const uint8_t *bytes; /* NULL: there is no such section */
	size_t size;
};

struct line_sections { /* .debug_line, .debug_line_str, .debug_str; not compressed */
	struct line_bytes line, line_str, str;
};

struct line_file {
	const char *name; /* in a section; "" where it is not known */
	uint64_t directory;
};

struct line_sequence {
	uint64_t low, high;
	size_t first, count; /* of rows */
};

struct line_program {
	uint16_t version;
	ARRAY(const char *) directories; /* before version 5 the first is number 1 */
	ARRAY(struct line_file) files;	 /* likewise */
	ARRAY(struct line_sequence) sequences;
	ARRAY(struct line_row) rows;
};

/* Whether a sequence that begins there is wanted. */
typedef bool line_wanted(const void *context, uint64_t address);

/* The program at this offset of .debug_line. -EBADMSG: the rest of it is malformed; -ENOMEM. */
int line_program_read(const struct line_sections *sections, uint64_t offset, line_wanted *wanted, const void *context,
		      struct line_program *ret_program);
void line_program_deinit(struct line_program *program);

/* Adds the rows to an index. Where sequences overlap, what begins later holds. -ENOMEM. */
int line_program_add_rows(struct line_program *program, struct line_index *index);

/* The path of a file by its number; relative ones are seen from `directory`, which may be NULL. New memory; NULL: not known. */
char *line_program_path(const struct line_program *program, uint64_t file, const char *directory);

#endif
