/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cache/name_blob.h"

#include <string.h>

#include "common/byte_buffer.h"
#include "common/byte_cursor.h"
#include "common/cleanup.h"

enum { CHECKSUM_SIZE = 8, VARINT_MAX_SIZE = 10 };

void name_blob_deinit(struct name_blob *blob)
{
	free(blob->bytes);
	*blob = (struct name_blob){0};
}

uint64_t name_checksum(uint64_t before, const void *bytes, size_t size)
{
	const uint64_t factor = 0x9e3779b97f4a7c15;
	const uint8_t *byte = bytes;
	uint64_t sum = (before ^ size) * factor;

	for (size_t i = 0; i < size; i += 8) {
		uint64_t word = 0;

		memcpy(&word, byte + i, size - i < 8 ? size - i : 8);
		sum = (sum ^ word) * factor;
		sum ^= sum >> 29;
	}
	return sum;
}

/* --- writing --- */

/* Reserves `room` bytes after the checksum. */
static int start_blob(size_t room, struct byte_buffer *ret_buffer)
{
	uint8_t *bytes;

	if (room > 4 * (size_t)NAME_BLOB_MAX)
		return -E2BIG;
	bytes = malloc(CHECKSUM_SIZE + room);
	if (!bytes)
		return -ENOMEM;
	*ret_buffer = (struct byte_buffer){.bytes = bytes, .room = CHECKSUM_SIZE + room,
					   .used = CHECKSUM_SIZE};
	return 0;
}

static int finish_blob(struct byte_buffer *buffer, uint64_t seed, struct name_blob *ret_blob)
{
	struct byte_buffer front = {.bytes = buffer->bytes, .room = CHECKSUM_SIZE};

	if (buffer->full || buffer->used > NAME_BLOB_MAX) {
		free(buffer->bytes);
		return -E2BIG;
	}
	byte_buffer_uint(&front,
			 name_checksum(seed, buffer->bytes + CHECKSUM_SIZE,
				       buffer->used - CHECKSUM_SIZE),
			 CHECKSUM_SIZE);
	*ret_blob = (struct name_blob){.bytes = buffer->bytes, .size = buffer->used};
	return 0;
}

/* The texts of all levels, numbered from 1 in the order of the frames. */
struct text_numbers {
	struct index_table table;
	ARRAY(const char *) texts;
	size_t bytes;
};

static void text_numbers_deinit(struct text_numbers *numbers)
{
	index_table_deinit(&numbers->table);
	array_free(&numbers->texts);
}

struct wanted_text {
	const struct text_numbers *numbers;
	const char *text;
};

/* The pool stores equal texts once, so comparing pointers is enough. */
static bool same_text(const void *context, uint32_t number)
{
	const struct wanted_text *wanted = context;

	return wanted->numbers->texts.items[number] == wanted->text;
}

static uint32_t text_hash(const struct text_numbers *numbers, const char *text)
{
	return index_table_hash(&numbers->table, (uintptr_t)text, 0);
}

static int number_text(struct text_numbers *numbers, const char *text)
{
	const struct wanted_text wanted = {.numbers = numbers, .text = text};
	uint32_t number;
	int r;

	if (!text)
		return 0;
	r = index_table_add(&numbers->table, text_hash(numbers, text), same_text, &wanted,
			    (uint32_t)numbers->texts.count, &number);
	if (r <= 0)
		return r;
	numbers->bytes += strlen(text);
	return array_push(&numbers->texts, text);
}

static uint32_t number_of(const struct text_numbers *numbers, const char *text)
{
	const struct wanted_text wanted = {.numbers = numbers, .text = text};

	return text ? index_table_lookup(&numbers->table, text_hash(numbers, text), same_text, &wanted)->number : 0;
}

static int by_address(const void *a, const void *b)
{
	const struct name_frame *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

static struct name_frame *sort_frames(const struct name_frames *frames)
{
	size_t count = frames->items.count;
	struct name_frame *sorted = calloc(count + 1, sizeof(*sorted));

	if (sorted && count) {
		memcpy(sorted, frames->items.items, count * sizeof(*sorted));
		qsort(sorted, count, sizeof(*sorted), by_address);
	}
	return sorted;
}

static int number_texts(const struct name_frames *frames, const struct name_frame *sorted,
			struct text_numbers *numbers)
{
	int r = index_table_init(&numbers->table);

	for (size_t i = 0; i < frames->items.count; i++)
		for (size_t j = 0; j < sorted[i].count && !r; j++) {
			const struct line_level *level = &sorted[i].levels[j];

			r = number_text(numbers, level->function);
			if (!r)
				r = number_text(numbers, level->file);
		}
	return r;
}

static void write_frame(struct byte_buffer *buffer, const struct name_frame *frame,
			const struct text_numbers *numbers)
{
	byte_buffer_varint(buffer, frame->count);
	for (size_t i = 0; i < frame->count; i++) {
		const struct line_level *level = &frame->levels[i];

		byte_buffer_varint(buffer, number_of(numbers, level->function));
		byte_buffer_varint(buffer, number_of(numbers, level->file));
		byte_buffer_varint(buffer, (uint64_t)level->line << 1 | (i + 1 < frame->count));
	}
}

int name_blob_from_frames(const struct name_frames *frames, uint64_t seed, struct name_blob *ret_blob)
{
	_cleanup_(text_numbers_deinit) struct text_numbers numbers = {0};
	_cleanup_free_ struct name_frame *sorted = sort_frames(frames);
	struct byte_buffer buffer = {0};
	uint64_t last = 0;
	int r = sorted ? number_texts(frames, sorted, &numbers) : -ENOMEM;

	if (!r) /* text numbers, level counts and lines take at most five bytes each */
		r = start_blob(VARINT_MAX_SIZE * 2 + numbers.bytes + numbers.texts.count * 5 +
				       frames->items.count * (VARINT_MAX_SIZE + 5) + frames->level_count * 15,
			       &buffer);
	if (r < 0)
		return r;
	byte_buffer_varint(&buffer, numbers.texts.count);
	for (size_t i = 0; i < numbers.texts.count; i++)
		byte_buffer_string(&buffer, numbers.texts.items[i], strlen(numbers.texts.items[i]));
	byte_buffer_varint(&buffer, frames->items.count);
	for (size_t i = 0; i < frames->items.count; i++) {
		byte_buffer_varint(&buffer, sorted[i].address - last);
		last = sorted[i].address;
		write_frame(&buffer, &sorted[i], &numbers);
	}
	return finish_blob(&buffer, seed, ret_blob);
}

int name_blob_from_symbols(const struct symbol_list *list, uint64_t seed, struct name_blob *ret_blob)
{
	struct byte_buffer buffer = {0};
	uint64_t last = 0;
	size_t count = list->symbols.count, room;
	int r;

	/* Symbols may share a name, so their lengths are added up one by one. */
	if (__builtin_mul_overflow(count, 3 * VARINT_MAX_SIZE + 1, &room))
		return -E2BIG;
	for (size_t i = 0; i < count; i++)
		if (__builtin_add_overflow(room, strlen(list->names.items + list->symbols.items[i].name), &room))
			return -E2BIG;
	r = start_blob(room + VARINT_MAX_SIZE, &buffer);
	if (r < 0)
		return r;
	byte_buffer_varint(&buffer, count);
	for (size_t i = 0; i < count; i++) {
		const struct raw_symbol *symbol = &list->symbols.items[i];
		const char *name = list->names.items + symbol->name;

		byte_buffer_zigzag(&buffer, (int64_t)(symbol->address - last));
		last = symbol->address;
		byte_buffer_varint(&buffer, symbol->size);
		byte_buffer_uint(&buffer, symbol->binding, 1);
		byte_buffer_string(&buffer, name, strlen(name));
	}
	return finish_blob(&buffer, seed, ret_blob);
}

/* --- reading --- */

/* A fast path for one or two bytes, which most varints have. */
static uint64_t read_varint(struct byte_cursor *cursor)
{
	const uint8_t *byte = cursor->next;

	if (byte_cursor_left(cursor) < 2 || (byte[0] & byte[1] & 0x80))
		return byte_cursor_varint(cursor);
	cursor->next += 1 + (byte[0] >> 7);
	return byte[0] & 0x80 ? (byte[0] & 0x7f) | (uint64_t)byte[1] << 7 : byte[0];
}

static int open_blob(const void *bytes, size_t size, uint64_t seed, struct byte_cursor *ret_cursor)
{
	struct byte_cursor cursor = byte_cursor_make(bytes, size);
	uint64_t checksum = byte_cursor_u64(&cursor);

	if (cursor.bad || size > NAME_BLOB_MAX ||
	    checksum != name_checksum(seed, cursor.next, byte_cursor_left(&cursor)))
		return -EBADMSG;
	*ret_cursor = cursor;
	return 0;
}

/* A count of items of at least `least` bytes each. */
static size_t read_count(struct byte_cursor *cursor, size_t least)
{
	uint64_t count = read_varint(cursor);

	if (count > byte_cursor_left(cursor) / least)
		cursor->bad = true;
	return cursor->bad ? 0 : (size_t)count;
}

struct blob_texts {
	struct name_frames *frames;
	const char **items; /* [0]: none */
	size_t count;
};

static const uint8_t *read_text(struct byte_cursor *cursor, size_t *ret_length)
{
	size_t length = read_count(cursor, 1);
	const uint8_t *bytes = byte_cursor_bytes(cursor, length);

	if (bytes && (length >= NAME_TEXT_MAX || memchr(bytes, '\0', length)))
		cursor->bad = true;
	*ret_length = length;
	return cursor->bad ? NULL : bytes;
}

static int read_texts(struct byte_cursor *cursor, struct blob_texts *texts)
{
	size_t count = read_count(cursor, 1), length;
	int r = 0;

	texts->items = calloc(count + 1, sizeof(*texts->items));
	if (!texts->items)
		return -ENOMEM;
	for (texts->count = 1; texts->count <= count && !r; texts->count++) {
		const uint8_t *bytes = read_text(cursor, &length);

		if (!bytes)
			return -EBADMSG;
		r = text_pool_add(&texts->frames->texts, bytes, length, &texts->items[texts->count]);
	}
	return r;
}

static const char *read_number(struct byte_cursor *cursor, const struct blob_texts *texts)
{
	uint64_t number = read_varint(cursor);

	if (number >= texts->count)
		cursor->bad = true;
	return cursor->bad ? NULL : texts->items[number];
}

static int read_frame(struct byte_cursor *cursor, uint64_t address, const struct blob_texts *texts)
{
	struct line_level levels[NAME_LEVELS_OF_ADDRESS];
	size_t count = read_count(cursor, 3);

	if (count > NAME_LEVELS_OF_ADDRESS)
		return -EBADMSG;
	for (size_t i = 0; i < count; i++) {
		uint64_t line;

		levels[i].function = read_number(cursor, texts);
		levels[i].file = read_number(cursor, texts);
		line = read_varint(cursor);
		if (line >> 33)
			return -EBADMSG;
		levels[i].line = (uint32_t)(line >> 1);
	}
	return cursor->bad ? -EBADMSG : name_frames_add_kept(texts->frames, address, levels, count);
}

struct read_before { /* the encoded previous frame */
	const uint8_t *bytes;
	size_t size, items; /* items: the number of frames including it */
};

/* Whether the next frame is encoded in the same bytes as the previous one. */
static bool is_as_before(const struct byte_cursor *cursor, const struct blob_texts *texts,
			 const struct read_before *before)
{
	return before->size && before->size <= byte_cursor_left(cursor) &&
	       before->items == texts->frames->items.count &&
	       !memcmp(cursor->next, before->bytes, before->size);
}

static int read_next(struct byte_cursor *cursor, uint64_t address, const struct blob_texts *texts,
		     struct read_before *before)
{
	const uint8_t *start = cursor->next;
	size_t items = texts->frames->items.count;
	int r;

	if (is_as_before(cursor, texts, before)) {
		cursor->next += before->size;
		r = name_frames_add_same(texts->frames, address);
	} else {
		r = read_frame(cursor, address, texts);
	}
	*before = (struct read_before){.bytes = start, .items = items + 1};
	if (texts->frames->items.count > items)
		before->size = (size_t)(cursor->next - start);
	return r;
}

static int read_frames(struct byte_cursor *cursor, const struct blob_texts *texts)
{
	size_t count = read_count(cursor, 2);
	struct read_before before = {0};
	uint64_t address = 0;

	if (array_reserve(&texts->frames->items, count < NAME_FRAMES_MAX ? count : NAME_FRAMES_MAX) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		uint64_t step = read_varint(cursor);
		int r;

		if ((i && !step) || __builtin_add_overflow(address, step, &address))
			return -EBADMSG;
		r = read_next(cursor, address, texts, &before);
		if (r < 0)
			return r;
	}
	return cursor->bad || byte_cursor_left(cursor) ? -EBADMSG : 0;
}

int name_blob_to_frames(const void *bytes, size_t size, uint64_t seed, struct name_frames *frames)
{
	struct blob_texts texts = {.frames = frames};
	struct byte_cursor cursor;
	int r = open_blob(bytes, size, seed, &cursor);

	if (!r)
		r = read_texts(&cursor, &texts);
	if (!r)
		r = read_frames(&cursor, &texts);
	free(texts.items);
	return r;
}

static int read_symbol(struct byte_cursor *cursor, uint64_t *address, struct symbol_list *list)
{
	const uint8_t *name;
	uint64_t size;
	uint8_t binding;
	size_t length;
	int r;

	*address += (uint64_t)byte_cursor_zigzag(cursor);
	size = read_varint(cursor);
	binding = byte_cursor_u8(cursor);
	name = read_text(cursor, &length);
	if (!name)
		return -EBADMSG;
	r = symbol_list_add(list, *address, size, name, length);
	if (!r)
		list->symbols.items[list->symbols.count - 1].binding = binding;
	return r;
}

int name_blob_to_symbols(const void *bytes, size_t size, uint64_t seed, struct symbol_list *list)
{
	const size_t symbols = list->symbols.count, names = list->names.count;
	struct byte_cursor cursor;
	uint64_t address = 0;
	size_t count;
	int r = open_blob(bytes, size, seed, &cursor);

	if (r < 0)
		return r;
	count = read_count(&cursor, 4);
	for (size_t i = 0; i < count && !r; i++)
		r = read_symbol(&cursor, &address, list);
	if (!r && (cursor.bad || byte_cursor_left(&cursor)))
		r = -EBADMSG;
	if (r < 0) {
		list->symbols.count = symbols;
		list->names.count = names;
	}
	return r;
}
