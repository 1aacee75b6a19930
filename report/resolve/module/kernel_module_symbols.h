/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The functions of a kernel module from its own file (.ko), for frames that the trace does not
 * name. Addresses in the trace are relative to the start of the module's core text. A relocatable
 * file does not say where the kernel puts its sections, except for the first one. So only functions
 * in .text are usable, and only if .text is the first section; nothing is guessed.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_KERNEL_MODULE_SYMBOLS_H
#define RWALKER_REPORT_RESOLVE_MODULE_KERNEL_MODULE_SYMBOLS_H

#include "report/resolve/module/modules.h"

/* The kernel release, according to the traces; "" if unknown. */
const char *kernel_module_release(const struct module *module);

/* 0; -ENOTSUP: .text is not the first code section; else as local_elf_open_kernel_module() and elf_file_symbols(). */
int kernel_module_symbols_add(const struct local_files *files, const struct module *module,
			      struct file_symbols *symbols);

#endif
