/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes protobuf messages (protobuf.dev, "Encoding") into memory. It has only what profile.proto
 * needs: numbers, texts, messages within messages, and packed numbers. A message that is part of
 * another one is written first, in a buffer of its own. A buffer that could not grow stays
 * `failed`, and so does the one that it is copied into: check once, at the end.
 */
#ifndef RWALKER_REPORT_VIEW_PPROF_PROTOBUF_H
#define RWALKER_REPORT_VIEW_PPROF_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct protobuf { /* zeroed: empty */
	uint8_t *bytes;
	size_t used, room;
	bool failed; /* no memory */
};

void protobuf_deinit(struct protobuf *message);
/* Empties it, but keeps the memory. */
void protobuf_clear(struct protobuf *message);

/* Writes field `field` of the message. A number 0 is not written: readers assume 0 if it is missing. */
void protobuf_number(struct protobuf *message, uint32_t field, uint64_t number);
void protobuf_text(struct protobuf *message, uint32_t field, const char *text);
void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *part);
void protobuf_numbers(struct protobuf *message, uint32_t field, const uint64_t *numbers, size_t count);

#endif
