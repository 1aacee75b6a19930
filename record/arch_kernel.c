/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/arch_kernel.h"

#if defined(__x86_64__)

uint64_t arch_kernel_text(uint64_t stext)
{
	return stext;
}

#elif defined(__aarch64__)

/* Linux arch/arm64/kernel/vmlinux.lds.S: the image's header has a segment of its own. */
uint64_t arch_kernel_text(uint64_t stext)
{
	enum { SEGMENT_ALIGN = 64 << 10 };

	return stext - SEGMENT_ALIGN;
}

#endif
