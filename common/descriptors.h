/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a process that is about to do less than its parent still holds open. */
#ifndef RWALKER_COMMON_DESCRIPTORS_H
#define RWALKER_COMMON_DESCRIPTORS_H

#include <stddef.h>

/* Closes all above stderr but these, of which some may be -1. Works on kernels without close_range() as well. */
void descriptors_close_others(const int *kept, size_t count);

#endif
