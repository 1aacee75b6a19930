/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Case 1: the first instruction, the prologue and the epilogue. The caller's CFA is on rbx, so it has to be right. */
#include "tests/unit/report/resolve/unwind/cases/fixture.inc"

.macro LEAF name, first, pushed, popped
FUNCTION \name
	.cfi_startproc
	\first
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	\pushed
	mov $1, %ebx
	pop %rbx
	.cfi_def_cfa_offset 8
	/* as compilers do: the rule still names the slot, which is now below rsp */
	\popped
	ret
	.cfi_endproc
END \name
.endm

.macro CALLER name, leaf
FUNCTION \name
	.cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov %rsp, %rbx
	.cfi_def_cfa_register %rbx
	sub $40, %rsp
	call \leaf
MARK \name\()_return
	mov %rbx, %rsp
	.cfi_def_cfa_register %rsp
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END \name
.endm

	LEAF leaf_first_of, "TRAP leaf_first_trap", nop, nop
	LEAF leaf_pushed_of, nop, "TRAP leaf_pushed_trap", nop
	LEAF leaf_popped_of, nop, nop, "TRAP leaf_popped_trap"
	CALLER leaf_first, leaf_first_of
	CALLER leaf_pushed, leaf_pushed_of
	CALLER leaf_popped, leaf_popped_of
