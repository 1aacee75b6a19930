/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * MiniDebugInfo: the functions of a stripped file, as an xz-compressed ELF file in its
 * .gnu_debugdata section, which a trace may hold in pieces.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_MINI_SYMBOLS_H
#define RWALKER_REPORT_RESOLVE_MODULE_MINI_SYMBOLS_H

#include "report/resolve/module/modules.h"

/* The embedded file. -ENOENT: there is none; else as elf_file_section(), unpack_xz(). */
int mini_symbols_unpack(const struct elf_file *elf, int *ret_fd);
/* Adds its functions to the list. -ESTALE: it belongs to another build-id; else as elf_file_symbols(). */
int mini_symbols_add(int fd, const struct build_id *id, struct symbol_list *list);
/* Both for a file with this build-id. The cache may be NULL. */
int mini_symbols_add_file(const struct local_elf *binary, const struct build_id *id, struct name_cache *cache,
			  struct symbol_list *list);
/* From the trace. Malformed data is ignored; data beyond the budget is counted (modules_budget()). 0, -ENOMEM. */
int mini_symbols_add_embedded(struct modules *modules, const struct module *module, const struct module_part *part,
			      struct symbol_list *list);

#endif
