/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Case 20: functions without call frame information, or with wrong information, on a stack with more than one word that may be
 * taken for the caller; and stacks that no call began. The caller is the one whose call leads there.
 */
#include "tests/unit/report/resolve/unwind/cases/fixture.inc"

/* Its caller does not matter: after its call is a return address that is left over on stacks. */
FUNCTION evidence_other
	.cfi_startproc
	sub $8, %rsp
	.cfi_def_cfa_offset 16
	call evidence_nobody
MARK evidence_stale
	add $8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END evidence_other

FUNCTION evidence_nobody
	.cfi_startproc
	ret
	.cfi_endproc
END evidence_nobody

/* A word of another call is nearer than its own return address, followed by a possible caller of that one. */
FUNCTION evidence_stale_words
	lea evidence_stale(%rip), %rax
	lea evidence_stale_return(%rip), %rcx
	push %rcx
	push $0
	push %rax
	TRAP evidence_stale_trap
	add $24, %rsp
	ret
END evidence_stale_words

FUNCTION evidence_stale_caller
	.cfi_startproc
	sub $8, %rsp
	.cfi_def_cfa_offset 16
	call evidence_stale_words
MARK evidence_stale_return
	add $8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END evidence_stale_caller

/* Keeps no frame pointer; its caller's leads to its caller's caller. */
FUNCTION evidence_no_pointer
	push %rbx
	sub $16, %rsp
	call evidence_leaf
MARK evidence_pointer_return_1
	add $16, %rsp
	pop %rbx
	ret
END evidence_no_pointer

FUNCTION evidence_leaf
	.cfi_startproc
	TRAP evidence_leaf_trap
	ret
	.cfi_endproc
END evidence_leaf

FUNCTION evidence_pointer_caller
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	call evidence_no_pointer
MARK evidence_pointer_return_2
	pop %rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
END evidence_pointer_caller

/* A frame pointer of 0 is not the root. */
FUNCTION evidence_zero
	push %rbp
	xor %ebp, %ebp
	sub $8, %rsp
	call evidence_leaf
MARK evidence_zero_return
	add $8, %rsp
	pop %rbp
	ret
END evidence_zero

FUNCTION evidence_zero_caller
	.cfi_startproc
	sub $8, %rsp
	.cfi_def_cfa_offset 16
	call evidence_zero
MARK evidence_zero_return_2
	add $8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END evidence_zero_caller

/* What it says about its frame is wrong: there is a word of 0 where the return address should be. */
FUNCTION evidence_wrong_rule
	.cfi_startproc
	push $0
	push $0
	TRAP evidence_rule_trap
	add $16, %rsp
	ret
	.cfi_endproc
END evidence_wrong_rule

FUNCTION evidence_rule_caller
	.cfi_startproc
	push %r12
	.cfi_def_cfa_offset 16
	call evidence_wrong_rule
MARK evidence_rule_return
	pop %r12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END evidence_rule_caller

/* Through a jump: the call leads to a function that jumps to this one. */
FUNCTION evidence_jumper
	nop
	jmp evidence_jumped
END evidence_jumper

FUNCTION evidence_jumped
	push %rbx
	TRAP evidence_jump_trap
	pop %rbx
	ret
END evidence_jumped

FUNCTION evidence_jump_caller
	.cfi_startproc
	push %r12
	.cfi_def_cfa_offset 16
	call evidence_jumper
MARK evidence_jump_return
	pop %r12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END evidence_jump_caller

/* On a stack of its own (the first argument: its end), like coroutines: its first function was not called by anything. */
FUNCTION evidence_coroutine
	push %rbx
	mov %rsp, %rbx
	lea evidence_base(%rip), %rax
	lea -64(%rdi), %rsp
	push %rax
	jmp evidence_leaf
END evidence_coroutine
	nop
FUNCTION evidence_base
	mov %rbx, %rsp
	pop %rbx
	ret
END evidence_base
