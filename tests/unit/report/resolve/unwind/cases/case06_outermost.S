/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Case 6: the return address is undefined: the outermost frame, as in _start, whatever is above it. */
#include "tests/unit/report/resolve/unwind/cases/fixture.inc"

FUNCTION outermost_leaf
	.cfi_startproc
	TRAP outermost_trap
	ret
	.cfi_endproc
END outermost_leaf

FUNCTION outermost
	.cfi_startproc
	.cfi_undefined %rip
	call outermost_leaf
MARK outermost_return
	ret
	.cfi_endproc
END outermost
