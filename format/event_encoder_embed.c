/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/event_encoder.h"

#include <errno.h>
#include <string.h>

#include "common/array.h"
#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "format/event_encoder_internal.h"

enum { LIST_OVERHEAD = RECORD_OVERHEAD + 2 * VARINT_MAX };

int event_encode_embed_module(struct event_encoder *encoder, const struct event_embed_module *module)
{
	uint8_t *at;
	int r = encoder_record_start(encoder, EVENT_EMBED_MODULE, module,
				     (size_t)module->segment_count * 5 * VARINT_MAX, &at);

	if (r < 0)
		return r;
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

static size_t cut_length(const struct event_text *text)
{
	return text->length < RWK_MAX_STRING ? text->length : RWK_MAX_STRING;
}

/* The number of symbols that fit into `room` bytes; -EINVAL if they are out of order. */
static int count_fitting(const struct event_symbol *symbols, size_t count, size_t room, size_t *ret_fitting)
{
	uint64_t previous = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		size_t size = 2 * VARINT_MAX + 2 + cut_length(&symbols[i].name);

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

/* Starts a record of a list: in all three kinds, whose it is comes first, then how many there are. */
static int start_list(struct event_encoder *encoder, enum event_kind kind, uint32_t owner, uint64_t count,
		      uint8_t **ret_at)
{
	const struct event_embed_symbols symbols = {.module = owner, .count = count};
	const struct event_embed_lines lines = {.module = owner, .count = count};
	const struct event_perf_map map = {.tgid = owner, .count = count};

	return encoder_record_start(encoder, kind, kind == EVENT_EMBED_SYMBOLS ? (const void *)&symbols :
				    kind == EVENT_EMBED_LINES ? (const void *)&lines : &map, 0, ret_at);
}

static int encode_symbols(struct event_encoder *encoder, enum event_kind kind, uint32_t owner,
			  const struct event_symbol *symbols, size_t count, size_t *ret_taken)
{
	uint64_t previous = 0;
	size_t fitting = 0;
	uint8_t *at;
	int r;

	if (!encoder_has_room(encoder, LIST_OVERHEAD))
		return -ENOSPC;
	r = count_fitting(symbols, count, encoder->room - encoder->used - LIST_OVERHEAD, &fitting);
	if (r < 0)
		return r;
	if (!fitting)
		return count ? -ENOSPC : -EINVAL;
	r = start_list(encoder, kind, owner, fitting, &at);
	if (r < 0)
		return r;
	for (size_t i = 0; i < fitting; i++) {
		at = varint_put(at, symbols[i].address - previous);
		at = varint_put(at, symbols[i].size);
		at = text_put(at, symbols[i].name.bytes, cut_length(&symbols[i].name));
		previous = symbols[i].address;
	}
	encoder_record_finish(encoder, at);
	*ret_taken = fitting;
	return 0;
}

int event_encode_embed_symbols(struct event_encoder *encoder, uint32_t module, const struct event_symbol *symbols,
			       size_t count, size_t *ret_taken)
{
	return encode_symbols(encoder, EVENT_EMBED_SYMBOLS, module, symbols, count, ret_taken);
}

int event_encode_perf_map(struct event_encoder *encoder, uint32_t tgid, const struct event_symbol *symbols,
			  size_t count, size_t *ret_taken)
{
	return encode_symbols(encoder, EVENT_PERF_MAP, tgid, symbols, count, ret_taken);
}

/* --- EMBED_LINES: entries with texts that are numbered in the record ----------------------------- */

struct numbered_texts { /* of the record */
	struct index_table table;
	ARRAY(const char *) texts; /* told apart by address: a text at two addresses is written twice */
};

static void cleanup_texts(struct numbered_texts *numbered)
{
	index_table_deinit(&numbered->table);
	array_free(&numbered->texts);
}

struct wanted_text {
	const struct numbered_texts *numbered;
	const char *bytes;
};

static bool same_text(const void *context, uint32_t number)
{
	const struct wanted_text *wanted = context;

	return wanted->numbered->texts.items[number] == wanted->bytes;
}

/* A varint of any length. */
static int put_number(struct byte_buffer *out, uint64_t number)
{
	byte_buffer_varint(out, number);
	return out->full ? -ENOSPC : 0;
}

static int put_text(struct numbered_texts *numbered, const struct event_text *text, struct byte_buffer *out)
{
	const struct wanted_text wanted = {.numbered = numbered, .bytes = text->bytes};
	uint32_t number, hash;
	int r;

	if (!text->length)
		return put_number(out, 0);
	hash = index_table_hash(&numbered->table, (uintptr_t)text->bytes, 0);
	r = index_table_add(&numbered->table, hash, same_text, &wanted,
			    (uint32_t)numbered->texts.count, &number);
	if (r > 0 && array_push(&numbered->texts, text->bytes) < 0)
		r = -ENOMEM;
	if (r < 0)
		return r;
	byte_buffer_varint(out, (uint64_t)number + 1);
	if (r > 0)
		byte_buffer_string(out, text->bytes, cut_length(text));
	return out->full ? -ENOSPC : 0;
}

static int put_entry(struct numbered_texts *numbered, const struct event_line *line, uint64_t previous,
		     struct byte_buffer *out)
{
	int r = 0;

	byte_buffer_varint(out, line->address - previous);
	byte_buffer_varint(out, line->level_count);
	for (uint32_t i = 0; i < line->level_count && !r; i++) {
		r = put_text(numbered, &line->levels[i].function, out);
		if (!r)
			r = put_text(numbered, &line->levels[i].file, out);
		if (!r)
			r = put_number(out, line->levels[i].line);
	}
	return r;
}

/* As many as fit. One that does not fit ends the record, so it does not matter that its texts got numbers. */
static int put_entries(const struct event_line *lines, size_t count, struct byte_buffer *out, size_t *ret_taken)
{
	_cleanup_(cleanup_texts) struct numbered_texts numbered = {0};
	uint64_t previous = 0;
	int r = index_table_init(&numbered.table);

	*ret_taken = 0;
	for (size_t i = 0; i < count && !r; i++) {
		const size_t used = out->used;

		if (lines[i].address < previous || lines[i].level_count > RWK_MAX_LEVELS)
			return -EINVAL;
		r = put_entry(&numbered, &lines[i], previous, out);
		if (!r && !out->full)
			*ret_taken = i + 1;
		else
			out->used = used;
		previous = lines[i].address;
	}
	return r == -ENOSPC ? 0 : r;
}

int event_encode_embed_lines(struct event_encoder *encoder, uint32_t module,
			     const struct event_line *lines, size_t count, size_t *ret_taken)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct byte_buffer out = {0};
	size_t taken;
	uint8_t *at;
	int r;

	if (!encoder_has_room(encoder, LIST_OVERHEAD))
		return -ENOSPC;
	out.room = encoder->room - encoder->used - LIST_OVERHEAD;
	out.bytes = bytes = malloc(out.room + 1);
	if (!bytes)
		return -ENOMEM;
	r = put_entries(lines, count, &out, &taken);
	if (r < 0)
		return r;
	if (!taken)
		return count ? -ENOSPC : -EINVAL;
	r = start_list(encoder, EVENT_EMBED_LINES, module, taken, &at);
	if (r < 0)
		return r;
	memcpy(at, bytes, out.used);
	encoder_record_finish(encoder, at + out.used);
	*ret_taken = taken;
	return 0;
}
