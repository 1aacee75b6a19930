/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Case 8: .debug_frame alone, among code that has .eh_frame. */
#include "tests/unit/report/unwind/cases/fixture.inc"

	.cfi_sections .debug_frame
FUNCTION debug_frame
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	sub $32, %rsp
	.cfi_def_cfa_offset 48
	mov $0x99, %ebp
	TRAP debug_frame_trap
	add $32, %rsp
	.cfi_def_cfa_offset 16
	pop %rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END debug_frame
