/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Functions without unwind information, for hard_stacks.c: each is called from one place, and calls hs_burn() or burns itself. */
	.macro FUNCTION name
	.p2align 4
	.globl \name
	.type \name, @function
\name:
	.endm
	.macro END name
	.size \name, . - \name
	.endm
	.macro BURN
	mov $300000, %ecx
1:	dec %ecx
	jnz 1b
	.endm
	.text

FUNCTION hs_pushes
	push %rbx
	push %r12
	sub $24, %rsp
	call hs_burn
	add $24, %rsp
	pop %r12
	pop %rbx
	ret
END hs_pushes

FUNCTION hs_large /* a frame of more than a page that it never writes: it holds leftovers of earlier calls */
	sub $6008, %rsp
	BURN
	call hs_burn
	add $6008, %rsp
	ret
END hs_large

FUNCTION hs_clears /* a frame pointer of 0 says nothing */
	push %rbp
	xor %ebp, %ebp
	push %rax
	sub $8, %rsp
	call hs_burn
	add $16, %rsp
	pop %rbp
	ret
END hs_clears

FUNCTION hs_jumps
	BURN
	jmp hs_jumped
END hs_jumps

FUNCTION hs_jumped
	push %rbx
	BURN
	pop %rbx
	ret
END hs_jumped

FUNCTION hs_far /* on a stack that it does not touch */
	mov %rsp, %rax
	mov %rdi, %rsp
	BURN
	mov %rax, %rsp
	ret
END hs_far

FUNCTION hs_returned /* has a table, and is never called: it is returned to, at its very first byte */
	.cfi_startproc
	ret
	.cfi_endproc
END hs_returned

FUNCTION hs_writes
	lea hs_returned(%rip), %rax
	push %rax
	jmp hs_burn
END hs_writes

	.section .note.GNU-stack, "", @progbits
