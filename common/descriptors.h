/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which descriptors stay open in a process that is about to do less than its parent. */
#ifndef RWALKER_COMMON_DESCRIPTORS_H
#define RWALKER_COMMON_DESCRIPTORS_H

#include <stddef.h>

/* Closes all above stderr but these, some of which may be -1. Works on kernels without close_range() as well. */
void descriptors_close_others(const int *kept, size_t count);

#endif
