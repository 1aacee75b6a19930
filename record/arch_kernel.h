/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* How this machine's kernel is laid out. */
#ifndef RWALKER_RECORD_ARCH_KERNEL_H
#define RWALKER_RECORD_ARCH_KERNEL_H

#include <stdint.h>

/* The address of _text, which offsets in the kernel count from, by that of _stext: not every /proc/kallsyms tells of both. */
uint64_t arch_kernel_text(uint64_t stext);

#endif
