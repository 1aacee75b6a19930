/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Cases 13 and 14: code that only keeps frame pointers (Go, JIT); the test copies it to memory that belongs to no file. It
 * calls the function in rdi, which has call frame information, and is called by such code.
 */
#include "tests/unit/report/resolve/unwind/cases/fixture.inc"

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
