/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* MiniDebugInfo: the functions of a stripped file, as an xz-compressed ELF file in its .gnu_debugdata section. */
#ifndef RWALKER_REPORT_RESOLVE_SYMBOL_MINI_SYMBOLS_H
#define RWALKER_REPORT_RESOLVE_SYMBOL_MINI_SYMBOLS_H

#include "report/resolve/symbol/symbol_index.h"

/* The embedded file. -ENOENT: there is none; else as elf_file_section(), unpack_xz(). */
int mini_symbols_unpack(const struct elf_file *elf, int *ret_fd);
/* Adds its functions to the list. -ESTALE: it belongs to another build-id; else as elf_file_symbols(). */
int mini_symbols_add(int fd, const struct build_id *id, struct symbol_list *list);
/* Both for the section's bytes; *left as in unpack_xz_from(). */
int mini_symbols_add_packed(const void *bytes, size_t size, const struct build_id *id, uint64_t *left,
			    struct symbol_list *list);

#endif
