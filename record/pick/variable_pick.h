/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which variables of a file hold given places. A place is an offset in the file or, with
 * VARIABLE_PICK_LAST, from the start of its last segment; only writable segments are searched. If
 * several variables hold a place, the smallest is chosen, then a global one, then the lesser name.
 */
#ifndef RWALKER_RECORD_PICK_VARIABLE_PICK_H
#define RWALKER_RECORD_PICK_VARIABLE_PICK_H

#include <stddef.h>
#include <stdint.h>

#include "common/elf/elf_file.h"

#define VARIABLE_PICK_LAST (1ULL << 63)

/*
 * debug: descriptor of the file's possible debug file, or -1. *ret_found has a symbol for each
 * place that is in a variable, in the order of the places: the variable's name, `address`: the
 * place as it was given, `size`: its offset in the variable. 0, -ENOMEM; -errno of reading the
 * file.
 */
int variable_pick(const struct elf_file *file, int debug, const uint64_t *places, size_t count,
		  struct elf_symbols *ret_found);

#endif
