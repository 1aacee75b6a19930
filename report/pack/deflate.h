/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The report's door to zlib. */
#ifndef RWALKER_REPORT_PACK_DEFLATE_H
#define RWALKER_REPORT_PACK_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

/* One gzip member (RFC 1952), the same for the same bytes. The caller frees *ret_packed. 0, -ENOMEM. */
int gzip_pack(const uint8_t *bytes, size_t size, uint8_t **ret_packed, size_t *ret_size);

const char *deflate_version(void); /* "1.2.13" */

#endif
