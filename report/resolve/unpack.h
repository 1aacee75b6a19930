/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The doors to liblzma, libzstd and libdeflate: compressed files and sections into anonymous files, from which an elf_file reads
 * like from any other, or into memory. What is unpacked is hostile: output and the library's memory are bounded, and a stream that wants
 * more, or goes on behind its end, is refused. Nothing is ever written to a disk.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNPACK_H
#define RWALKER_REPORT_RESOLVE_UNPACK_H

#include <stddef.h>
#include <stdint.h>

enum { UNPACK_MAX_BYTES = 256 << 20, UNPACK_MAX_INPUT = 256 << 20 };

/* One .xz stream, or several. *ret_fd is the caller's. -EBADMSG malformed or cut short, -E2BIG over a limit, -ENOMEM, -errno. */
int unpack_xz(const void *bytes, size_t size, uint64_t most, int *ret_fd);
/* Zstandard frames; likewise. */
int unpack_zstd(const void *bytes, size_t size, uint64_t most, int *ret_fd);
/* The same into memory that takes exactly what they hold. -EBADMSG: malformed, or more or less than that. */
int unpack_zstd_into(const uint8_t *from, size_t size, uint8_t *to, size_t wanted);
/* What zlib packed, likewise: one stream, or several, as a linker makes them that puts sections together. -ENOMEM. */
int unpack_zlib_into(const uint8_t *from, size_t size, uint8_t *to, size_t wanted);

/* The most that a byte of zlib's can unpack to (zlib, technical details). */
enum { UNPACK_ZLIB_RATIO = 1032 };

enum { UNPACK_ELF_ZSTD = 2 }; /* ELFCOMPRESS_ZSTD, which the C library here does not name yet */

/* Where the doors put what they unpacked. */
struct unpacked {
	int fd;
	uint64_t size, most;
};

int unpacked_open(struct unpacked *unpacked, uint64_t most);
/* -E2BIG: beyond the limit, and nothing was written. */
int unpacked_add(struct unpacked *unpacked, const void *bytes, size_t size);

/* The whole of an open file by the end of its path: ".xz" or ".zst" is unpacked, any other given back as a copy of the descriptor. */
int unpack_file(int fd, const char *path, int *ret_fd);

/* "5.4.1", "1.5.4", "1.14" */
const char *unpack_xz_version(void);
const char *unpack_zstd_version(void);
const char *unpack_zlib_version(void);

#endif
