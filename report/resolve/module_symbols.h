/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where a module's symbols come from, tried once each: from the traces (embedded, kernel symbols, perf maps, a
 * BPF program's own name), and from this machine (debug file, file at the module's path, --vmlinux, --kallsyms).
 * Sets the module's index and state.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_SYMBOLS_H
#define RWALKER_REPORT_RESOLVE_MODULE_SYMBOLS_H

#include "report/resolve/modules.h"

/* 0 whether or not there are any; -ENOMEM, -errno of reading the trace. */
int module_symbols_load_embedded(struct modules *modules, struct module *module);
int module_symbols_load_local(struct modules *modules, struct module *module);

/* The address of _text in a kernel's file, which kernel offsets count from. */
bool module_symbols_find_text(const struct elf_file *elf, uint64_t *ret_address);

#endif
