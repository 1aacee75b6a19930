/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/arch_registers.h"

#include <stddef.h>

/* Linux arch/arm64/include/uapi/asm/ptrace.h; DWARF for the Arm 64-bit Architecture, §4.1. */
bool arch_registers(const uint64_t *words, uint64_t registers[static RWK_MAX_REGISTERS], uint64_t *ret_known)
{
	enum { COUNT = 33, PSTATE = 33, PSTATE_32 = 1 << 4 }; /* x0 to x30, sp, pc */

	if (words[PSTATE] & PSTATE_32)
		return false;
	for (size_t i = 0; i < COUNT; i++)
		registers[i] = words[i];
	*ret_known = (UINT64_C(1) << COUNT) - 1;
	return true;
}

void arch_frame(const uint64_t registers[static RWK_MAX_REGISTERS], uint64_t *ret_instruction, uint64_t *ret_frame)
{
	enum { X29 = 29, PC = 32 };

	*ret_instruction = registers[PC];
	*ret_frame = registers[X29];
}

/* The kernel signs above the largest possible address (ARMv8.3 pointer authentication, 48 bits). */
uint64_t arch_link(const uint64_t registers[static RWK_MAX_REGISTERS])
{
	enum { DWARF_LR = 30 };

	return registers[DWARF_LR];
}

uint64_t arch_code_address(uint64_t word)
{
	return word & ((UINT64_C(1) << 48) - 1);
}
