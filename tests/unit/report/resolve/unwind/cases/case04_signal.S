/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Case 4: a signal at the very first instruction of a function: a lookup one byte before it would find another one. The
 * handler is C; it calls signal_leaf.
 */
#include "tests/unit/report/resolve/unwind/cases/fixture.inc"

FUNCTION signal_leaf
	.cfi_startproc
	TRAP signal_trap
	ret
	.cfi_endproc
END signal_leaf

	.cfi_startproc
	.cfi_def_cfa_offset 4096
	nop
	.cfi_endproc
	.globl signal_interrupted
	.type signal_interrupted, @function
signal_interrupted:
	.cfi_startproc
	ud2	/* the handler steps over it */
	ret
	.cfi_endproc
END signal_interrupted

FUNCTION signal_caller
	.cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov %rsp, %rbx
	.cfi_def_cfa_register %rbx
	call signal_interrupted
MARK signal_return
	pop %rbx
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
END signal_caller
