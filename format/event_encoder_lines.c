/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* EMBED_LINES: entries with texts that are numbered in the record. */
#include <errno.h>
#include <string.h>

#include "common/array.h"
#include "common/byte_buffer.h"
#include "common/cleanup.h"
#include "common/index_table.h"
#include "format/event_encoder_internal.h"

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

static size_t text_length(const struct event_text *text)
{
	return text->length < RWK_MAX_STRING ? text->length : RWK_MAX_STRING;
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
		byte_buffer_string(out, text->bytes, text_length(text));
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
	enum { OVERHEAD = RECORD_OVERHEAD + 2 * VARINT_MAX };
	_cleanup_free_ uint8_t *bytes = NULL;
	struct byte_buffer out = {0};
	size_t taken;
	uint8_t *at;
	int r;

	if (module > RWK_MAX_MODULES)
		return -EINVAL;
	if (!encoder_has_room(encoder, OVERHEAD))
		return -ENOSPC;
	out.room = encoder->room - encoder->used - OVERHEAD;
	out.bytes = bytes = malloc(out.room + 1);
	if (!bytes)
		return -ENOMEM;
	r = put_entries(lines, count, &out, &taken);
	if (r < 0)
		return r;
	if (!taken)
		return count ? -ENOSPC : -EINVAL;
	at = varint_put(encoder_record_start(encoder, EVENT_EMBED_LINES), module);
	at = varint_put(at, taken);
	memcpy(at, bytes, out.used);
	encoder_record_finish(encoder, at + out.used);
	*ret_taken = taken;
	return 0;
}
