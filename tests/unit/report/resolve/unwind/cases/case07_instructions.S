/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Case 7: remember and restore, with the CFA; restore of one register; a far advance; the size of arguments; a register in
 * another one; a value by an expression. What an assembler does not write is in test_cfi.c.
 */
#include "tests/unit/report/resolve/unwind/cases/fixture.inc"

FUNCTION instructions_leaf
	.cfi_startproc
	mov %rbx, %r11
	.cfi_register %rbx, %r11
	push %r12
	.cfi_def_cfa_offset 16
	.cfi_offset %r12, -16
	xor %ebx, %ebx
	xor %r12d, %r12d
	.cfi_remember_state
	.cfi_def_cfa_offset 800
	.cfi_undefined %rbx
	.cfi_remember_state
	.cfi_def_cfa %rcx, 1
	nop
	.cfi_restore_state
	nop
	.cfi_restore_state
	.cfi_escape 0x2e, 0x80, 1	/* GNU_args_size 128 */
	TRAP instructions_trap
	pop %r12
	.cfi_def_cfa_offset 8
	.cfi_restore %r12
	mov %r11, %rbx
	.cfi_restore %rbx
	ret
	.cfi_endproc
END instructions_leaf

FUNCTION instructions_far
	.cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	mov %rsp, %rbx
	push %r12
	.cfi_def_cfa_offset 24
	.cfi_offset %r12, -24
	jmp 1f
	.fill 70000, 1, 0x90
1:	.cfi_def_cfa %rbx, 16
	.cfi_escape 0x16, 13, 3, 0x30, 0x1f, 0x20	/* r13 is ~-0: val_expression */
	sub $64, %rsp
	call instructions_leaf
MARK instructions_return_1
	add $64, %rsp
	pop %r12
	.cfi_restore %r12
	pop %rbx
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
END instructions_far

/* Needs r12 as its callees had it, and r13 as instructions_far says it was: all ones. */
FUNCTION instructions
	.cfi_startproc
	push %r12
	.cfi_def_cfa_offset 16
	.cfi_offset %r12, -16
	push %r13
	.cfi_def_cfa_offset 24
	.cfi_offset %r13, -24
	lea 16(%rsp), %r12
	.cfi_escape 0x0f, 5, 0x7c, 9, 0x7d, 0, 0x22	/* CFA: breg12 9, breg13 0, plus */
	call instructions_far
MARK instructions_return_2
	pop %r13
	.cfi_def_cfa %rsp, 16
	pop %r12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END instructions
