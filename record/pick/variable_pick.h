/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which variables of a file hold the places that are asked for. A place is an offset in the file,
 * or, with VARIABLE_PICK_LAST, from where its last segment begins; only what is written to is
 * looked at. Of several variables around a place the smallest is taken, then a global one, then
 * the lesser name.
 */
#ifndef RWALKER_RECORD_PICK_VARIABLE_PICK_H
#define RWALKER_RECORD_PICK_VARIABLE_PICK_H

#include <stddef.h>
#include <stdint.h>

#include "common/elf/elf_file.h"

#define VARIABLE_PICK_LAST (1ULL << 63)

/*
 * debug: descriptor of the file's possible debug file, or -1. For each place that is in a
 * variable, ascending as they are: its name, `address`: the place as it was given, `size`: where
 * in the variable it is. -ENOMEM; -errno of reading the file.
 */
int variable_pick(const struct elf_file *file, int debug, const uint64_t *places, size_t count,
		  struct elf_symbols *ret_found);

#endif
