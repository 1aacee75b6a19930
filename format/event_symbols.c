/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Iterates over the symbols at the end of an EMBED_SYMBOLS or PERF_MAP record. */
#include <errno.h>

#include "format/event_decoder.h"
#include "format/limits.h"

int event_next_symbol(struct event *event, uint64_t *address, struct event_symbol *ret_symbol)
{
	uint64_t *count = event->kind == EVENT_PERF_MAP ? &event->perf_map.count : &event->embed_symbols.count;
	struct event_symbol symbol;
	uint64_t difference, length;
	const uint8_t *bytes;

	if (!*count)
		return 0;
	difference = byte_cursor_varint(&event->symbols);
	symbol.size = byte_cursor_varint(&event->symbols);
	length = byte_cursor_varint(&event->symbols);
	event->symbols.bad |= length > RWK_MAX_STRING;
	bytes = byte_cursor_bytes(&event->symbols, length);
	symbol.name = (struct event_text){(const char *)bytes, (uint32_t)length};
	if (event->symbols.bad || !bytes || __builtin_add_overflow(*address, difference, &symbol.address)) {
		*count = 0;
		return -EBADMSG;
	}
	--*count;
	*address = symbol.address;
	*ret_symbol = symbol;
	return 1;
}
