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

#endif
