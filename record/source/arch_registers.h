/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* This machine's struct pt_regs by DWARF register numbers, and the code addresses in its pointers. */
#ifndef RWALKER_RECORD_SOURCE_ARCH_REGISTERS_H
#define RWALKER_RECORD_SOURCE_ARCH_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/limits.h"

/*
 * words: of a struct pt_regs, in the kernel's order. Fills registers by their DWARF number and
 * reports in *ret_known which ones. Returns false for code of another ABI (32 bits), which is not
 * unwound.
 */
bool arch_registers(const uint64_t *words, uint64_t registers[static RWK_MAX_REGISTERS], uint64_t *ret_known);

/* From those registers, the instruction pointer, and the frame pointer of code that keeps one. */
void arch_frame(const uint64_t registers[static RWK_MAX_REGISTERS], uint64_t *ret_instruction, uint64_t *ret_frame);

/* The link register; 0 if the machine has none. */
uint64_t arch_link(const uint64_t registers[static RWK_MAX_REGISTERS]);

/* A return address without the bits that the machine puts above the address. */
uint64_t arch_code_address(uint64_t word);

#endif
