/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Any bytes as a trace file. Checksums would keep mutations from the code behind them, so the input
 * is used twice: as it is, and with every checksum corrected where a struct begins with its magic.
 */
#include <stdlib.h>
#include <string.h>

#include "format/chunk.h"
#include "format/crc32c.h"
#include "format/event_decoder.h"
#include "format/trace_reader.h"
#include "tests/fault/memory_io.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void decode(struct event_decoder *decoder, const void *payload, size_t length)
{
	struct event event;

	event_decoder_start(decoder, payload, length);
	while (event_decoder_next(decoder, &event) == 1)
		;
}

static void read_all(struct trace_reader *reader, struct event_decoder *decoder)
{
	const struct trace_chunk *chunks;
	size_t count = trace_reader_chunks(reader, &chunks);
	struct trace_damage damage;

	for (size_t i = 0; i < count; i++) {
		uint8_t *payload = malloc(chunks[i].header.raw_size + 1);

		if (payload && trace_reader_load(reader, &chunks[i], payload) >= 0)
			decode(decoder, payload, chunks[i].header.raw_size);
		free(payload);
	}
	trace_reader_damage(reader, &damage);
}

static void read_trace(uint8_t *bytes, size_t length)
{
	struct memory_io m = memory_io_over(bytes, length);
	struct event_decoder *decoder = NULL;
	struct trace_reader *reader = NULL;

	memory_io_open(&m);
	if (trace_reader_create(&m.io, 3, &reader) >= 0 && event_decoder_create(&decoder) >= 0)
		read_all(reader, decoder);
	event_decoder_destroy(decoder);
	trace_reader_destroy(reader);
}

/*
 * Corrects the checksums of everything that begins with a magic, in order, with the seed of the
 * preceding file header.
 */
static void make_right(uint8_t *bytes, size_t length)
{
	uint32_t seed = 0;

	for (size_t at = 0; at + sizeof(struct rwk_file_header) <= length; at++) {
		struct rwk_file_header file;
		struct rwk_chunk_header chunk;
		size_t left = length - at;

		memcpy(&file, bytes + at, sizeof(file));
		memcpy(&chunk, bytes + at, sizeof(chunk));
		if (!memcmp(file.magic, RWK_MAGIC, 8)) {
			seed = file.crc = crc32c(0, &file, offsetof(struct rwk_file_header, crc));
			memcpy(bytes + at, &file, sizeof(file));
		} else if (!memcmp(chunk.magic, RWK_CHUNK_MAGIC, 4)) {
			size_t stored = (chunk.stored_size + (size_t)7) & ~(size_t)7;

			if (stored <= left - sizeof(chunk))
				chunk.payload_crc = crc32c(0, bytes + at + sizeof(chunk), stored);
			rwk_chunk_header_seal(&chunk, seed);
			memcpy(bytes + at, &chunk, sizeof(chunk));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	uint8_t *copy = malloc(length + 1);

	if (!copy)
		return 0;
	memcpy(copy, bytes, length);
	read_trace(copy, length);
	make_right(copy, length);
	read_trace(copy, length);
	free(copy);
	return 0;
}
