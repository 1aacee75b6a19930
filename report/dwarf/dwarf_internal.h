/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The reader of line programs, and the door to libdw. */
#ifndef RWALKER_REPORT_DWARF_DWARF_INTERNAL_H
#define RWALKER_REPORT_DWARF_DWARF_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array.h"
#include "common/elf/elf_file.h"
#include "report/dwarf/lines.h"

struct dwarf_lines;

/*
 * A flat index of one unit of DWARF: the scope (a function, or an inlined call) and the line table
 * row of an address. It is filled, then laid out once, then only searched: two binary searches per
 * address. Independent of DWARF; scopes and files are the caller's numbers.
 *
 * Of several ranges that contain an address, the one with the highest scope number wins: number
 * scopes so that inner or later ones are higher.
 */
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
/* Call it once, after the last range. -ENOMEM. */
int line_index_lay_out(struct line_index *index);

/* The scope of the address; LINE_NO_SCOPE: none. */
uint32_t line_index_scope(const struct line_index *index, uint64_t address);
/* The row of the address; NULL: none. */
const struct line_row *line_index_row(const struct line_index *index, uint64_t address);

/*
 * One unit's line number program (DWARF 2 to 5, §6.2 of DWARF 5): its files, and its rows in
 * sequences of ascending addresses. libdw can do this, too, but it sorts all rows one by one, at
 * five times the cost of reading the unit's DIEs, and mixes sequences that the linker dropped with
 * those that it kept. The bytes are hostile: everything is checked, and a malformed program is used
 * up to the error.
 */
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

/*
 * The door to libdw, which is used for parsing only: for each unit with a requested address it
 * yields all functions, inlined calls and lines once; lookups then use a flat index
 * (line_program.c). The files may be hostile and the library may fail on them in
 * any way, so this runs in a child process with limits (line_child.c).
 *
 * One handle per module; not thread-safe.
 *
 * Reads the file behind fd, which must stay open. `code` is the range of its instructions; what is
 * outside was dropped by the linker. 0; -ENODATA: it has no DWARF; -ENOTSUP: this libdw cannot
 * decompress it; -EBADMSG; -ENOMEM.
 */
int dwarf_lines_open(int fd, struct dwarf_lines **ret_lines);
void dwarf_lines_close(struct dwarf_lines *lines);

/*
 * Gets the name, as stored in the file, and the build-id of the alternate file (dwz), which has the
 * DWARF that the file shares with others. False: there is none.
 */
bool dwarf_lines_alternate(const struct dwarf_lines *lines, const char **ret_name, struct build_id *ret_id);
/*
 * Sets that file; fd -1: it was not found, and names from it are unknown. `ours` as in struct
 * opened_file. Call it once, before the first query.
 */
int dwarf_lines_set_alternate(struct dwarf_lines *lines, int fd, bool ours);

struct dwarf_quality { /* of all answers up to now */
	bool partial;  /* some of the required data could not be read */
	bool is_split; /* functions are in other files (.dwo, .dwp), which are not read; lines are known */
	bool not_ours; /* some come from files, other than the main one, that another user could write */
};

/* Receives the answer for addresses[number]; the texts live as long as the lines. An error ends the query. */
typedef int dwarf_lines_take(void *context, size_t number, const struct line_level *levels, size_t count);

/*
 * Passes all available answers to `take`, unit by unit. `keep`: the indexes stay for later queries.
 * -ENOMEM, or what `take` returned.
 */
int dwarf_lines_resolve(struct dwarf_lines *lines, const uint64_t *addresses, size_t count,
			bool keep, dwarf_lines_take *take, void *context, struct dwarf_quality *ret_quality);

#endif
