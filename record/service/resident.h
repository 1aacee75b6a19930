/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Keeps the recorder's own program and libraries in memory. When memory is short, the kernel drops
 * pages of files first, and the recorder would wait for the disk like the threads that it records.
 * Its events and tables are bounded and not backed by files, so they are left as they are.
 */
#ifndef RWALKER_RECORD_SERVICE_RESIDENT_H
#define RWALKER_RECORD_SERVICE_RESIDENT_H

#include <stddef.h>

/*
 * Call it while the limit of locked memory does not apply, or allows some 5 MB. Returns how many
 * bytes are locked; it is not an error if some cannot be. Children do not inherit the lock.
 */
size_t resident_keep(void);

#endif
