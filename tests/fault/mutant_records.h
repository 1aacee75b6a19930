/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Changes within a payload: records and their fields, lengths, counts, numbers and texts. */
#pragma once

#include "common/byte_cursor.h"
#include "tests/fault/mutant.h"

struct mutant_record {
	size_t at, length; /* with the varint before it */
	size_t body;	   /* where kind and fields begin */
};

/* Record number `wanted`, or the number of records if there are fewer. */
static inline size_t mutant_find_record(const struct mutant_piece *piece, size_t wanted,
					struct mutant_record *ret_record)
{
	struct byte_cursor cursor = byte_cursor_make(piece->payload, piece->length);
	size_t count = 0;

	while (byte_cursor_left(&cursor)) {
		size_t at = (size_t)(cursor.next - piece->payload);
		uint64_t length = byte_cursor_varint(&cursor);
		size_t body = (size_t)(cursor.next - piece->payload);

		if (!byte_cursor_bytes(&cursor, length))
			break;
		*ret_record = (struct mutant_record){at, body + length - at, body};
		if (count++ == wanted)
			break;
	}
	return count;
}

static inline bool mutant_any_record(struct random *random, const struct mutant_piece *piece,
				     struct mutant_record *ret_record)
{
	size_t count = mutant_find_record(piece, SIZE_MAX, ret_record);

	if (count)
		mutant_find_record(piece, random_below(random, count), ret_record);
	return count > 0;
}

static inline size_t mutant_body_length(const struct mutant_record *record)
{
	return record->at + record->length - record->body;
}

/* Replaces a part of a record's body, and its length. */
static inline void mutant_rewrite(struct mutant_scene *scene, struct mutant_piece *piece, struct mutant_record record,
				  size_t at, size_t removed, const uint8_t *added, size_t length)
{
	size_t whole = mutant_body_length(&record) - removed + length;
	uint8_t prefix[VARINT_MAX];
	size_t before = piece->length;

	mutant_splice(&scene->scraps, piece, record.body + at, removed, added, length);
	if (piece->length == before - removed + length)
		mutant_splice(&scene->scraps, piece, record.at, record.body - record.at, prefix,
			      (size_t)(varint_put(prefix, whole) - prefix));
}

/*
 * One of the numbers in a body, every other time one of the first, which refer to something or
 * count what follows. Each byte of a text counts as a number.
 */
static inline struct mutant_record mutant_any_number(struct random *random, const uint8_t *body, size_t length,
						     uint64_t *ret_number)
{
	struct byte_cursor cursor = byte_cursor_make(body, length);
	size_t most = mutant_once_in(random, 2) ? 12 : SIZE_MAX, seen = 0;
	struct mutant_record found = {0};

	while (byte_cursor_left(&cursor) && seen < most) {
		size_t at = (size_t)(cursor.next - body);
		uint64_t number = byte_cursor_varint(&cursor);

		if (cursor.bad || !mutant_once_in(random, ++seen))
			continue;
		found = (struct mutant_record){.at = at, .length = (size_t)(cursor.next - body) - at};
		*ret_number = number;
	}
	return found;
}

static inline void change_number(struct mutant_scene *scene, struct mutant_piece *piece, struct mutant_record record)
{
	uint64_t number = 0;
	struct mutant_record where = mutant_any_number(&scene->random, piece->payload + record.body,
						       mutant_body_length(&record), &number);
	uint8_t bytes[VARINT_MAX + 2];
	uint8_t *end = varint_put(bytes, mutant_number(&scene->random, number));

	if (mutant_once_in(&scene->random, 16)) { /* a longer form of the same number, or one that is too large */
		end[-1] |= 0x80;
		*end++ = mutant_once_in(&scene->random, 2);
	}
	mutant_rewrite(scene, piece, record, where.at, where.length, bytes, (size_t)(end - bytes));
}

static inline void remove_record(struct mutant_scene *scene, struct mutant_piece *piece, struct mutant_record record)
{
	mutant_splice(&scene->scraps, piece, record.at, record.length, NULL, 0);
}

static inline void repeat_record(struct mutant_scene *scene, struct mutant_piece *piece, struct mutant_record record)
{
	for (uint64_t times = 1 << random_below(&scene->random, 6); times; times--)
		mutant_splice(&scene->scraps, piece, record.at, 0, piece->payload + record.at, record.length);
}

static inline void move_record(struct mutant_scene *scene, struct mutant_piece *piece, struct mutant_record record)
{
	const uint8_t *moved = piece->payload + record.at;
	struct mutant_record to;

	remove_record(scene, piece, record);
	if (mutant_any_record(&scene->random, piece, &to))
		mutant_splice(&scene->scraps, piece, to.at, 0, moved, record.length);
}

/* A record of any chunk of any seed. */
static inline void transplant_record(struct mutant_scene *scene, struct mutant_piece *piece,
				     struct mutant_record record)
{
	const struct mutant *donor = &scene->seeds[random_below(&scene->random, scene->seed_count)];
	const struct mutant_piece *from = &donor->pieces[random_below(&scene->random, donor->count)];
	struct mutant_record taken;

	if (from->kind == MUTANT_CHUNK && mutant_any_record(&scene->random, from, &taken))
		mutant_splice(&scene->scraps, piece, record.at, 0, from->payload + taken.at, taken.length);
}

static inline void cut_record(struct mutant_scene *scene, struct mutant_piece *piece, struct mutant_record record)
{
	size_t length = mutant_body_length(&record), left = length ? random_below(&scene->random, length) : 0;

	mutant_rewrite(scene, piece, record, left, length - left, NULL, 0);
}
