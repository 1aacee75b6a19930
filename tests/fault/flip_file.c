/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * flip_file TRACE COUNT: flips bits of a closed trace behind its file header, one at a time, knowing
 * about it only what can be read from the undamaged file. After each flip, all chunks must still be
 * there as they were, except one, or two if a header was hit; and the damage must be reported.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "format/crc32c.h"
#include "format/event_decoder.h"
#include "format/trace_reader.h"
#include "tests/fault/memory_file.h"
#include "tests/random.h"

enum { CHUNKS = 4096, HEADER = 64 };

struct content {
	int error;
	size_t chunks;	     /* read, with all their records */
	uint64_t sums[CHUNKS]; /* of their numbers and payloads, in order */
	size_t malformed;
	struct trace_damage damage;
};

static void add_chunk(struct content *content, struct event_decoder *decoder, const struct trace_chunk *chunk,
		      const uint8_t *payload)
{
	uint32_t length = chunk->header.raw_size;
	struct event event;
	int r = 0;

	event_decoder_start(decoder, payload, chunk->header.type == RWK_CHUNK_INDEX ? 0 : length);
	while ((r = event_decoder_next(decoder, &event)) == 1)
		;
	content->malformed += r < 0;
	if (!r && content->chunks < CHUNKS)
		content->sums[content->chunks++] = chunk->header.sequence << 32 | crc32c(0, payload, length);
}

static void read_chunks(struct trace_reader *reader, struct content *content)
{
	struct event_decoder *decoder = NULL;
	const struct trace_chunk *chunks;

	if (event_decoder_create(&decoder) < 0)
		abort();
	for (size_t i = 0, count = trace_reader_chunks(reader, &chunks); i < count; i++) {
		uint8_t *payload = malloc(chunks[i].header.raw_size + 1);

		if (!payload)
			abort();
		if (trace_reader_load(reader, &chunks[i], payload) >= 0)
			add_chunk(content, decoder, &chunks[i], payload);
		free(payload);
	}
	event_decoder_destroy(decoder);
}

static void read_trace(struct memory_io *m, struct content *content)
{
	struct trace_reader *reader = NULL;

	content->chunks = content->malformed = 0;
	content->damage = (struct trace_damage){0};

	memory_io_open(m);
	content->error = trace_reader_create(&m->io, 3, &reader);
	if (!content->error) {
		read_chunks(reader, content);
		trace_reader_damage(reader, &content->damage);
	}
	trace_reader_destroy(reader);
}

static int load_file(const char *path, struct memory_io *m)
{
	int fd = open(path, O_RDONLY);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);

	*m = memory_io_over(size > 0 ? malloc((size_t)size) : NULL, size > 0 ? (size_t)size : 0);
	if (!m->bytes || pread(fd, m->bytes, m->length, 0) != (ssize_t)m->length)
		return -1;
	return close(fd);
}

/* How many chunks of the whole trace are not there any more. */
static size_t missing(const struct content *whole, const struct content *now)
{
	size_t found = 0;

	for (size_t i = 0; i < whole->chunks && found < now->chunks; i++)
		found += whole->sums[i] == now->sums[found];
	return found < now->chunks ? whole->chunks : whole->chunks - found;
}

static bool is_good(const struct content *whole, const struct content *now)
{
	return !now->error && !now->malformed && missing(whole, now) <= 2 &&
	       (now->damage.chunks || now->damage.bytes) && now->damage.chunks <= 2;
}

int main(int argc, char **argv)
{
	unsigned long count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, bad = 0;
	struct random random = random_make(3);
	static struct content whole, now;
	struct memory_io m;

	if (!count || load_file(argv[1], &m) < 0) {
		fprintf(stderr, "flip_file: TRACE COUNT\n");
		return 2;
	}
	read_trace(&m, &whole);
	if (whole.error || whole.damage.chunks || whole.damage.bytes || whole.damage.torn_tail)
		bad++;
	for (unsigned long i = 0; i < count && bad < 10; i++) {
		size_t byte = HEADER + random_below(&random, m.length - HEADER);
		unsigned int bit = (unsigned int)random_below(&random, 8);

		m.bytes[byte] ^= (uint8_t)(1 << bit);
		read_trace(&m, &now);
		m.bytes[byte] ^= (uint8_t)(1 << bit);
		if (is_good(&whole, &now))
			continue;
		printf("# byte %zu bit %u: error %d, %zu of %zu chunks missing, %zu malformed, %llu damaged\n",
		       byte, bit, now.error, missing(&whole, &now), whole.chunks, now.malformed,
		       (unsigned long long)now.damage.chunks);
		bad++;
	}
	memory_io_close(&m);
	return bad ? 1 : 0;
}
