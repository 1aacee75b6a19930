/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the kernel reports in a file of a line or two, below /proc or /sys. */
#ifndef RWALKER_RECORD_MACHINE_SMALL_FILE_H
#define RWALKER_RECORD_MACHINE_SMALL_FILE_H

#include <fcntl.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/cleanup.h"

/* As much as there is room for, NUL-terminated; empty if it cannot be read. */
static inline void small_file_read(const char *path, char *text, size_t room)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, text, room - 1);

	text[length > 0 ? length : 0] = '\0';
}

#endif
