/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The output of decompression: an anonymous file with a size limit. The caller of unpacked_open() closes the fd. */
#ifndef RWALKER_REPORT_RESOLVE_FILE_UNPACKED_H
#define RWALKER_REPORT_RESOLVE_FILE_UNPACKED_H

#include <stddef.h>
#include <stdint.h>

struct unpacked {
	int fd;
	uint64_t size, most;
};

/* 0, -errno. */
int unpacked_open(struct unpacked *unpacked, uint64_t most);
/* 0; -E2BIG: over the limit, nothing was written; -errno. */
int unpacked_add(struct unpacked *unpacked, const void *bytes, size_t size);

#endif
