/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The sources of a module's symbols, each tried once: the traces (embedded, kernel symbols, perf
 * maps, a BPF program's own name), and this machine (debug file, file at the module's path,
 * --vmlinux, --kallsyms). Sets the module's index and state.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_MODULE_SYMBOLS_H
#define RWALKER_REPORT_RESOLVE_MODULE_MODULE_SYMBOLS_H

#include "report/resolve/module/modules.h"

/* 0, even if there are none; -ENOMEM, -errno of reading the trace. */
int module_symbols_load_embedded(struct modules *modules, struct module *module);
/* The full symbol table of a debug file on this machine, if there is one: it is better than the trace's symbols. */
int module_symbols_load_debug(struct modules *modules, struct module *module);
int module_symbols_load_local(struct modules *modules, struct module *module);

/* The address of _text in a kernel's ELF file, which is the base of kernel offsets. */
bool module_symbols_find_text(const struct elf_file *elf, uint64_t *ret_address);

/* The kernel release, according to the traces; "" if unknown. */
const char *kernel_module_release(const struct module *module);
/*
 * The functions of a kernel module from its own file (.ko). Addresses in the trace are relative to
 * the start of the module's core text. A relocatable file does not say where the kernel puts its
 * sections, except for the first one. So only functions in .text are usable, and only if .text is
 * the first section; nothing is guessed. 0; -ENOTSUP: it is not; else as
 * local_elf_open_kernel_module() and elf_file_symbols().
 */
int kernel_module_symbols_add(const struct local_files *files, const struct module *module,
			      struct file_symbols *symbols);

#endif
