/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Case 5: a PLT as linkers make it: 16 bytes per entry, CFA = rsp + 8 + ((rip & 15) >= 11) * 8, with the current rip. */
#include "tests/unit/report/resolve/unwind/cases/fixture.inc"

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
