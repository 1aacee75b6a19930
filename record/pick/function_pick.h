/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the trace holds for code without symbols: where the functions that were hit begin and end,
 * by the module's unwind information. They are symbols with an empty name, so that the reader can
 * group what it cannot name.
 */
#ifndef RWALKER_RECORD_PICK_FUNCTION_PICK_H
#define RWALKER_RECORD_PICK_FUNCTION_PICK_H

#include "common/elf/elf_file.h"

/*
 * Adds one for each function that holds a hit outside of all symbols. Sorts the symbols; hits
 * ascending. 0, -ENOMEM, -E2BIG.
 */
int function_pick_add(const struct elf_file *file, const uint64_t *hits, size_t hit_count, struct elf_symbols *symbols);

#endif
