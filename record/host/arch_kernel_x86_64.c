/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/host/arch_kernel.h"

uint64_t arch_kernel_text(uint64_t stext)
{
	return stext;
}
