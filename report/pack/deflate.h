/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The only user of libdeflate, which is several times as fast as zlib if all of the data is in
 * memory. Compressed bytes may come from anyone; the room for the result limits how much is
 * unpacked.
 */
#ifndef RWALKER_REPORT_PACK_DEFLATE_H
#define RWALKER_REPORT_PACK_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

/* One gzip member (RFC 1952), the same for the same bytes. The caller frees *ret_packed. 0, -ENOMEM. */
int gzip_pack(const uint8_t *bytes, size_t size, uint8_t **ret_packed, size_t *ret_size);

/*
 * Unpacks zlib data into `wanted` bytes: one stream, or several, as made by a linker that concatenates sections.
 * -EBADMSG: malformed, or another size; -ENOMEM.
 */
int zlib_unpack(const uint8_t *from, size_t size, uint8_t *to, size_t wanted);

const char *deflate_version(void); /* "1.14" */

#endif
