/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which function symbols of a module the trace needs: all of them in ascending order, or only those that hold an
 * address some sample points to, with every alias and every symbol around it, so that the reader chooses among
 * the same names as it would in the whole table. Symbols without a size reach to the next one.
 */
#ifndef RWALKER_RECORD_SYMBOL_PICK_H
#define RWALKER_RECORD_SYMBOL_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/elf_file.h"

/* Sorts by address and gives symbols without a size the room up to the next address (or one byte). */
void symbol_pick_prepare(struct elf_symbol *symbols, size_t count);

/* Sets keep[i] for every symbol that is needed; hits ascending, in the symbols' address space. */
void symbol_pick_mark(const struct elf_symbol *symbols, size_t count, const uint64_t *hits, size_t hit_count, bool *keep);

#endif
