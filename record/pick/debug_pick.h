/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The separate debug file of a stripped module, if this machine has it: its symbol table names
 * the hits better than what is left in the module. Only symbols that were hit are used, because
 * such a table is large.
 */
#ifndef RWALKER_RECORD_PICK_DEBUG_PICK_H
#define RWALKER_RECORD_PICK_DEBUG_PICK_H

#include <stdbool.h>

#include "common/elf/elf_file.h"

enum { DEBUG_PICK_PATH = 192 };

/* Where the file would be below /usr/lib/debug, by build-id. False: the id is too short or too long. */
bool debug_pick_path(const struct build_id *id, char path[DEBUG_PICK_PATH]);

/*
 * Adds the symbols of the debug file that hold a hit, or the byte after one, which is where
 * signal handlers return to. A file with another build-id, or one that cannot be read, adds
 * nothing. Hits ascending. 0, -ENOMEM, -E2BIG.
 */
int debug_pick_add(int fd, const struct build_id *id, const uint64_t *hits, size_t hit_count,
		   struct elf_symbols *symbols);

#endif
