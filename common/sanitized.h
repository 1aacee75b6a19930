/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether this is a build with AddressSanitizer (SAN=1). Its shadow memory takes terabytes of
 * address space, and its reports need files and calls that a filter of system calls refuses: such a
 * build runs without either, and says so.
 */
#ifndef RWALKER_COMMON_SANITIZED_H
#define RWALKER_COMMON_SANITIZED_H

#include <stdbool.h>

#ifndef __has_feature
#define __has_feature(feature) 0 /* gcc defines a macro instead */
#endif

static inline bool sanitized_build(void)
{
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
	return true;
#else
	return false;
#endif
}

#endif
