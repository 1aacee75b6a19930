/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Case 9: linked so that its code has an address that differs from its file offset (lld and rustc: p_vaddr != p_offset). A
 * place in the file must be found through the segment that holds it.
 */
#include "tests/unit/report/unwind/cases/fixture.inc"

FUNCTION fixture_leaf
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov $0x99, %ebp
	TRAP fixture_trap
	pop %rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END fixture_leaf

FUNCTION fixture
	.cfi_startproc
	sub $104, %rsp
	.cfi_def_cfa_offset 112
	call *leaf_address(%rip)
MARK fixture_return
	add $104, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END fixture

	.data
leaf_address:
	.quad fixture_leaf
