/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether a file's content can be kept for later: only if nobody but root and the user of this
 * process can write the file, or put another in its place. Then an equal device, inode, change time
 * and size mean the same content. Call it in the process that opened the file.
 */
#ifndef RWALKER_REPORT_OPENER_FILE_OWNER_H
#define RWALKER_REPORT_OPENER_FILE_OWNER_H

#include <stdbool.h>

/*
 * True: the open file, and each folder above it, belongs to root or the user, and is writable for
 * its owner only; folders with the sticky bit may be writable. False also if that is unknown.
 */
bool file_is_ours(int fd);

#endif
