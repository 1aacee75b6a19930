/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kernel's struct pt_regs of this machine, as DWARF numbers registers; its code pointers. */
#ifndef RWALKER_RECORD_ARCH_REGISTERS_H
#define RWALKER_RECORD_ARCH_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/limits.h"

/*
 * words: of a struct pt_regs, in the kernel's order. Fills registers by their DWARF number and says in *ret_known which.
 * False: of code of another ABI (32 bits), which is not unwound.
 */
bool arch_registers(const uint64_t *words, uint64_t registers[static RWK_MAX_REGISTERS], uint64_t *ret_known);

/* The bits of an address in a code pointer of user memory; pointer authentication keeps its code in the others. */
uint64_t arch_code_mask(void);

#endif
