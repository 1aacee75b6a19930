/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Case 8: .debug_frame alone, which the linker compresses, or objcopy moves to a debug file. The functions after it make it
 * worth compressing.
 */
#include "tests/unit/report/unwind/cases/fixture.inc"

	.cfi_sections .debug_frame
FUNCTION fixture
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	sub $32, %rsp
	.cfi_def_cfa_offset 48
	mov $0x99, %ebp
	TRAP fixture_trap
	add $32, %rsp
	.cfi_def_cfa_offset 16
	pop %rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END fixture

	.rept 100
	.cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.endr
