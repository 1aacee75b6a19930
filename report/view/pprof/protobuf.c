/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/pprof/protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { VARINT = 0, LENGTH_DELIMITED = 2, TYPE_BITS = 3, VARINT_BITS = 7, VARINT_MORE = 0x80, VARINT_MAX = 10 };

void protobuf_deinit(struct protobuf *message)
{
	free(message->bytes);
	*message = (struct protobuf){0};
}

void protobuf_clear(struct protobuf *message)
{
	message->used = 0;
}

/* Room for `size` more bytes. */
static bool grow(struct protobuf *message, size_t size)
{
	size_t wanted;

	message->failed |= __builtin_add_overflow(message->used, size, &wanted) ||
			   array_reserve_raw((void **)&message->bytes, &message->room, wanted, 1) < 0;
	return !message->failed;
}

static void append(struct protobuf *message, const void *bytes, size_t size)
{
	if (!size || !grow(message, size))
		return;
	memcpy(message->bytes + message->used, bytes, size);
	message->used += size;
}

static size_t varint_size(uint64_t number)
{
	size_t size = 1;

	for (; number >= VARINT_MORE; number >>= VARINT_BITS)
		size++;
	return size;
}

static void append_varint(struct protobuf *message, uint64_t number)
{
	if (!grow(message, VARINT_MAX))
		return;
	for (; number >= VARINT_MORE; number >>= VARINT_BITS)
		message->bytes[message->used++] = (uint8_t)(number | VARINT_MORE);
	message->bytes[message->used++] = (uint8_t)number;
}

static void append_key(struct protobuf *message, uint32_t field, unsigned int type)
{
	append_varint(message, (uint64_t)field << TYPE_BITS | type);
}

static void append_bytes(struct protobuf *message, uint32_t field, const void *bytes, size_t size)
{
	append_key(message, field, LENGTH_DELIMITED);
	append_varint(message, size);
	append(message, bytes, size);
}

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t number)
{
	if (!number)
		return;
	append_key(message, field, VARINT);
	append_varint(message, number);
}

void protobuf_text(struct protobuf *message, uint32_t field, const char *text)
{
	append_bytes(message, field, text, strlen(text));
}

void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *part)
{
	message->failed |= part->failed;
	append_bytes(message, field, part->bytes, part->used);
}

void protobuf_numbers(struct protobuf *message, uint32_t field, const uint64_t *numbers, size_t count)
{
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += varint_size(numbers[i]);
	if (!count)
		return;
	append_key(message, field, LENGTH_DELIMITED);
	append_varint(message, size);
	for (size_t i = 0; i < count; i++)
		append_varint(message, numbers[i]);
}
