/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The other changes of records: bytes that are not numbers, wrong lengths; and the table of all changes. */
#pragma once

#include <stdlib.h>

#include "format/event.h"
#include "tests/fault/mutant_records.h"

static inline void extend_record(struct mutant_scene *scene, struct mutant_piece *piece, struct mutant_record record)
{
	uint8_t bytes[64];
	size_t length = 1 + random_below(&scene->random, sizeof(bytes));

	for (size_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)random_next(&scene->random);
	mutant_rewrite(scene, piece, record, mutant_body_length(&record), 0, bytes, length);
}

/* Changes only the length before a record. */
static inline void lie_about_length(struct mutant_scene *scene, struct mutant_piece *piece, struct mutant_record record)
{
	uint8_t bytes[VARINT_MAX];
	uint64_t length = mutant_number(&scene->random, mutant_body_length(&record));

	mutant_splice(&scene->scraps, piece, record.at, record.body - record.at, bytes,
		      (size_t)(varint_put(bytes, length) - bytes));
}

static inline void change_kind(struct mutant_scene *scene, struct mutant_piece *piece, struct mutant_record record)
{
	static const uint8_t kinds[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 32, 33, 34,
					35, 36, 37, 38, 39, 64, 65, 66, 67, 68, 69, 70, 96, 97, 98, 99, 0, 127};

	if (mutant_body_length(&record))
		mutant_rewrite(scene, piece, record, 0, 1,
			       &kinds[random_below(&scene->random, sizeof(kinds))], 1);
}

static inline void change_byte(struct mutant_scene *scene, struct mutant_piece *piece, struct mutant_record record)
{
	uint8_t byte = (uint8_t)random_next(&scene->random);

	if (mutant_body_length(&record))
		mutant_rewrite(scene, piece, record, random_below(&scene->random, mutant_body_length(&record)), 1,
			       &byte, 1);
}

/* Finds a length followed by that many printable bytes, beginning at a random place. False if there is none. */
static inline bool mutant_any_text(struct random *random, const uint8_t *body, size_t length, size_t *ret_at)
{
	size_t from = length ? random_below(random, length) : 0;

	for (size_t i = 0; i < length; i++) {
		size_t at = (from + i) % length, bytes = body[at], k = 0;

		if (bytes < 2 || bytes >= 0x80 || bytes >= length - at)
			continue;
		while (k < bytes && body[at + 1 + k] >= 0x20 && body[at + 1 + k] < 0x7f)
			k++;
		*ret_at = at;
		if (k == bytes)
			return true;
	}
	return false;
}

static inline size_t mutant_text(struct random *random, uint8_t *text)
{
	static const char *const texts[] = {
		"", "\033[2J", "\033]0;x\a", "a\nb", "a;b c", "\\", "../../../../etc/passwd", "/",
		"\xe2\x80\xae" "gnp.exe", "\xc2\x9b" "31m", "\xff\xfe", "%s%n", "[kernel]", "[vdso]",
		"_ZN1a1bEv", "_ZNSt3mapI", "_RNvC6", "1-2-3", "x86_64", "aarch64", "\"", "'", "//anon",
		"/proc/self/mem", "/dev/zero", "a b (deleted)"};
	size_t length = 0, wanted = 1 << random_below(random, 13);

	do {
		const char *part = texts[random_below(random, sizeof(texts) / sizeof(*texts))];
		size_t bytes = strlen(part);

		memcpy(text + length, part, bytes);
		length += bytes;
	} while (length < wanted && !mutant_once_in(random, 2));
	for (; length < wanted && mutant_once_in(random, 2); length += length)
		memcpy(text + length, text, length);
	return length;
}

static inline void change_text(struct mutant_scene *scene, struct mutant_piece *piece, struct mutant_record record)
{
	const uint8_t *body = piece->payload + record.body;
	uint8_t text[2 * 4096 + 64], bytes[sizeof(text) + VARINT_MAX];
	size_t at, length;

	if (!mutant_any_text(&scene->random, body, mutant_body_length(&record), &at))
		return;
	length = mutant_text(&scene->random, text);
	mutant_rewrite(scene, piece, record, at, body[at] + (size_t)1, bytes,
		       (size_t)(text_put(bytes, text, length) - bytes));
}

typedef void mutant_record_edit(struct mutant_scene *scene, struct mutant_piece *piece, struct mutant_record record);

static inline void mutant_edit_record(struct mutant_scene *scene)
{
	static mutant_record_edit *const edits[] = {
		change_number, change_number, change_number, change_number, change_number, change_text, change_text,
		remove_record, repeat_record, move_record, transplant_record, cut_record, extend_record,
		lie_about_length, change_kind, change_byte};
	struct mutant_piece *piece = mutant_any_chunk(&scene->random, &scene->mutant);
	struct mutant_record record;

	if (piece && piece->chunk.type != RWK_CHUNK_INDEX && mutant_any_record(&scene->random, piece, &record))
		edits[random_below(&scene->random, sizeof(edits) / sizeof(*edits))](scene, piece, record);
}
