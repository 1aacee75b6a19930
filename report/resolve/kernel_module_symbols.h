/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The functions of a kernel module from its own file (.ko), for the frames that the trace does not name. The trace counts addresses from
 * the start of the module's core text. A relocatable file does not say where the kernel puts its sections, but for
 * the first: so only functions in .text are of use, and only where .text is the first; nothing is guessed.
 */
#ifndef RWALKER_REPORT_RESOLVE_KERNEL_MODULE_SYMBOLS_H
#define RWALKER_REPORT_RESOLVE_KERNEL_MODULE_SYMBOLS_H

#include "report/resolve/modules.h"

/* 0; -ENOTSUP: .text is not the first section of code; as local_elf_open_kernel_module() and elf_file_symbols(). */
int kernel_module_symbols_add(const struct local_files *files, const struct module *module, struct file_symbols *symbols);

#endif
