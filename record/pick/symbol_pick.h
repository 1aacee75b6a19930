/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which function symbols of a module the trace needs: all of them in ascending order, or only
 * those that hold an address some sample points to, with every alias and every symbol around it,
 * so that the reader chooses among the same names as in the whole table. Symbols without a size
 * extend to the next one.
 */
#ifndef RWALKER_RECORD_PICK_SYMBOL_PICK_H
#define RWALKER_RECORD_PICK_SYMBOL_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/elf/elf_file.h"

/*
 * Keeps only the names of the least rank at each address (common/elf/symbol_rank.h): the reader
 * would not choose the others, but cannot see in a trace what they are. To be called before any
 * size is estimated.
 */
void symbol_pick_drop_lesser(struct elf_symbols *symbols);

/* Sorts by address and extends symbols without a size up to the next address (or by one byte). */
void symbol_pick_prepare(struct elf_symbol *symbols, size_t count);

/* Whether one of them, after symbol_pick_prepare(), holds the address. */
bool symbol_pick_holds(const struct elf_symbol *symbols, size_t count, uint64_t address);

/* Sets keep[i] for every symbol that is needed; hits ascending, in the symbols' address space. */
void symbol_pick_mark(const struct elf_symbol *symbols, size_t count, const uint64_t *hits,
		      size_t hit_count, bool *keep);

/*
 * What the trace holds for code without symbols: where the functions that were hit begin and end,
 * by the module's unwind information. They are symbols with an empty name, so that the reader can
 * group what it cannot name.
 */

/*
 * Adds one for each function that holds a hit outside of all symbols. Sorts the symbols; hits
 * ascending. 0, -ENOMEM, -E2BIG.
 */
int function_pick_add(const struct elf_file *file, const uint64_t *hits, size_t hit_count, struct elf_symbols *symbols);

/*
 * The separate debug file of a stripped module, if this machine has it: its symbol table names
 * the hits better than what is left in the module. Only symbols that were hit are used, because
 * such a table is large.
 */

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
