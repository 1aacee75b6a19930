/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The differences between the supported machines, as a constant table for each. Chosen at run time
 * by the machine of the trace, so that an aarch64 snapshot can be unwound on x86-64. Registers have
 * their DWARF numbers: System V ABI, AMD64 supplement, figure 3.36; DWARF for the Arm 64-bit
 * Architecture, §4.1. The program counter has its own slot, which is the return address column on
 * x86-64 and DWARF's number of PC on aarch64.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNWIND_UNWIND_ARCH_H
#define RWALKER_REPORT_RESOLVE_UNWIND_UNWIND_ARCH_H

#include <stdbool.h>
#include <stdint.h>

enum { UNWIND_REGISTERS = 33 };

struct unwind_arch {
	uint16_t machine;	/* EM_* */
	uint8_t register_count; /* numbers below it are tracked; others (vectors, flags) are ignored */
	uint8_t pc, sp, fp;
	uint8_t link; /* where a call puts the return address; == pc if it is pushed on the stack */
	uint64_t preserved;	 /* bit n: register n is preserved unless a function's rules say otherwise */
	uint64_t address_mask;	 /* bits that may be set in a user code address, if the snapshot does not say */
	uint16_t signal_frame[UNWIND_REGISTERS]; /* offset of each register from sp in the signal trampoline */
	bool has_ra_state;	 /* DW_CFA_AARCH64_negate_ra_state */
};

/* NULL if the machine is not supported. */
const struct unwind_arch *unwind_arch_find(uint16_t machine);

static inline uint64_t unwind_bit(unsigned int number)
{
	return UINT64_C(1) << number;
}

#endif
