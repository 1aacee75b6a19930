/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/event_encoder.h"

#include <errno.h>
#include <string.h>

#include "format/event_encoder_internal.h"

int event_encode_embed_module(struct event_encoder *encoder, const struct event_embed_module *module)
{
	const struct event_layout *layout = event_layout_find(EVENT_EMBED_MODULE);
	int64_t room = encoder_fields_room(layout, module);
	uint8_t *at;

	if (room < 0 || module->segment_count > RWK_MAX_SEGMENTS)
		return -EINVAL;
	if (!encoder_has_room(encoder, (size_t)room + (size_t)module->segment_count * 5 * VARINT_MAX))
		return -ENOSPC;
	at = encoder_fields_put(encoder, encoder_record_start(encoder, EVENT_EMBED_MODULE), layout, module);
	at = varint_put(at, module->segment_count);
	for (uint32_t i = 0; i < module->segment_count; i++) {
		const struct event_segment *segment = &module->segments[i];

		at = varint_put(at, segment->file_offset);
		at = varint_put(at, segment->address);
		at = varint_put(at, segment->file_size);
		at = varint_put(at, segment->memory_size);
		at = varint_put(at, segment->flags);
	}
	encoder_record_finish(encoder, at);
	return 0;
}

static size_t name_length(const struct event_symbol *symbol)
{
	return symbol->name.length < RWK_MAX_STRING ? symbol->name.length : RWK_MAX_STRING;
}

/* The number of symbols that fit into `room` bytes; -EINVAL if they are out of order. */
static int count_fitting(const struct event_symbol *symbols, size_t count, size_t room, size_t *ret_fitting)
{
	uint64_t previous = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		size_t size = 2 * VARINT_MAX + 2 + name_length(&symbols[i]);

		if (symbols[i].address < previous)
			return -EINVAL;
		if (size > room)
			break;
		room -= size;
		previous = symbols[i].address;
	}
	*ret_fitting = i;
	return 0;
}

static int encode_symbols(struct event_encoder *encoder, enum event_kind kind, uint32_t owner,
			  const struct event_symbol *symbols, size_t count, size_t *ret_taken)
{
	enum { OVERHEAD = RECORD_OVERHEAD + 2 * VARINT_MAX };
	uint64_t previous = 0;
	size_t fitting = 0;
	uint8_t *at;
	int r;

	if (!encoder_has_room(encoder, OVERHEAD))
		return -ENOSPC;
	r = count_fitting(symbols, count, encoder->room - encoder->used - OVERHEAD, &fitting);
	if (r < 0)
		return r;
	if (!fitting)
		return count ? -ENOSPC : -EINVAL;
	at = varint_put(encoder_record_start(encoder, kind), owner);
	at = varint_put(at, fitting);
	for (size_t i = 0; i < fitting; i++) {
		at = varint_put(at, symbols[i].address - previous);
		at = varint_put(at, symbols[i].size);
		at = text_put(at, symbols[i].name.bytes, name_length(&symbols[i]));
		previous = symbols[i].address;
	}
	encoder_record_finish(encoder, at);
	*ret_taken = fitting;
	return 0;
}

int event_encode_embed_symbols(struct event_encoder *encoder, uint32_t module, const struct event_symbol *symbols,
			       size_t count, size_t *ret_taken)
{
	if (module > RWK_MAX_MODULES)
		return -EINVAL;
	return encode_symbols(encoder, EVENT_EMBED_SYMBOLS, module, symbols, count, ret_taken);
}

int event_encode_perf_map(struct event_encoder *encoder, uint32_t tgid, const struct event_symbol *symbols,
			  size_t count, size_t *ret_taken)
{
	return encode_symbols(encoder, EVENT_PERF_MAP, tgid, symbols, count, ret_taken);
}
