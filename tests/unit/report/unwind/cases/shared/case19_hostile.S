/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Case 19: malicious call frame information. Each function is one frame, and what it says about its caller
 * cannot be followed.
 */
#include "tests/unit/report/unwind/cases/fixture.inc"

.macro HOSTILE name, trap, escape:vararg
FUNCTION \name
	.cfi_startproc
	.cfi_escape \escape
	TRAP \trap
	ret
	.cfi_endproc
END \name
.endm

	/* CFA: skip -3, without end */
	HOSTILE hostile_loop, hostile_loop_trap, 0x0f, 3, 0x2f, 0xfd, 0xff
	/* CFA: a constant, then dup, and back to the dup: more than the stack of an expression can hold */
	HOSTILE hostile_pushes, hostile_pushes_trap, 0x0f, 5, 0x31, 0x12, 0x2f, 0xfc, 0xff
	/* CFA: a pop from an empty stack */
	HOSTILE hostile_pops, hostile_pops_trap, 0x0f, 2, 0x22, 0x22
	/* CFA: an invalid operation */
	HOSTILE hostile_unknown, hostile_unknown_trap, 0x0f, 1, 0xff
	/* CFA: rsp + 2^63 - 1 */
	HOSTILE hostile_far, hostile_far_trap, 0x0c, 7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f
	/* CFA: rsp - 8, and the return address there: the stack does not grow */
	HOSTILE hostile_shrinks, hostile_shrinks_trap, 0x0f, 2, 0x77, 0x78, 0x11, 16, 0x7f
	/* restores a state that was never remembered */
	HOSTILE hostile_restores, hostile_restores_trap, 0x0b
	/* an invalid instruction */
	HOSTILE hostile_instruction, hostile_instruction_trap, 0x3f
