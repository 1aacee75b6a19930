/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Fixtures of test_unwind_cases.c that are linked into it, by the numbers of its cases. */
#include "tests/unit/report/unwind/cases/fixture.inc"

/* Case 1: the first instruction, the prologue and the epilogue. The caller's CFA is on rbx, so it has to be right. */
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

/*
 * Case 2: code without frame pointers. The leaf uses rbp for something else, and its caller needs its own rbp back. That one
 * realigned its stack, so its CFA is an expression: the word at rbp - 8. Between them is a frame whose CFA is based on r12.
 */
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

/* Case 3: a call is the last instruction of its function, so the return address is in the next one, which has other rules. */
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

/*
 * Case 4: a signal at the very first instruction of a function: a lookup one byte before it would find another one. The
 * handler is C; it calls signal_leaf.
 */
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

/* Case 5: a PLT as linkers make it: 16 bytes per entry, CFA = rsp + 8 + ((rip & 15) >= 11) * 8, with the current rip. */
.macro ENTRY name, before, after
FUNCTION \name
	.cfi_startproc
	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22
	nop
	\before
	.p2align 3, 0x90
	.byte 0x90
	push $0			/* 2 bytes, up to offset 11 */
	\after
	add $8, %rsp		/* from offset 12 on it is no longer a PLT */
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
END \name
.endm

	ENTRY plt_before, "TRAP plt_before_trap", nop
	ENTRY plt_after, nop, "TRAP plt_after_trap"

/* Case 6: the return address is undefined: the outermost frame, as in _start, whatever is above it. */
FUNCTION outermost_leaf
	.cfi_startproc
	TRAP outermost_trap
	ret
	.cfi_endproc
END outermost_leaf

FUNCTION outermost
	.cfi_startproc
	.cfi_undefined %rip
	call outermost_leaf
MARK outermost_return
	ret
	.cfi_endproc
END outermost

/*
 * Case 7: remember and restore, with the CFA; restore of one register; a far advance; the size of arguments; a register in
 * another one; a value by an expression. What an assembler does not write is in test_cfi.c.
 */
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

/*
 * Cases 13 and 14: code that only keeps frame pointers (Go, JIT); the test copies it to memory that belongs to no file. It
 * calls the function in rdi, which has call frame information, and is called by such code.
 */
FUNCTION pointers_code
	push %rbp
	mov %rsp, %rbp
	push %rbx
	call *%rdi
MARK pointers_code_return
	pop %rbx
	pop %rbp
	ret
MARK pointers_code_end
END pointers_code

FUNCTION pointers_leaf
	.cfi_startproc
	sub $72, %rsp
	.cfi_def_cfa_offset 80
	TRAP pointers_trap
	add $72, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END pointers_leaf

/* rdi: the code; rsi: the function that it calls. */
FUNCTION pointers
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	mov %rdi, %rax
	mov %rsi, %rdi
	call *%rax
MARK pointers_return
	pop %rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
END pointers

/*
 * Case 20: functions without call frame information, or with wrong information, on stacks with words that may be taken for the
 * caller; and stacks that no call began.
 */
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
