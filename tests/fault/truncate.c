/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A trace cut at every byte: all chunks that are whole are there, decoded and named, nothing else, and a cut is never
 * taken for damage. What is whole is worked out here from the headers, without the reader.
 */
#include "format/chunk.h"
#include "tests/fault/level.h"
#include "tests/fault/synthetic_check.h"
#include "tests/fault/synthetic_trace.h"
#include "tests/test.h"

enum { PER_CHUNK = 20, HEADER = 64, TRAILER = 32, MAX_CHUNKS = 1000 };

struct whole {
	size_t end;	/* of the chunk */
	size_t samples; /* up to there */
};

static size_t list_chunks(const struct memory_io *m, bool closed, struct whole *chunks)
{
	size_t at = HEADER, count = 0, samples = 0;

	while (at + (closed ? TRAILER : 0) < m->length && count < MAX_CHUNKS) {
		const struct rwk_chunk_header *header = (const void *)(m->bytes + at);

		at += rwk_chunk_length(header);
		samples += header->type == RWK_CHUNK_EVENTS ? PER_CHUNK : 0;
		chunks[count++] = (struct whole){at, samples};
	}
	return count;
}

static void check_cut(struct test *t, const struct memory_io *whole, const struct whole *chunks, size_t count,
		      size_t cut)
{
	uint8_t *bytes = malloc(cut + 1); /* of the very size: a read behind it is seen by ASan */
	struct memory_io m;
	struct syn_found found;
	size_t complete = 0;

	if (!bytes)
		abort();
	memcpy(bytes, whole->bytes, cut);
	m = memory_io_over(bytes, cut);
	memory_io_open(&m);
	syn_check(&m.io, 3, &found);
	while (complete < count && chunks[complete].end <= cut)
		complete++;
	if (cut < HEADER) {
		test_check(t, found.error == -ENODATA, "cut at %zu: %d", cut, found.error);
	} else {
		size_t samples = complete ? chunks[complete - 1].samples : 0;

		test_check(t, !found.error && found.chunks == complete && found.samples == samples,
			   "cut at %zu: error %d, %zu of %zu chunks, %zu of %zu samples", cut, found.error, found.chunks,
			   complete, found.samples, samples);
		test_check(t, !found.wrong && !found.unnamed && !found.malformed, "cut at %zu: %zu samples wrong, %zu unnamed",
			   cut, found.wrong, found.unnamed);
		test_check(t, !found.damage.bytes && !found.damage.chunks, "cut at %zu: taken for damage", cut);
		test_check(t, found.closed == (cut == whole->length && whole->nth), "cut at %zu: closed", cut);
	}
	free(bytes);
}

static void run(struct test *t, uint32_t samples, bool closed)
{
	struct memory_io m = syn_trace(samples, PER_CHUNK, closed);
	static struct whole chunks[MAX_CHUNKS];
	size_t count = list_chunks(&m, closed, chunks);

	m.nth = closed; /* not used for a fault here: says whether the whole trace is closed */
	for (size_t cut = 0; cut <= m.length; cut++)
		check_cut(t, &m, chunks, count, cut);
	printf("# %zu cuts of a trace of %zu chunks and %u samples\n", m.length + 1, count, samples);
	memory_io_close(&m);
}

static void a_closed_trace_cut_at_every_byte(struct test *t)
{
	run(t, (uint32_t)level_choose(200, 600), true);
}

static void an_open_trace_cut_at_every_byte(struct test *t)
{
	run(t, (uint32_t)level_choose(100, 300), false);
}

TEST_MAIN(TEST(a_closed_trace_cut_at_every_byte), TEST(an_open_trace_cut_at_every_byte))
