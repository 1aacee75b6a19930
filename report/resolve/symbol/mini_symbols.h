/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* MiniDebugInfo: the functions of a stripped file, as an xz-compressed ELF file in its .gnu_debugdata section. */
#ifndef RWALKER_REPORT_RESOLVE_SYMBOL_MINI_SYMBOLS_H
#define RWALKER_REPORT_RESOLVE_SYMBOL_MINI_SYMBOLS_H

#include "report/resolve/symbol/symbol_index.h"

/*
 * Adds them to the list. 0; -ENOENT: there are none; -ESTALE: they belong to another file; else as
 * elf_file_symbols(), unpack_xz().
 */
int mini_symbols_add(const struct elf_file *elf, struct symbol_list *list);
/* The same for the section's bytes; `id` is the build-id of the stripped file, *left as in unpack_xz_from(). */
int mini_symbols_add_packed(const void *bytes, size_t size, const struct build_id *id, uint64_t *left,
			    struct symbol_list *list);

#endif
