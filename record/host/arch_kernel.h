/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* How this machine's kernel is laid out. */
#ifndef RWALKER_RECORD_HOST_ARCH_KERNEL_H
#define RWALKER_RECORD_HOST_ARCH_KERNEL_H

#include <stdint.h>

/*
 * The address of _text, from which kernel offsets count, computed from that of _stext: not every
 * /proc/kallsyms lists both.
 */
uint64_t arch_kernel_text(uint64_t stext);

#endif
