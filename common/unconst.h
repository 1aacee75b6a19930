/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * For what is only read, or freed, through an interface that takes no const: the one place where a
 * qualifier is dropped (-Wcast-qual). Not for changing what the caller was given as const.
 */
#ifndef RWALKER_COMMON_UNCONST_H
#define RWALKER_COMMON_UNCONST_H

#include <stdint.h>

static inline void *unconst(const volatile void *pointer)
{
	return (void *)(uintptr_t)pointer;
}

#endif
