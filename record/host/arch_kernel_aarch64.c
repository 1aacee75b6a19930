/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/host/arch_kernel.h"

/* Linux arch/arm64/kernel/vmlinux.lds.S: the image's header is in a segment of its own. */
uint64_t arch_kernel_text(uint64_t stext)
{
	enum { SEGMENT_ALIGN = 64 << 10 };

	return stext - SEGMENT_ALIGN;
}
