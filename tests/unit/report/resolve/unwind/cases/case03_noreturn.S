/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Case 3: a call is the last instruction of its function, so the return address is in the next one, which has other rules. */
#include "tests/unit/report/resolve/unwind/cases/fixture.inc"

FUNCTION noreturn_leaf
	.cfi_startproc
	TRAP noreturn_trap
	add $56, %rsp	/* back to the caller's caller */
	.cfi_def_cfa_offset -48
	ret
	.cfi_endproc
END noreturn_leaf

FUNCTION noreturn
	.cfi_startproc
	sub $40, %rsp
	.cfi_def_cfa_offset 48
	push %rbx
	.cfi_def_cfa_offset 56
	.cfi_offset %rbx, -56
	call noreturn_leaf
	.cfi_endproc
MARK noreturn_return
END noreturn

	.globl noreturn_next
noreturn_next:
	.cfi_startproc
	ret
	.cfi_endproc
