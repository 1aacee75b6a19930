/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One flipped bit anywhere in a trace: no crash (under ASan and UBSan), at most one chunk lost (two
 * if a header is hit), the rest as it was written, and named unless the chunk had the names; damage always
 * reported; without a valid file header, nothing is read. Then smears of random bytes: no crash, no
 * wrong data accepted, damage always reported.
 */
#include "format/chunk.h"
#include "tests/fault/level.h"
#include "tests/fault/steps.h"
#include "tests/test.h"

enum { STEPS = 80, PER_CHUNK = 4, HEADER = sizeof(struct rwk_file_header) };

static struct steps_found read_back(struct memory_io *m, const struct steps_whole *whole)
{
	memory_io_open(m);
	return steps_check(&m->io, 3, whole);
}

/* The chunk that the byte is in; NULL: in none. */
static const struct rwk_chunk_header *chunk_at(const struct memory_io *m, size_t byte)
{
	const struct rwk_chunk_header *header = NULL;

	for (size_t at = HEADER; at <= byte && at + sizeof(struct rwk_trailer) < m->length;
	     at += rwk_chunk_length(header))
		header = (const void *)(m->bytes + at);
	return header;
}

static void flip(struct test *t, struct memory_io *m, const struct steps_whole *whole, size_t byte, int bit)
{
	const struct rwk_chunk_header *header = chunk_at(m, byte);
	size_t lost = header && byte < (size_t)((const uint8_t *)(header + 1) - m->bytes) ? 2 : 1;
	bool names = header && header->type == RWK_CHUNK_STATE;
	struct steps_found found;

	m->bytes[byte] ^= (uint8_t)(1 << bit);
	found = read_back(m, whole);
	m->bytes[byte] ^= (uint8_t)(1 << bit);
	if (byte < HEADER) {
		test_check(t, found.error == -ENODATA, "byte %zu bit %d: error %d", byte, bit, found.error);
		return;
	}
	found.unnamed = names ? 0 : found.unnamed;
	test_check(t, steps_is_faultless(&found),
		   "byte %zu bit %d: error %d, %zu chunks wrong, %zu unnamed", byte, bit, found.error, found.wrong, found.unnamed);
	test_check(t, found.steps + lost * PER_CHUNK >= STEPS && found.damage.chunks <= lost,
		   "byte %zu bit %d: %zu steps left, %llu chunks damaged", byte, bit, found.steps,
		   (unsigned long long)found.damage.chunks);
	test_check(t, found.damage.chunks || found.damage.bytes, "byte %zu bit %d: silent", byte, bit);
}

static void one_bit_costs_one_chunk(struct test *t)
{
	unsigned long flips = level_choose(3000, 1000000);
	struct random random = random_make(2024);
	struct memory_io m = steps_trace(STEPS, PER_CHUNK, true);
	struct steps_whole steps = steps_whole_make(STEPS, PER_CHUNK);

	/* All bits at the places where damage is worst. */
	for (size_t bit = 0; bit < 8 * (HEADER + sizeof(struct rwk_chunk_header)); bit++)
		flip(t, &m, &steps, bit / 8, bit % 8);
	for (size_t bit = 0; bit < 8 * 32; bit++)
		flip(t, &m, &steps, m.length - 32 + bit / 8, bit % 8);
	for (unsigned long i = 0; i < flips; i++)
		flip(t, &m, &steps, random_below(&random, m.length), (int)random_below(&random, 8));
	printf("# %lu flips of a trace of %zu bytes\n", flips, m.length);
	memory_io_close(&m);
	free(steps.chunks);
}

static void a_smear_is_never_silent_nor_believed(struct test *t)
{
	unsigned long smears = level_choose(800, 200000);
	struct random random = random_make(7);
	struct memory_io m = steps_trace(STEPS, PER_CHUNK, true);
	struct steps_whole steps = steps_whole_make(STEPS, PER_CHUNK);
	uint8_t *whole = malloc(m.length);

	if (!whole)
		abort();
	memcpy(whole, m.bytes, m.length);
	for (unsigned long i = 0; i < smears; i++) {
		size_t length = 1 + random_below(&random, 64);
		size_t from = HEADER + random_below(&random, m.length - HEADER - length);
		struct steps_found found;

		for (size_t k = 0; k < length; k++)
			m.bytes[from + k] = (uint8_t)random_next(&random);
		found = read_back(&m, &steps);
		test_check(t, !found.error && !found.wrong,
			   "smear of %zu at %zu: %zu wrong", length,
			   from, found.wrong);
		test_check(t, found.damage.chunks || found.damage.bytes || !memcmp(m.bytes, whole, m.length),
			   "smear of %zu at %zu: silent", length, from);
		test_check(t, found.steps + 4 * PER_CHUNK >= STEPS, "smear of %zu at %zu: %zu steps left", length, from,
			   found.steps);
		memcpy(m.bytes + from, whole + from, length);
	}
	printf("# %lu smears of 1 to 64 bytes\n", smears);
	free(whole);
	memory_io_close(&m);
	free(steps.chunks);
}

TEST_MAIN(TEST(one_bit_costs_one_chunk), TEST(a_smear_is_never_silent_nor_believed))
