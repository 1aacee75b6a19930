/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The door to libdw, which parses and nothing else: of each unit that an address is in it is asked once for all functions,
 * inlined calls and lines, and from then on a flat index answers (report/resolve/line_index.h). The files may be hostile and the
 * library may fail on them in any way, so all this is for a child process with limits (report/resolve/line_child.h).
 *
 * One handle per module, for one thread.
 */
#ifndef RWALKER_REPORT_RESOLVE_DWARF_DOOR_H
#define RWALKER_REPORT_RESOLVE_DWARF_DOOR_H

#include "common/elf_file.h"
#include "report/resolve/line_answers.h"

struct dwarf_lines;

/*
 * Reads the file behind fd, which must stay open. `code` is where its instructions are; what lies elsewhere was
 * dropped by the linker. 0; -ENODATA: there is no DWARF in it; -E2BIG: it expands to too much; -EBADMSG; -ENOMEM.
 */
int dwarf_lines_open(int fd, struct dwarf_lines **ret_lines);
void dwarf_lines_close(struct dwarf_lines *lines);

/* What the file shares with others lies in an alternate file (dwz): its name as the file has it, and its build-id. False: all is here. */
bool dwarf_lines_alternate(const struct dwarf_lines *lines, const char **ret_name, struct build_id *ret_id);
/* Gives it that file; -1: there is none, and names from it are not known. To be called once, before the first question. */
int dwarf_lines_set_alternate(struct dwarf_lines *lines, int fd);

/* Takes the answer for addresses[number]; the texts live as long as the lines. An error ends the questions. */
typedef int dwarf_lines_take(void *context, size_t number, const struct line_level *levels, size_t count);

/*
 * All answers that there are, unit by unit. `keep`: the indexes stay for later questions. *ret_partial: something of what was
 * needed could not be read. -ENOMEM, or what `take` returned.
 */
int dwarf_lines_resolve(struct dwarf_lines *lines, const uint64_t *addresses, size_t count, bool keep, dwarf_lines_take *take,
			void *context, bool *ret_partial);

#endif
