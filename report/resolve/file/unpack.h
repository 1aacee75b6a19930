/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The doors to liblzma and libzstd: decompress files into anonymous files, which an elf_file can
 * read. The input is
 * hostile: output and the library's memory are bounded, and a stream that needs more, or has
 * trailing data, is refused. Nothing is ever written to disk.
 */
#ifndef RWALKER_REPORT_RESOLVE_FILE_UNPACK_H
#define RWALKER_REPORT_RESOLVE_FILE_UNPACK_H

#include <stddef.h>
#include <stdint.h>

enum { UNPACK_MAX_BYTES = 256 << 20, UNPACK_MAX_INPUT = 256 << 20 };

/* The bytes as they are. */
int unpack_nothing(const void *bytes, size_t size, int *ret_fd);
/*
 * One .xz stream, or several. The caller closes *ret_fd. -EBADMSG: malformed or truncated; -E2BIG:
 * over a limit; -ENOMEM; -errno.
 */
int unpack_xz(const void *bytes, size_t size, uint64_t most, int *ret_fd);
/* The same with a limit of *left bytes. Subtracts the decompressed size from *left, even on failure. */
int unpack_xz_from(const void *bytes, size_t size, uint64_t *left, int *ret_fd);
/*
 * Depends on the suffix of the path: ".xz" and ".zst" files are decompressed; for any other the
 * descriptor is duplicated.
 */
int unpack_file(int fd, const char *path, int *ret_fd);

/* "5.4.1", "1.5.4" */
const char *unpack_xz_version(void);
const char *unpack_zstd_version(void);

#endif
