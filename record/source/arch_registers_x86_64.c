/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/arch_registers.h"

#include <stddef.h>

/* Linux arch/x86/include/asm/ptrace.h; DWARF numbers: System V ABI AMD64, figure 3.36. */
bool arch_registers(const uint64_t *words, uint64_t registers[static RWK_MAX_REGISTERS], uint64_t *ret_known)
{
	/* r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi */
	static const uint8_t numbers[] = {15, 14, 13, 12, 6, 3, 11, 10, 9, 8, 0, 2, 1, 4, 5};
	enum { IP = 16, CS = 17, SP = 19, USER64_CS = 0x33, DWARF_RSP = 7, DWARF_RA = 16, COUNT = 17 };

	if ((uint16_t)words[CS] != USER64_CS)
		return false;
	for (size_t i = 0; i < sizeof(numbers); i++)
		registers[numbers[i]] = words[i];
	registers[DWARF_RSP] = words[SP];
	registers[DWARF_RA] = words[IP];
	*ret_known = (UINT64_C(1) << COUNT) - 1;
	return true;
}

void arch_frame(const uint64_t registers[static RWK_MAX_REGISTERS], uint64_t *ret_instruction, uint64_t *ret_frame)
{
	enum { DWARF_RBP = 6, DWARF_RA = 16 };

	*ret_instruction = registers[DWARF_RA];
	*ret_frame = registers[DWARF_RBP];
}

uint64_t arch_link(const uint64_t registers[static RWK_MAX_REGISTERS])
{
	(void)registers;
	return 0;
}

uint64_t arch_code_address(uint64_t word)
{
	return word;
}
