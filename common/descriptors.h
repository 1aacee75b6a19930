/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which descriptors a process has that is about to do less than its parent. */
#ifndef RWALKER_COMMON_DESCRIPTORS_H
#define RWALKER_COMMON_DESCRIPTORS_H

#include <stddef.h>

/* Closes all above stderr but these, some of which may be -1. Works on kernels without close_range() as well. */
void descriptors_close_others(const int *kept, size_t count);

/*
 * A file that holds nothing and keeps nothing: /dev/null, or, where that cannot be opened (a chroot without /dev),
 * memory that may not grow, to which writing fails. flags: O_RDONLY, O_WRONLY or O_RDWR, and O_CLOEXEC. -errno.
 */
int descriptors_open_nothing(int flags);

#endif
