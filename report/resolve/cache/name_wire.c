/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cache/name_wire.h"

#include <string.h>

void name_wire_deinit(struct name_wire *wire)
{
	array_free(&wire->bytes);
}

static void put_raw(struct name_wire *wire, const void *bytes, size_t size)
{
	if (wire->failed || !size)
		return;
	if (array_reserve(&wire->bytes, wire->bytes.count + size) < 0) {
		wire->failed = true;
		return;
	}
	memcpy(wire->bytes.items + wire->bytes.count, bytes, size);
	wire->bytes.count += size;
}

void name_wire_put(struct name_wire *wire, uint64_t number)
{
	uint8_t bytes[10];
	size_t length = 0;

	for (; number >= 0x80; number >>= 7)
		bytes[length++] = (uint8_t)(number | 0x80);
	bytes[length++] = (uint8_t)number;
	put_raw(wire, bytes, length);
}

void name_wire_put_bytes(struct name_wire *wire, const void *bytes, size_t size)
{
	name_wire_put(wire, size);
	put_raw(wire, bytes, size);
}

void name_wire_put_text(struct name_wire *wire, const char *text)
{
	name_wire_put_bytes(wire, text ? text : "", (text ? strlen(text) : 0) + 1);
}

void name_wire_put_id(struct name_wire *wire, const struct build_id *id)
{
	name_wire_put_bytes(wire, id->bytes, id->length);
}

void name_wire_put_source(struct name_wire *wire, const struct name_source *source)
{
	name_wire_put(wire, source->rank);
	name_wire_put_text(wire, source->text);
}

const char *name_wire_text(struct byte_cursor *cursor)
{
	const size_t size = byte_cursor_varint(cursor);
	const uint8_t *bytes = byte_cursor_bytes(cursor, size);

	if (!bytes || !size || memchr(bytes, '\0', size) != bytes + size - 1) {
		cursor->bad = true;
		return "";
	}
	return (const char *)bytes;
}

void name_wire_id(struct byte_cursor *cursor, struct build_id *ret_id)
{
	const size_t size = byte_cursor_varint(cursor);
	const uint8_t *bytes = byte_cursor_bytes(cursor, size);

	*ret_id = (struct build_id){0};
	if (!bytes || size > BUILD_ID_MAX) {
		cursor->bad = true;
		return;
	}
	memcpy(ret_id->bytes, bytes, size);
	ret_id->length = (uint8_t)size;
}

void name_wire_source(struct byte_cursor *cursor, struct name_source *ret_source)
{
	const uint64_t rank = byte_cursor_varint(cursor);
	const char *text = name_wire_text(cursor);
	const size_t length = strlen(text);

	*ret_source = (struct name_source){.rank = (uint32_t)rank};
	if (rank > UINT32_MAX || length >= sizeof(ret_source->text)) {
		cursor->bad = true;
		return;
	}
	memcpy(ret_source->text, text, length + 1);
	ret_source->used = length;
}
