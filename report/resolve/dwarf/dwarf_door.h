/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The door to libdw, which is used for parsing only: for each unit with a requested address it
 * yields all functions, inlined calls and lines once; lookups then use a flat index
 * (report/resolve/dwarf/line_index.h). The files may be hostile and the library may fail on them in
 * any way, so this runs in a child process with limits (report/resolve/dwarf/line_child.h).
 *
 * One handle per module; not thread-safe.
 */
#ifndef RWALKER_REPORT_RESOLVE_DWARF_DWARF_DOOR_H
#define RWALKER_REPORT_RESOLVE_DWARF_DWARF_DOOR_H

#include "common/elf/elf_file.h"
#include "report/resolve/dwarf/line_answers.h"

struct dwarf_lines;

/*
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
