/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A shared object with the function NAME, which calls its argument, and a function that is never called, whose entry in
 * .eh_frame is BYTES long.
 */
	.text
	.globl	NAME
	.type	NAME, @function
NAME:
entry:
	subq	$264, %rsp
	call	*%rdi
	addq	$264, %rsp
	ret
	.size	NAME, . - NAME
filler:
	ret

	.section .eh_frame, "a", @progbits
cie:
	.long	cie_end - 1f
1:	.long	0
	.byte	1
	.asciz	"zR"
	.uleb128 1
	.sleb128 -8
	.byte	16, 1, 0x1b		/* return address; pcrel, sdata4 */
	.byte	0x0c, 7, 8, 0x90, 1	/* CFA = rsp + 8, return address at CFA - 8 */
	.balign	8
cie_end:
	.long	fde_end - 1f
1:	.long	1b - cie
	.long	entry - .
	.long	filler - entry
	.byte	0
	.byte	0x47, 0x0e, 0x90, 2	/* after 7 bytes: CFA = rsp + 272 */
	.byte	0x49, 0x0e, 8		/* after 9 more: CFA = rsp + 8 */
	.balign	8
fde_end:
	.long	filler_end - 1f
1:	.long	1b - cie
	.long	filler - .
	.long	1
	.byte	0
	.fill	BYTES / 2, 2, 0x002e	/* DW_CFA_GNU_args_size 0: linkers drop nops */
	.balign	8
filler_end:
	.section .note.GNU-stack, "", @progbits
