/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A trace truncated at every byte; at the check level, at every byte of its header and around the
 * begin of each chunk, and at every ninth of all others. All complete chunks are there, as they were
 * written and named, and nothing else, and a truncation is never reported as damage. Which chunks are complete
 * is computed here from the headers, without the reader.
 */
#include "format/chunk.h"
#include "tests/fault/level.h"
#include "tests/fault/steps.h"
#include "tests/test.h"

enum { PER_CHUNK = 8, HEADER = sizeof(struct rwk_file_header), TRAILER = sizeof(struct rwk_trailer), MAX_CHUNKS = 1000 };
enum { BEFORE = 8, AFTER = sizeof(struct rwk_chunk_header) }; /* bytes around where a chunk begins */

struct whole {
	size_t end;   /* of the chunk */
	size_t steps; /* up to there */
};

static size_t list_chunks(const struct memory_io *m, bool closed, struct whole *chunks)
{
	size_t at = HEADER, count = 0, steps = 0;

	while (at + (closed ? TRAILER : 0) < m->length && count < MAX_CHUNKS) {
		const struct rwk_chunk_header *header = (const void *)(m->bytes + at);

		at += rwk_chunk_length(header);
		steps += header->type == RWK_CHUNK_EVENTS ? PER_CHUNK : 0;
		chunks[count++] = (struct whole){at, steps};
	}
	return count;
}

static void check_cut(struct test *t, const struct memory_io *whole, const struct steps_whole *steps,
		      const struct whole *chunks, size_t count, size_t cut)
{
	uint8_t *bytes = malloc(cut + 1); /* the exact size: ASan reports reads beyond it */
	struct memory_io m;
	struct steps_found found;
	size_t complete = 0;

	if (!bytes)
		abort();
	memcpy(bytes, whole->bytes, cut);
	m = memory_io_over(bytes, cut);
	memory_io_open(&m);
	found = steps_check(&m.io, 3, steps);
	while (complete < count && chunks[complete].end <= cut)
		complete++;
	if (cut < HEADER) {
		test_check(t, found.error == -ENODATA, "cut at %zu: %d", cut, found.error);
	} else {
		size_t want = complete ? chunks[complete - 1].steps : 0;

		test_check(t, !found.error && found.chunks == complete && found.steps == want,
			   "cut at %zu: error %d, %zu of %zu chunks, %zu of %zu steps", cut,
			   found.error, found.chunks, complete, found.steps, want);
		test_check(t, steps_is_faultless(&found),
			   "cut at %zu: %zu chunks wrong, %zu unnamed", cut, found.wrong, found.unnamed);
		test_check(t, !found.damage.bytes && !found.damage.chunks, "cut at %zu: taken for damage", cut);
		test_check(t, found.closed == (cut == whole->length && whole->nth), "cut at %zu: closed", cut);
	}
	free(bytes);
}

static size_t next_cut(const struct whole *chunks, size_t count, size_t cut, size_t step)
{
	if (cut <= HEADER + AFTER)
		return cut + 1;
	for (size_t i = 0; i < count; i++)
		if (cut + step + BEFORE > chunks[i].end && cut <= chunks[i].end + AFTER)
			return cut + 1;
	return cut + step;
}

static void run(struct test *t, uint32_t steps, bool closed)
{
	size_t step = level_choose(9, 1), cuts = 0;
	struct memory_io m = steps_trace(steps, PER_CHUNK, closed);
	static struct whole chunks[MAX_CHUNKS];
	size_t count = list_chunks(&m, closed, chunks);
	struct steps_whole whole = steps_whole_make(steps, PER_CHUNK);

	m.nth = closed; /* no fault here: it says whether the whole trace is closed */
	for (size_t cut = 0; cut <= m.length; cut = next_cut(chunks, count, cut, step), cuts++)
		check_cut(t, &m, &whole, chunks, count, cut);
	printf("# %zu cuts of a trace of %zu chunks, %u steps and %zu bytes\n", cuts, count, steps, m.length);
	memory_io_close(&m);
	free(whole.chunks);
}

static void a_closed_trace_cut_at_every_byte(struct test *t)
{
	run(t, (uint32_t)level_choose(80, 240), true);
}

static void an_open_trace_cut_at_every_byte(struct test *t)
{
	run(t, (uint32_t)level_choose(40, 120), false);
}

TEST_MAIN(TEST(a_closed_trace_cut_at_every_byte), TEST(an_open_trace_cut_at_every_byte))
