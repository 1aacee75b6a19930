/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Case 2: code without frame pointers. The leaf uses rbp for something else, and its caller needs its own rbp back. That one
 * realigned its stack, so its CFA is an expression: the word at rbp - 8. Between them is a frame whose CFA is based on r12.
 */
#include "tests/unit/report/resolve/unwind/cases/fixture.inc"

FUNCTION realigned_leaf
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	push %r12
	.cfi_def_cfa_offset 24
	.cfi_offset %r12, -24
	mov $0x1234, %ebp
	xor %r12d, %r12d
	TRAP realigned_trap
	pop %r12
	.cfi_def_cfa_offset 16
	pop %rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END realigned_leaf

FUNCTION realigned_middle
	.cfi_startproc
	push %r12
	.cfi_def_cfa_offset 16
	.cfi_offset %r12, -16
	mov %rsp, %r12
	.cfi_def_cfa_register %r12
	sub $24, %rsp
	call realigned_leaf
MARK realigned_return_1
	mov %r12, %rsp
	.cfi_def_cfa_register %rsp
	pop %r12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END realigned_middle

FUNCTION realigned
	.cfi_startproc
	lea 8(%rsp), %r10
	.cfi_def_cfa %r10, 0
	and $-64, %rsp
	push -8(%r10)
	push %rbp
	.cfi_escape 0x10, 6, 2, 0x76, 0		/* rbp at rbp + 0: expression, breg6 0 */
	mov %rsp, %rbp
	push %r10
	.cfi_escape 0x0f, 3, 0x76, 0x78, 6	/* CFA: breg6 -8, deref */
	sub $72, %rsp
	call realigned_middle
MARK realigned_return_2
	mov -8(%rbp), %r10
	.cfi_def_cfa %r10, 0
	leave
	lea -8(%r10), %rsp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
END realigned
