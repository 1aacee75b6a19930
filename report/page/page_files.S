/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the Makefile assembled from report/page/; found through -I. See page_files.h. */
	.macro embed name, file
	.global \name, \name\()_end
\name:
	.incbin "\file"
\name\()_end:
	.byte 0
	.endm

	.section .rodata, "a", %progbits
	embed page_script, report/page/all.js
	embed page_style, report/page/all.css
	embed page_markup, report/page/all.html

	.section .note.GNU-stack, "", %progbits
