/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Case 20: functions without call frame information, or with wrong information, on stacks with words that may be taken for the
 * caller; and stacks that no call began.
 */
#include "tests/unit/report/resolve/unwind/cases/fixture.inc"

FUNCTION words_leaf
	.cfi_startproc
	TRAP words_leaf_trap
	ret
	.cfi_endproc
END words_leaf

/* Its own return address is above another one, which is left over from an earlier call. */
FUNCTION words
	lea words_zero_return(%rip), %rax
	push $0
	push %rax
	TRAP words_trap
	add $16, %rsp
	ret
END words

FUNCTION words_caller
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov $77, %ebp
	call words
	pop %rbp
	.cfi_restore %rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END words_caller

/* A frame pointer of 0 is not the root. */
FUNCTION words_zero
	push %rbp
	xor %ebp, %ebp
	sub $8, %rsp
	call words_leaf
MARK words_zero_return
	add $8, %rsp
	pop %rbp
	ret
END words_zero

FUNCTION words_zero_caller
	.cfi_startproc
	sub $8, %rsp
	.cfi_def_cfa_offset 16
	call words_zero
	add $8, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END words_zero_caller

/* What it says about its frame is wrong: there is a word of 0 where the return address should be. */
FUNCTION words_rule
	.cfi_startproc
	push $0
	push $0
	TRAP words_rule_trap
	add $16, %rsp
	ret
	.cfi_endproc
END words_rule

FUNCTION words_rule_caller
	.cfi_startproc
	push %r12
	.cfi_def_cfa_offset 16
	call words_rule
	pop %r12
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END words_rule_caller

/* On a stack of its own (the first argument: its end), like coroutines: its first function was not called by anything. */
FUNCTION words_coroutine
	push %rbx
	mov %rsp, %rbx
	lea words_base(%rip), %rax
	lea -64(%rdi), %rsp
	push %rax
	jmp words_leaf
END words_coroutine
	nop
FUNCTION words_base
	mov %rbx, %rsp
	pop %rbx
	ret
END words_base
