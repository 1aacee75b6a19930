/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Case 18: aarch64, with signed return addresses (pointer authentication), for a test on any machine: assembled and
 * linked by LLVM, never run. A leaf that keeps its return address in x30; a function that signs its own; one with a CFA based
 * on x29 and a saved register; the outermost.
 */
#include "tests/unit/report/resolve/unwind/cases/fixture.inc"

FUNCTION leaf
	.cfi_startproc
	nop
MARK leaf_here
	ret
	.cfi_endproc
END leaf

FUNCTION signs
	.cfi_startproc
	hint #25				/* paciasp */
	.cfi_negate_ra_state
	stp x29, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	str x19, [sp, #16]
	.cfi_offset x19, -16
	mov x29, sp
	bl leaf
MARK signs_return
	ldr x19, [sp, #16]
	.cfi_restore x19
	ldp x29, x30, [sp], #32
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	hint #29				/* autiasp */
	.cfi_negate_ra_state
	ret
	.cfi_endproc
END signs

/* Its stack grows while it runs; its caller's CFA is based on x19. */
FUNCTION grows
	.cfi_startproc
	stp x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov x29, sp
	.cfi_def_cfa x29, 16
	sub sp, sp, x0
	bl signs
MARK grows_return
	mov sp, x29
	ldp x29, x30, [sp], #16
	.cfi_def_cfa sp, 0
	.cfi_restore x29
	.cfi_restore x30
	ret
	.cfi_endproc
END grows

FUNCTION first
	.cfi_startproc
	.cfi_def_cfa x19, 0
	.cfi_undefined x30
	bl grows
MARK first_return
	nop
	.cfi_endproc
END first
