/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The procedure linkage table: short stubs that each jump through a slot of the GOT, and which no
 * symbol table names. A stub is identified by the slot that it reads, and the slot by its
 * relocation, whatever the linker's layout of the table: x86-64 with and without IBT, lazy or not
 * (.plt, .plt.sec, .plt.got), aarch64 with and without BTI and PAC (System V ABI for x86-64, §5.2
 * and §13.2; ELF for the Arm 64-bit Architecture, §"PLT").
 */
#ifndef RWALKER_COMMON_ELF_ELF_PLT_H
#define RWALKER_COMMON_ELF_ELF_PLT_H

#include "common/elf/elf_file.h"

/*
 * "labs@plt" for each entry, "*ABS*+0x1234@plt" for one whose target is chosen at run time
 * (IRELATIVE) and has no name, and ".plt" for the code before the first entry, as perf names them.
 * By section, ascending. It is not an error if there are none. -EBADMSG, -E2BIG; -ENOMEM.
 */
int elf_file_plt_symbols(const struct elf_file *file, struct elf_symbols *ret_symbols);

#endif
