/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A copy of an ELF file in which the sections that zstd packed (SHF_COMPRESSED, ELFCOMPRESS_ZSTD) are plain, as libdw before
 * 0.189 cannot read those. The copy lies in memory; it and what is unpacked into it are at most DEBUG_IMAGE_MAX bytes.
 */
#ifndef RWALKER_REPORT_RESOLVE_DEBUG_IMAGE_H
#define RWALKER_REPORT_RESOLVE_DEBUG_IMAGE_H

enum { DEBUG_IMAGE_MAX = 768 << 20 };

/* 1: *ret_fd is the copy, the caller's; 0: the file has no such section and will do as it is; -EBADMSG, -E2BIG, -ENOMEM, -errno. */
int debug_image_open(int fd, int *ret_fd);

#endif
