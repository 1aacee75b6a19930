/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Case 13: a module without any call frame information, whose functions keep frame pointers and use all other registers freely
 * (Go). It calls the function in rdi, which has some.
 */
#include "tests/unit/report/unwind/cases/fixture.inc"

FUNCTION fixture_inner
	sub $88, %rsp
	mov %rbp, 80(%rsp)
	lea 80(%rsp), %rbp
	call *%rdi
MARK fixture_return_1
	mov 80(%rsp), %rbp
	add $88, %rsp
	ret
END fixture_inner

FUNCTION fixture
	sub $24, %rsp
	mov %rbp, 16(%rsp)
	lea 16(%rsp), %rbp
	call fixture_inner
MARK fixture_return_2
	mov 16(%rsp), %rbp
	add $24, %rsp
	ret
END fixture
