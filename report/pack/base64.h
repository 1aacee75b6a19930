/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Bytes as base64 (RFC 4648), in one line. */
#ifndef RWALKER_REPORT_PACK_BASE64_H
#define RWALKER_REPORT_PACK_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void base64_write(const uint8_t *bytes, size_t size, FILE *out);

#endif
