/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/dwarf/lines.h"

#include <string.h>
#include <unistd.h>

#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/process.h"

enum { LEAST = 64, MOST = 4096 }; /* levels per block; each block has twice as many as the previous one */

int line_answers_init(struct line_answers *answers, const uint64_t *addresses, size_t count)
{
	*answers = (struct line_answers){.count = count};
	answers->addresses = calloc(count + 1, sizeof(*answers->addresses));
	answers->places = calloc(count + 1, sizeof(*answers->places));
	if (!answers->addresses || !answers->places) {
		line_answers_deinit(answers);
		return -ENOMEM;
	}
	if (count)
		memcpy(answers->addresses, addresses, count * sizeof(*addresses));
	if (address_buckets_init(&answers->buckets, answers->addresses, count) < 0) {
		line_answers_deinit(answers);
		return -ENOMEM;
	}
	return 0;
}

void line_answers_deinit(struct line_answers *answers)
{
	free(answers->addresses);
	free(answers->places);
	for (size_t i = 0; i < answers->blocks.count; i++)
		free(answers->blocks.items[i]);
	array_free(&answers->blocks);
	address_buckets_deinit(&answers->buckets);
	*answers = (struct line_answers){0};
}

static int add_block(struct line_answers *answers, size_t least)
{
	const size_t number = answers->blocks.count;
	size_t room = number < 6 ? (size_t)LEAST << number : MOST;
	struct line_level *block;

	if (room < least)
		room = least;
	block = reallocarray(NULL, room, sizeof(*block));
	if (!block || array_push(&answers->blocks, block) < 0) {
		free(block);
		return -ENOMEM;
	}
	answers->next = block;
	answers->left = room;
	return 0;
}

int line_answers_put(struct line_answers *answers, size_t number, const struct line_level *levels,
		     size_t count)
{
	if (count > answers->left && add_block(answers, count) < 0)
		return -ENOMEM;
	line_answers_point(answers, number, answers->next, count);
	if (!count)
		return 0;
	memcpy(answers->next, levels, count * sizeof(*levels));
	answers->next += count;
	answers->left -= count;
	return 0;
}

void line_answers_point(struct line_answers *answers, size_t number,
			const struct line_level *levels, size_t count)
{
	answers->places[number] = (struct line_place){.levels = levels, .count = count};
}

size_t line_answers_find(const struct line_answers *answers, uint64_t address,
			 const struct line_level **ret_levels)
{
	size_t at;

	if (!address_buckets_find(&answers->buckets, answers->addresses, answers->count, address, &at) ||
	    answers->addresses[at] != address || !answers->places[at].count)
		return 0;
	*ret_levels = answers->places[at].levels;
	return answers->places[at].count;
}

enum { FLUSH_BYTES = 16 << 10 };

/* --- the child's end --- */

int wire_writer_init(struct wire_writer *writer, int fd)
{
	*writer = (struct wire_writer){.fd = fd};
	return index_table_init(&writer->table);
}

void wire_writer_deinit(struct wire_writer *writer)
{
	array_free(&writer->bytes);
	array_free(&writer->texts);
	index_table_deinit(&writer->table);
}

static void add_varint(struct wire_writer *writer, uint64_t value)
{
	for (; value >= 0x80 && !writer->error; value >>= 7)
		writer->error = array_push(&writer->bytes, (uint8_t)(value | 0x80));
	if (!writer->error)
		writer->error = array_push(&writer->bytes, (uint8_t)value);
}

static void add_text(struct wire_writer *writer, const char *text)
{
	size_t length = strnlen(text, WIRE_TEXT_MAX);

	add_varint(writer, WIRE_TEXT);
	add_varint(writer, length);
	if (!writer->error)
		writer->error = array_reserve(&writer->bytes, writer->bytes.count + length);
	if (writer->error)
		return;
	memcpy(writer->bytes.items + writer->bytes.count, text, length);
	writer->bytes.count += length;
}

struct wanted_text {
	const struct wire_text *texts;
	const char *text;
};

static bool same_text(const void *context, uint32_t number)
{
	const struct wanted_text *wanted = context;

	return wanted->texts[number].text == wanted->text;
}

/* The text's number; 0: none. Sends the text first if it has none yet. */
static uint64_t number_text(struct wire_writer *writer, const char *text)
{
	struct wanted_text wanted = {.texts = writer->texts.items, .text = text};
	uint32_t hash = index_table_hash(&writer->table, (uintptr_t)text, 0), number = 0;
	int r;

	if (!text || writer->error)
		return 0;
	r = index_table_add(&writer->table, hash, same_text, &wanted, (uint32_t)writer->texts.count, &number);
	if (r > 0)
		r = array_push(&writer->texts, (struct wire_text){.text = text});
	else if (!r)
		return (uint64_t)number + 1;
	writer->error = r;
	add_text(writer, text);
	return (uint64_t)number + 1;
}

int wire_writer_answer(struct wire_writer *writer, size_t number, const struct line_level *levels,
		       size_t count)
{
	uint64_t texts[2 * WIRE_LEVELS_MAX];

	if (count > WIRE_LEVELS_MAX)
		count = WIRE_LEVELS_MAX;
	for (size_t i = 0; i < count; i++) {
		texts[2 * i] = number_text(writer, levels[i].function);
		texts[2 * i + 1] = number_text(writer, levels[i].file);
	}
	add_varint(writer, WIRE_ANSWER);
	add_varint(writer, number);
	add_varint(writer, count);
	for (size_t i = 0; i < count; i++) {
		add_varint(writer, texts[2 * i]);
		add_varint(writer, texts[2 * i + 1]);
		add_varint(writer, levels[i].line);
	}
	return writer->error;
}

int wire_writer_flush(struct wire_writer *writer, bool now)
{
	int r = now || writer->bytes.count >= FLUSH_BYTES ?
		descriptor_write(writer->fd, writer->bytes.items, writer->bytes.count) : 1;

	if (!r)
		writer->bytes.count = 0;
	return r < 0 ? r : 0;
}

int wire_writer_end(struct wire_writer *writer, int error)
{
	add_varint(writer, WIRE_END);
	add_varint(writer, error < 0 ? -(uint64_t)(int64_t)error : 0);
	return writer->error ? writer->error : wire_writer_flush(writer, true);
}

/* --- the parent's --- */

struct reader {
	struct byte_cursor cursor;
	struct text_pool *pool;
	ARRAY(const char *) texts;
};

static int read_text(struct reader *reader)
{
	uint64_t length = byte_cursor_varint(&reader->cursor);
	const uint8_t *bytes;
	const char *text;
	int r;

	if (length > WIRE_TEXT_MAX)
		return -EBADMSG;
	bytes = byte_cursor_bytes(&reader->cursor, (size_t)length);
	if (!bytes)
		return -EBADMSG;
	r = text_pool_add(reader->pool, bytes, (size_t)length, &text);
	return r < 0 ? r : array_push(&reader->texts, text);
}

static const char *text_of(struct reader *reader)
{
	uint64_t number = byte_cursor_varint(&reader->cursor);

	if (number > reader->texts.count)
		reader->cursor.bad = true;
	return number && !reader->cursor.bad ? reader->texts.items[number - 1] : NULL;
}

static int read_answer(struct reader *reader, struct line_answers *answers)
{
	struct line_level levels[WIRE_LEVELS_MAX];
	uint64_t number = byte_cursor_varint(&reader->cursor), count = byte_cursor_varint(&reader->cursor);

	if (reader->cursor.bad || number >= answers->count || count > WIRE_LEVELS_MAX ||
	    answers->places[number].count)
		return -EBADMSG;
	for (size_t i = 0; i < count; i++) {
		levels[i].function = text_of(reader);
		levels[i].file = text_of(reader);
		levels[i].line = (uint32_t)byte_cursor_varint(&reader->cursor);
	}
	return reader->cursor.bad ?
	       -EBADMSG : line_answers_put(answers, (size_t)number, levels, (size_t)count);
}

static int read_end(struct reader *reader)
{
	enum { ERRNO_MAX = 4095 };
	uint64_t error = byte_cursor_varint(&reader->cursor);

	return reader->cursor.bad || error > ERRNO_MAX ? -EBADMSG : -(int)error;
}

int wire_read(const void *bytes, size_t size, struct text_pool *texts, struct line_answers *answers,
	      int *ret_end)
{
	struct reader reader = {.cursor = byte_cursor_make(bytes, size), .pool = texts};
	int r = 0;

	*ret_end = -EBADMSG;
	while (!r && byte_cursor_left(&reader.cursor)) {
		uint64_t kind = byte_cursor_varint(&reader.cursor);

		if (!reader.cursor.bad && kind == WIRE_END) {
			*ret_end = read_end(&reader);
			break;
		}
		if (kind == WIRE_TEXT)
			r = read_text(&reader);
		else
			r = kind == WIRE_ANSWER ? read_answer(&reader, answers) : -EBADMSG;
	}
	array_free(&reader.texts);
	return r == -ENOMEM ? r : 0;
}

/* --- packed --- */

int wire_pack(const struct line_answers *answers, struct wire_writer *writer)
{
	uint64_t last = 0;

	if (answers->count > WIRE_PACKED_MAX)
		return -E2BIG;
	add_varint(writer, answers->count);
	for (size_t i = 0; i < answers->count; i++) {
		add_varint(writer, answers->addresses[i] - last);
		last = answers->addresses[i];
	}
	for (size_t i = 0; i < answers->count && !writer->error; i++)
		(void)wire_writer_answer(writer, i, answers->places[i].levels, answers->places[i].count);
	add_varint(writer, WIRE_END);
	add_varint(writer, 0);
	return writer->error;
}

static int read_addresses(struct byte_cursor *cursor, struct line_answers *ret_answers)
{
	const uint64_t count = byte_cursor_varint(cursor);
	_cleanup_free_ uint64_t *addresses = NULL;
	uint64_t last = 0;

	if (count > WIRE_PACKED_MAX || count > byte_cursor_left(cursor))
		return -EBADMSG;
	addresses = calloc(count + 1, sizeof(*addresses));
	if (!addresses)
		return -ENOMEM;
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t step = byte_cursor_varint(cursor);

		if ((i && !step) || __builtin_add_overflow(last, step, &last))
			return -EBADMSG;
		addresses[i] = last;
	}
	return cursor->bad ? -EBADMSG : line_answers_init(ret_answers, addresses, count);
}

int wire_unpack(const void *bytes, size_t size, struct text_pool *texts, struct line_answers *ret_answers)
{
	struct byte_cursor cursor = byte_cursor_make(bytes, size);
	struct line_answers answers;
	int r = read_addresses(&cursor, &answers), end;

	if (r < 0)
		return r;
	r = wire_read(cursor.next, byte_cursor_left(&cursor), texts, &answers, &end);
	if (r < 0 || end < 0) {
		line_answers_deinit(&answers);
		return r < 0 ? r : end;
	}
	*ret_answers = answers;
	return 0;
}
