/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The recorder's own program and libraries, kept in memory. When memory is short, the kernel
 * drops pages of files first, and the recorder would wait for the disk as those do whom it
 * records. Its events and tables are bounded, and not of files: these are left as they are.
 */
#ifndef RWALKER_RECORD_SERVICE_RESIDENT_H
#define RWALKER_RECORD_SERVICE_RESIDENT_H

#include <stddef.h>

/*
 * While the limit of locked memory does not count, or allows some 5 MB. How many bytes are kept;
 * what cannot be is not an error. Children do not inherit it.
 */
size_t resident_keep(void);

#endif
