/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A trace in pieces that can be changed, moved and multiplied before they are written with right
 * checksums: file headers, chunks with their uncompressed payloads, trailers, and other bytes. A
 * piece does not own its payload: that of a seed lives as long as the seed, a changed one is in the
 * scraps, which last until the next mutant. Everything about mutant number N follows from its
 * number and the seeds.
 */
#pragma once

#include <stdlib.h>

#include "common/bytes.h"
#include "format/chunk.h"
#include "format/crc32c.h"
#include "format/event.h"
#include "format/limits.h"
#include "format/lz4_block.h"
#include "format/varint.h"
#include "tests/random.h"

enum { MUTANT_PIECES = 96, MUTANT_PAYLOAD = 1 << 20, MUTANT_SCRAPS = 16 << 20, MUTANT_BYTES = 8 << 20 };

enum mutant_kind { MUTANT_HEADER, MUTANT_CHUNK, MUTANT_TRAILER, MUTANT_JUNK };

/* How a chunk header contradicts the bytes that follow it; its checksums are right nevertheless. */
enum mutant_lie {
	LIE_NONE,
	LIE_RAW_SIZE,
	LIE_STORED_SIZE,
	LIE_CODEC,
	LIE_BYTES, /* the payload's checksum is wrong */
};

struct mutant_piece {
	enum mutant_kind kind;
	union {
		struct rwk_file_header file;
		struct rwk_chunk_header chunk;
		struct rwk_trailer trailer;
	};
	const uint8_t *payload; /* of a chunk, or other bytes */
	size_t length;
	bool plain; /* not compressed */
	bool own;   /* trailer: written unchanged; else made to match the trace */
	enum mutant_lie lie;
	uint32_t lie_value;
};

struct mutant {
	struct rwk_file_header first; /* the seed's own: its checksum is valid until there is another one */
	struct mutant_piece pieces[MUTANT_PIECES];
	size_t count;
};

struct mutant_scraps {
	uint8_t *bytes; /* MUTANT_SCRAPS */
	size_t used;
};

/* What an edit works with. */
struct mutant_scene {
	struct random random;
	struct mutant_scraps scraps;
	struct mutant mutant;
	const struct mutant *seeds;
	size_t seed_count;
};

/* NULL if there is no more room: the change is not made. */
static inline uint8_t *mutant_scrap(struct mutant_scraps *scraps, size_t length)
{
	uint8_t *scrap = scraps->bytes + scraps->used;

	if (length > MUTANT_PAYLOAD || length > MUTANT_SCRAPS - scraps->used)
		return NULL;
	scraps->used += length;
	return scrap;
}

/* A random chunk of the trace; NULL if it has none. */
static inline struct mutant_piece *mutant_any_chunk(struct random *random, struct mutant *mutant)
{
	size_t from = mutant->count ? random_below(random, mutant->count) : 0;

	for (size_t i = 0; i < mutant->count; i++) {
		struct mutant_piece *piece = &mutant->pieces[(from + i) % mutant->count];

		if (piece->kind == MUTANT_CHUNK)
			return piece;
	}
	return NULL;
}

/* Replaces `removed` bytes of the payload at `at`. */
static inline void mutant_splice(struct mutant_scraps *scraps, struct mutant_piece *piece, size_t at, size_t removed,
				 const uint8_t *added, size_t length)
{
	size_t whole = piece->length - removed + length, rest = piece->length - at - removed;
	uint8_t *payload = mutant_scrap(scraps, whole);

	if (!payload)
		return;
	if (at)
		memcpy(payload, piece->payload, at);
	if (length)
		memcpy(payload + at, added, length);
	if (rest)
		memcpy(payload + at + length, piece->payload + at + removed, rest);
	piece->payload = payload;
	piece->length = whole;
	piece->own = true;
}

static inline void mutant_insert(struct mutant *mutant, size_t at, const struct mutant_piece *piece)
{
	struct mutant_piece copy = *piece; /* it may be one of the pieces that move */

	if (mutant->count == MUTANT_PIECES)
		return;
	memmove(mutant->pieces + at + 1, mutant->pieces + at, (mutant->count - at) * sizeof(*mutant->pieces));
	mutant->pieces[at] = copy;
	mutant->count++;
}

static inline void mutant_remove(struct mutant *mutant, size_t at)
{
	mutant->count--;
	memmove(mutant->pieces + at, mutant->pieces + at + 1, (mutant->count - at) * sizeof(*mutant->pieces));
}

/* Numbers at which reading code changes its behavior. */
static inline uint64_t mutant_number(struct random *random, uint64_t now)
{
	static const uint64_t edges[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x1000, 0xffff, 0x10000, RWK_MAX_MODULES, 1 << 20,
					 INT32_MAX, 0x80000000, UINT32_MAX, 0x100000000, INT64_MAX, 1ULL << 63,
					 UINT64_MAX, 0xffd2574b00000001, RWK_MAX_RAW_CHUNK, 1ULL << 47, 1ULL << 52};

	switch (random_below(random, 6)) {
	case 0:
		return now + 1;
	case 1:
		return now - 1;
	case 2:
		return random_below(random, 64);
	case 3:
		return random_next(random) >> random_below(random, 64);
	case 4:
		return now ^ 1ULL << random_below(random, 64);
	default:
		return edges[random_below(random, sizeof(edges) / sizeof(*edges))];
	}
}

static inline bool mutant_once_in(struct random *random, uint64_t times)
{
	return random_below(random, times) == 0;
}

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

static inline size_t mutant_any_place(struct mutant_scene *scene)
{
	return scene->mutant.count ? random_below(&scene->random, scene->mutant.count) : 0;
}

static inline void remove_piece(struct mutant_scene *scene)
{
	if (scene->mutant.count > 1)
		mutant_remove(&scene->mutant, mutant_any_place(scene));
}

static inline void repeat_piece(struct mutant_scene *scene)
{
	size_t from = mutant_any_place(scene), to = mutant_any_place(scene);

	if (scene->mutant.count)
		mutant_insert(&scene->mutant, to, &scene->mutant.pieces[from]);
}

static inline void swap_pieces(struct mutant_scene *scene)
{
	struct mutant_piece *a = &scene->mutant.pieces[mutant_any_place(scene)];
	struct mutant_piece *b = &scene->mutant.pieces[mutant_any_place(scene)], kept = *a;

	*a = *b;
	*b = kept;
}

static inline void transplant_piece(struct mutant_scene *scene)
{
	const struct mutant *donor = &scene->seeds[random_below(&scene->random, scene->seed_count)];

	mutant_insert(&scene->mutant, mutant_any_place(scene),
		      &donor->pieces[random_below(&scene->random, donor->count)]);
}

/* Appends the pieces of another seed: one more section, or, without its header, foreign chunks. */
static inline void join_seeds(struct mutant_scene *scene)
{
	const struct mutant *donor = &scene->seeds[random_below(&scene->random, scene->seed_count)];

	for (size_t i = mutant_once_in(&scene->random, 4); i < donor->count; i++)
		mutant_insert(&scene->mutant, scene->mutant.count, &donor->pieces[i]);
}

static inline void insert_junk(struct mutant_scene *scene)
{
	size_t length = 1 + random_below(&scene->random, 200);
	uint8_t *bytes = mutant_scrap(&scene->scraps, length);
	struct mutant_piece junk = {.kind = MUTANT_JUNK, .payload = bytes, .length = bytes ? length : 0};

	for (size_t i = 0; i < junk.length; i++)
		bytes[i] = (uint8_t)random_next(&scene->random);
	mutant_insert(&scene->mutant, mutant_any_place(scene), &junk);
}

static inline void change_chunk(struct mutant_scene *scene)
{
	struct mutant_piece *piece = mutant_any_chunk(&scene->random, &scene->mutant);
	struct random *random = &scene->random;

	if (!piece)
		return;
	switch (random_below(random, 8)) {
	case 0:
		piece->chunk.type =
			(uint16_t)(mutant_once_in(random, 8) ? random_next(random) : random_below(random, 9));
		piece->own = true;
		break;
	case 1:
		piece->chunk.flags = (uint8_t)random_next(random);
		break;
	case 2:
		piece->chunk.sequence = mutant_number(random, piece->chunk.sequence);
		break;
	case 3:
		piece->chunk.first_time = mutant_number(random, piece->chunk.first_time);
		break;
	case 4:
		piece->chunk.last_time = mutant_number(random, piece->chunk.last_time);
		break;
	case 5:
		piece->plain = !piece->plain;
		break;
	default:
		piece->lie = (enum mutant_lie)random_below(random, LIE_BYTES + 1);
		piece->lie_value = (uint32_t)mutant_number(random, piece->length);
	}
}

/* Changes bytes, wherever they are. */
static inline void change_payload(struct mutant_scene *scene)
{
	struct mutant_piece *piece = mutant_any_chunk(&scene->random, &scene->mutant);
	size_t size = 1ULL << random_below(&scene->random, 4), at;
	uint64_t number = 0;

	if (!piece || piece->length < size)
		return;
	at = random_below(&scene->random, piece->length / size) * size;
	memcpy(&number, piece->payload + at, size);
	number = mutant_number(&scene->random, number);
	mutant_splice(&scene->scraps, piece, at, size, (const uint8_t *)&number, size);
}

static inline void cut_payload(struct mutant_scene *scene)
{
	struct mutant_piece *piece = mutant_any_chunk(&scene->random, &scene->mutant);
	size_t left;

	if (!piece || !piece->length)
		return;
	left = random_below(&scene->random, piece->length);
	mutant_splice(&scene->scraps, piece, left, piece->length - left, NULL, 0);
}

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

	if (piece && mutant_any_record(&scene->random, piece, &record))
		edits[random_below(&scene->random, sizeof(edits) / sizeof(*edits))](scene, piece, record);
}

struct mutant_writer {
	uint8_t *bytes; /* MUTANT_BYTES */
	size_t length, section;
	uint32_t seed;
	uint64_t chunks;
	uint8_t *scratch; /* for LZ4 */
};

static inline void mutant_put(struct mutant_writer *w, const void *bytes, size_t length)
{
	if (length)
		memcpy(w->bytes + w->length, bytes, length);
	w->length += length;
}

static inline void mutant_put_file_header(struct mutant_writer *w, struct rwk_file_header header)
{
	size_t more = header.header_size > sizeof(header) && header.header_size <= RWK_MAX_FILE_HEADER ?
			      header.header_size - sizeof(header) : 0;

	w->section = w->length;
	w->chunks = 0;
	w->seed = header.crc = crc32c(0, &header, offsetof(struct rwk_file_header, crc));
	mutant_put(w, &header, sizeof(header));
	memset(w->bytes + w->length, 0, more);
	w->length += more;
}

static inline void mutant_put_trailer(struct mutant_writer *w, const struct mutant_piece *piece)
{
	struct rwk_trailer trailer = piece->trailer;

	if (!piece->own)
		trailer.chunk_count = w->chunks;
	rwk_trailer_seal(&trailer, w->seed);
	mutant_put(w, &trailer, sizeof(trailer));
}

static inline void mutant_lie(const struct mutant_piece *piece, struct rwk_chunk_header *header, uint8_t *stored)
{
	switch (piece->lie) {
	case LIE_RAW_SIZE:
		header->raw_size = piece->lie_value;
		break;
	case LIE_STORED_SIZE:
		memset(stored + rwk_chunk_stored_length(header), 0, header->stored_size + (size_t)64);
		if (piece->lie_value < 2 * (uint64_t)header->stored_size + 64)
			header->stored_size = piece->lie_value;
		header->payload_crc = crc32c(0, stored, rwk_chunk_stored_length(header));
		break;
	case LIE_CODEC:
		header->codec = (uint8_t)piece->lie_value;
		break;
	case LIE_BYTES:
		stored[piece->lie_value % (header->stored_size + 1)] ^= 1;
		break;
	default:
		break;
	}
}

static inline void mutant_put_chunk(struct mutant_writer *w, const struct mutant_piece *piece)
{
	struct rwk_chunk_header header = piece->chunk;
	const size_t length = piece->length;
	const uint8_t *payload = piece->payload;
	uint8_t *stored = w->bytes + w->length + sizeof(header);

	if (piece->plain) {
		if (length)
			memcpy(stored, payload, length);
		rwk_chunk_keep(&header, stored, length);
	} else {
		rwk_chunk_pack(&header, payload, length, stored, w->scratch);
	}
	w->chunks++;
	mutant_lie(piece, &header, stored);
	rwk_chunk_header_seal(&header, w->seed);
	mutant_put(w, &header, sizeof(header));
	w->length += rwk_chunk_stored_length(&header);
}

/* Ignores what does not fit. */
static inline void mutant_write(struct mutant_writer *w, const struct mutant *mutant)
{
	w->length = 0;
	mutant_put_file_header(w, mutant->first);
	w->length = 0;
	for (size_t i = 0; i < mutant->count; i++) {
		const struct mutant_piece *piece = &mutant->pieces[i];

		if (w->length + 4 * piece->length + 3 * MUTANT_PAYLOAD > MUTANT_BYTES)
			break;
		if (piece->kind == MUTANT_HEADER)
			mutant_put_file_header(w, piece->file);
		else if (piece->kind == MUTANT_TRAILER)
			mutant_put_trailer(w, piece);
		else if (piece->kind == MUTANT_CHUNK)
			mutant_put_chunk(w, piece);
		else
			mutant_put(w, piece->payload, piece->length);
	}
}

static inline void change_file_header(struct mutant_scene *scene, struct rwk_file_header *file)
{
	struct random *random = &scene->random;

	switch (random_below(random, 8)) {
	case 0:
		file->version = (uint32_t)mutant_number(random, file->version);
		break;
	case 1:
		file->version = RWK_VERSION + (uint32_t)random_below(random, 3) - 1;
		break;
	case 2:
		file->header_size = (uint32_t)(8 * random_below(random, 600));
		break;
	case 3:
		file->incompatible = mutant_number(random, file->incompatible);
		break;
	case 4:
		file->compatible = mutant_number(random, file->compatible);
		break;
	case 5:
		file->section_id[random_below(random, sizeof(file->section_id))]++;
		break;
	case 6:
		file->realtime = mutant_number(random, file->realtime);
		break;
	default:
		file->max_raw = (uint32_t)mutant_number(random, file->max_raw);
	}
}

static inline void change_trailer(struct mutant_scene *scene, struct mutant_piece *piece)
{
	struct rwk_trailer *trailer = &piece->trailer;

	piece->own = true;
	trailer->chunk_count = mutant_number(&scene->random, trailer->chunk_count);
	trailer->end_reason = (uint32_t)mutant_number(&scene->random, trailer->end_reason);
}

static inline void change_ends(struct mutant_scene *scene)
{
	struct mutant_piece *piece = &scene->mutant.pieces[mutant_any_place(scene)];

	if (piece->kind == MUTANT_HEADER || mutant_once_in(&scene->random, 8))
		piece = &scene->mutant.pieces[0];
	else
		piece = &scene->mutant.pieces[scene->mutant.count - 1];
	if (piece->kind == MUTANT_HEADER)
		change_file_header(scene, &piece->file);
	else if (piece->kind == MUTANT_TRAILER)
		change_trailer(scene, piece);
}

static inline void mutant_edit_trace(struct mutant_scene *scene)
{
	static void (*const edits[])(struct mutant_scene *scene) = {
		remove_piece, repeat_piece, swap_pieces, transplant_piece, join_seeds, insert_junk, change_chunk,
		change_chunk, change_chunk, change_payload, change_payload, cut_payload, change_ends, change_ends};

	edits[random_below(&scene->random, sizeof(edits) / sizeof(*edits))](scene);
}

/* In five of eight mutants only records are changed: nothing else makes their chunks suspect. */
static inline void mutant_make(struct mutant_scene *scene, uint64_t number, struct mutant_writer *writer)
{
	bool records_only;

	scene->random = random_make(number);
	scene->scraps.used = 0;
	scene->mutant = scene->seeds[random_below(&scene->random, scene->seed_count)];
	records_only = random_below(&scene->random, 8) < 5;
	for (uint64_t edits = 1 + random_below(&scene->random, 6); edits; edits--)
		if (records_only || mutant_once_in(&scene->random, 2))
			mutant_edit_record(scene);
		else
			mutant_edit_trace(scene);
	mutant_write(writer, &scene->mutant);
	if (!records_only && mutant_once_in(&scene->random, 8))
		writer->length -= random_below(&scene->random, writer->length + 1);
}
