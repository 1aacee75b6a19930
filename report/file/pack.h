/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The doors to what packs, unpacks and hashes bytes, and bytes as text. */
#ifndef RWALKER_REPORT_FILE_PACK_H
#define RWALKER_REPORT_FILE_PACK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Bytes as text for a page, in one line. Two of 91 digits encode 13 bits, which takes 8 % less than
 * base64. Bits are taken from the lowest of each byte on; the lower digit comes first. At the end,
 * up to 6 remaining bits take one digit, more take two. The digits are the printable ASCII
 * characters except blank, '&', '<' and '\'.
 */
enum { DENSE_PAIR_BITS = 13, DENSE_DIGIT_BITS = 6 };

void dense_write(const uint8_t *bytes, size_t size, FILE *out);

static inline uint64_t dense_size(size_t size)
{
	uint64_t bits = (uint64_t)size * 8, rest = bits % DENSE_PAIR_BITS;

	return bits / DENSE_PAIR_BITS * 2 + (rest ? rest <= DENSE_DIGIT_BITS ? 1 : 2 : 0);
}

/* The SHA-256 (FIPS 180-4) of the bytes as base64 (RFC 4648). */
enum { SHA256_TEXT = 45 };
void sha256_text(const void *bytes, size_t length, char text[static SHA256_TEXT]);

/* One gzip member (RFC 1952), the same for the same bytes. The caller frees *ret_packed. 0, -ENOMEM. */
int gzip_pack(const uint8_t *bytes, size_t size, uint8_t **ret_packed, size_t *ret_size);
/* IEEE 802.3's, of a file of at most `most` bytes. 0; -E2BIG, -ENOMEM, -errno of reading. */
int crc32_of_file(int fd, uint64_t most, uint32_t *ret_crc);

const char *deflate_version(void); /* "1.2.13" */

/*
 * The doors to liblzma and libzstd: decompress files into anonymous files, which an elf_file can
 * read. The input is hostile: output and the library's memory are bounded, and a stream that needs more, or has
 * trailing data, is refused. Nothing is ever written to disk.
 */
enum { UNPACK_MAX_BYTES = 256 << 20, UNPACK_MAX_INPUT = 256 << 20 };

/* The bytes as they are. */
int unpack_nothing(const void *bytes, size_t size, int *ret_fd);
/*
 * One .xz stream, or several, with a limit of *left bytes, from which the decompressed size is
 * subtracted, even on failure. The caller closes *ret_fd. -EBADMSG: malformed or truncated; -E2BIG:
 * over a limit; -ENOMEM; -errno.
 */
int unpack_xz(const void *bytes, size_t size, uint64_t *left, int *ret_fd);
/*
 * Depends on the suffix of the path: ".xz" and ".zst" files are decompressed; for any other the
 * descriptor is duplicated.
 */
int unpack_file(int fd, const char *path, int *ret_fd);

/* "5.4.1", "1.5.4" */
const char *unpack_xz_version(void);
const char *unpack_zstd_version(void);

#endif
