/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which bytes of a module's code the trace needs, so that an unwinder can tell a return address
 * from any other word: the calls before the addresses that were hit, the targets of jumps that
 * those calls lead to, and the beginnings of functions without unwind information. They are
 * written as one text: FORMAT.md, UNWIND_CODE.
 */
#ifndef RWALKER_RECORD_PICK_CODE_PICK_H
#define RWALKER_RECORD_PICK_CODE_PICK_H

#include "common/array.h"
#include "common/elf/elf_file.h"

struct code_window {
	uint64_t address; /* link-time */
	uint32_t size;
};

struct code_pick {
	const struct elf_file *file;
	const struct elf_symbol *symbols; /* as symbol_pick_prepare() leaves them */
	size_t symbol_count;
	ARRAY(struct code_window) windows;
};

/* Adds the calls before the hits, which are return addresses minus one, ascending. 0, -ENOMEM. */
int code_pick_calls(struct code_pick *pick, const uint64_t *hits, size_t count);
/* Adds the functions that hold these. 0, -ENOMEM. */
int code_pick_functions(struct code_pick *pick, const uint64_t *hits, size_t count);
/* *ret_bytes: the text, owned by the caller; NULL if there is nothing to write, or too much. 0, -ENOMEM. */
int code_pick_write(struct code_pick *pick, struct elf_section_bytes *ret_bytes);
void code_pick_deinit(struct code_pick *pick);

#endif
