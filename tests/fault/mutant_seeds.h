/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the mutants are made of: undamaged traces, taken apart; files, and small made-up traces that
 * together hold every kind of record and chunk, which is checked.
 */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/event_layout.h"
#include "tests/fault/mutant.h"
#include "tests/fault/synthetic_kinds.h"
#include "tests/unit/cfi_bytes.h"

/* Bytes to keep of a chunk of EVENTS: the rest has no new forms, but costs time with every mutant. */
enum { MUTANT_EVENTS = 2048 };

static inline void mutant_need(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "mutants: a seed is no undamaged trace: %s\n", what);
	exit(2);
}

/* Drops the last records. The remaining ones do not refer to them. */
static inline void mutant_shorten(struct mutant_piece *piece)
{
	struct mutant_record record = {0};
	size_t count = 0, at = 0;

	while (mutant_find_record(piece, count, &record) == count + 1 && record.at + record.length <= MUTANT_EVENTS) {
		at = record.at + record.length;
		count++;
	}
	if (count)
		piece->length = at;
}

static inline void mutant_load_chunk(struct mutant *seed, const uint8_t *bytes, size_t left)
{
	struct mutant_piece *piece = &seed->pieces[seed->count++];
	uint8_t *payload;

	piece->kind = MUTANT_CHUNK;
	memcpy(&piece->chunk, bytes, sizeof(piece->chunk));
	mutant_need(rwk_chunk_length(&piece->chunk) <= left, "a chunk is cut off");
	payload = malloc(piece->chunk.raw_size + (size_t)1);
	mutant_need(payload && rwk_chunk_unpack(&piece->chunk, bytes + sizeof(piece->chunk), payload) == 0,
		    "a payload");
	piece->payload = payload;
	piece->length = piece->chunk.raw_size;
	piece->plain = piece->chunk.codec == RWK_CODEC_NONE;
	if (piece->chunk.type == RWK_CHUNK_EVENTS && piece->length > MUTANT_EVENTS)
		mutant_shorten(piece);
}

/* Returns the bytes of the piece at `at`. */
static inline size_t mutant_load_piece(struct mutant *seed, const uint8_t *bytes, size_t left)
{
	struct mutant_piece *piece = &seed->pieces[seed->count];

	if (left >= sizeof(piece->chunk) && !memcmp(bytes, RWK_CHUNK_MAGIC, 4)) {
		mutant_load_chunk(seed, bytes, left);
		return rwk_chunk_length(&piece->chunk);
	}
	seed->count++;
	if (left >= sizeof(piece->file) && !memcmp(bytes, RWK_MAGIC, 8)) {
		piece->kind = MUTANT_HEADER;
		memcpy(&piece->file, bytes, sizeof(piece->file));
		return piece->file.header_size;
	}
	mutant_need(left >= sizeof(piece->trailer) && !memcmp(bytes, RWK_TRAILER_MAGIC, 8), "unknown bytes");
	piece->kind = MUTANT_TRAILER;
	memcpy(&piece->trailer, bytes, sizeof(piece->trailer));
	return sizeof(piece->trailer);
}

/* Ignores what does not fit into the pieces. The payloads are never freed. */
static inline void mutant_load(struct mutant *seed, const uint8_t *bytes, size_t length)
{
	*seed = (struct mutant){0};
	for (size_t at = 0; at < length && seed->count < MUTANT_PIECES / 2;)
		at += mutant_load_piece(seed, bytes + at, length - at);
	seed->first = seed->pieces[0].file;
	mutant_need(seed->count > 1 && seed->pieces[0].kind == MUTANT_HEADER, "no file header");
}

enum { MUTANT_SEEDS = 64, MUTANT_TIMES = 9 };

/* Rows for the code that the return addresses of kinds_add_snapshots() are in; the second one has an expression. */
static inline struct event_text seeds_eh_frame(struct cfi_writer *writer)
{
	static const uint8_t plain[] = {0x0c, 7, 8, 0x90, 1}; /* CFA = rsp + 8, the return address below it */
	size_t cie = cfi_put_cie(writer, 16, plain, sizeof(plain));

	CFI_FDE(writer, cie, 0x1000, 0x18, 0x0e, 16, 0x86, 2, 0x48, 0x0d, 6);
	CFI_FDE(writer, cie, 0x1018, 0x100, 0x0f, 4, 0x77, 8, 0x23, 0, 0x0a, 0x44, 0x0b);
	CFI_FDE(writer, cie, 0x1118, 0x200, 0x0e, 24, 0x83, 3);
	return (struct event_text){(const char *)writer->bytes.items, (uint32_t)writer->bytes.count};
}

static inline void seeds_add_unwound(struct event_log *log)
{
	struct event machine = {.kind = EVENT_META, .meta = {syn_text("machine"), syn_text("x86_64")}};
	struct event_segment segment = {0, 0, SYN_MODULE_SIZE, SYN_MODULE_SIZE, 5};
	struct event_embed_module module = {2, EMBED_FULL, 62, 1, &segment};
	struct cfi_writer writer = {0};
	struct event_embed_unwind frames = {.module = 2, .section = UNWIND_EH_FRAME, .address = CFI_AT};

	frames.bytes = seeds_eh_frame(&writer);
	frames.size = frames.bytes.length;
	if (event_log_add(log, &machine) < 0 || syn_add(log, 0, 6) < 0)
		abort();
	kinds_add_snapshots(log);
	if (event_log_add_embed_module(log, &module) < 0 || event_log_add_embed_unwind(log, &frames) < 0)
		abort();
	array_free(&writer.bytes);
}

static inline void seeds_add(struct mutant_scene *scene, struct mutant *seeds, const uint8_t *bytes, size_t length)
{
	if (scene->seed_count < MUTANT_SEEDS)
		mutant_load(&seeds[scene->seed_count++], bytes, length);
}

static inline bool piece_has_record(const struct mutant_piece *piece, uint64_t kind)
{
	struct mutant_record record = {0};

	if (piece->kind != MUTANT_CHUNK)
		return false;
	for (size_t i = 0; mutant_find_record(piece, i, &record) == i + 1; i++)
		if (piece->payload[record.body] == kind)
			return true;
	return false;
}

static inline bool seeds_have_record(const struct mutant_scene *scene, uint64_t kind)
{
	for (size_t i = 0; i < scene->seed_count; i++)
		for (size_t k = 0; k < scene->seeds[i].count; k++)
			if (piece_has_record(&scene->seeds[i].pieces[k], kind))
				return true;
	return false;
}

static inline bool seeds_have_chunk(const struct mutant_scene *scene, unsigned int type)
{
	for (size_t i = 0; i < scene->seed_count; i++)
		for (size_t k = 0; k < scene->seeds[i].count; k++)
			if (scene->seeds[i].pieces[k].kind == MUTANT_CHUNK &&
			    scene->seeds[i].pieces[k].chunk.type == type)
				return true;
	return false;
}

/* Small ones are preferred to files: they give more mutants per second, and a change is a larger part of them. */
static inline void seeds_add_made(struct mutant_scene *scene, struct mutant *seeds)
{
	struct memory_io made[] = {kinds_trace(kinds_add_everything), kinds_trace(kinds_add_found),
				   kinds_trace(kinds_add_snapshots), kinds_trace(seeds_add_unwound),
				   syn_trace(24, 8, true), syn_trace(6, 3, false)};

	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
		for (int times = 0; times < MUTANT_TIMES; times++)
			seeds_add(scene, seeds, made[i].bytes, made[i].length);
		memory_io_close(&made[i]);
	}
	for (uint64_t kind = 0; kind < 128; kind++)
		mutant_need(!event_layout_find(kind) || seeds_have_record(scene, kind), "a kind of record is missing");
	for (unsigned int type = RWK_CHUNK_STATE; type <= RWK_CHUNK_NAMES; type++)
		mutant_need(seeds_have_chunk(scene, type), "a type of chunk is missing");
}

static inline void seeds_add_file(struct mutant_scene *scene, struct mutant *seeds, const char *path)
{
	static uint8_t bytes[1 << 20];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));

	if (length <= 0 || length == (ssize_t)sizeof(bytes)) {
		fprintf(stderr, "mutants: cannot use '%s'\n", path);
		exit(2);
	}
	seeds_add(scene, seeds, bytes, (size_t)length);
	close(fd);
}
