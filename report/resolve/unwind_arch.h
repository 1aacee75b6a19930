/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What differs between the machines whose stacks are unwound, as one constant table each. Chosen at run time by the
 * machine of the trace, so that an aarch64 snapshot is unwound on x86-64. Registers have their DWARF numbers: System V ABI,
 * AMD64 supplement, figure 3.36; DWARF for the Arm 64-bit Architecture, §4.1. The program counter has a slot of its own,
 * which is the return address column on x86-64 and the number DWARF gives to PC on aarch64.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNWIND_ARCH_H
#define RWALKER_REPORT_RESOLVE_UNWIND_ARCH_H

#include <stdbool.h>
#include <stdint.h>

enum { UNWIND_REGISTERS = 33 };

struct unwind_arch {
	uint16_t machine;	/* EM_* */
	uint8_t register_count; /* numbers below it are followed; others (vectors, flags) are read over */
	uint8_t pc, sp, fp;
	uint8_t link; /* where a call leaves the return address; == pc where it is pushed on the stack */
	uint64_t preserved;	 /* bit n: a function that says nothing of register n leaves it as it was */
	uint64_t address_mask;	 /* what may be set in an address of user code, where the snapshot does not say */
	uint16_t signal_frame[UNWIND_REGISTERS]; /* where each register lies, from sp in the signal trampoline */
	bool has_ra_state;	 /* DW_CFA_AARCH64_negate_ra_state */
};

/* NULL where the machine is none of ours. */
const struct unwind_arch *unwind_arch_find(uint16_t machine);

static inline uint64_t unwind_bit(unsigned int number)
{
	return UINT64_C(1) << number;
}

#endif
