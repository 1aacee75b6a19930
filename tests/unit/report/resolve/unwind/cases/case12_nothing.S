/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Cases 12 and 15: code without call frame information and without frame pointers, as in a static musl: a leaf, interrupted
 * before it pushed anything, and a function that called into code with call frame information.
 */
#include "tests/unit/report/resolve/unwind/cases/fixture.inc"

FUNCTION nothing_leaf
	TRAP nothing_leaf_trap
	ret
END nothing_leaf

FUNCTION nothing_far_leaf
	.cfi_startproc
	TRAP nothing_far_trap
	ret
	.cfi_endproc
END nothing_far_leaf

FUNCTION nothing_middle
	push %rbp
	mov $0x77, %ebp
	mov $25, %ecx
1:	push $0
	loop 1b
	call nothing_far_leaf
MARK nothing_return_1
	add $200, %rsp
	pop %rbp
	ret
END nothing_middle

FUNCTION nothing
	.cfi_startproc
	sub $24, %rsp
	.cfi_def_cfa_offset 32
	call nothing_middle
MARK nothing_return_2
	add $24, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END nothing
