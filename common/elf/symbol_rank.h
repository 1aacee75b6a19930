/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which of several function symbols at one address is taken, as far as it depends on properties
 * that are not in a trace: the recorder leaves out the others, and the reporter chooses among the
 * rest by their names. One with a size comes before one without, strong before weak, global before
 * local. The order is perf's (tools/perf/util/symbol.c, choose_best_symbol()), but a name of an old
 * version counts as weak (elf_file.h): perf calls free() cfree@GLIBC_2.2.5.
 */
#ifndef RWALKER_COMMON_ELF_SYMBOL_RANK_H
#define RWALKER_COMMON_ELF_SYMBOL_RANK_H

#include <elf.h>
#include <stdint.h>

/* binding: STB_*; size 0: the file gives none. The symbol with the least rank is taken. */
static inline unsigned int symbol_rank(uint64_t size, uint8_t binding)
{
	return (size ? 0u : 4u) + (binding == STB_WEAK ? 2u : 0u) + (binding == STB_LOCAL ? 1u : 0u);
}

#endif
