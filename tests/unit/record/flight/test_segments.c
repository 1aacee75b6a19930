/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The last segments, by age and by bytes: they leave whole and in order, bytes stay what they were, mappings too. */
#include "record/flight/segments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/chunk.h"
#include "tests/test.h"

enum { STEPS = 3000, LOOK = 50, BYTES = 8 << 20, TGID = 7, CODE = 0x1000, LENGTH = 0x1000 };

#define SECOND UINT64_C(1000000000)

struct bench {
	struct address_spaces *spaces;
	struct segments *segments;
};

static bool bench_open(struct bench *bench, uint64_t age)
{
	*bench = (struct bench){0};
	return address_spaces_create(16, 256, &bench->spaces) >= 0 &&
	       segments_create(age, BYTES, &bench->segments) >= 0;
}

static void bench_close(struct bench *bench)
{
	segments_destroy(bench->segments);
	address_spaces_destroy(bench->spaces);
}

/* Each chunk's bytes follow from its number. */
static void fill(uint8_t *bytes, size_t length, uint64_t sequence)
{
	for (size_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)(sequence * 31 + i);
}

static bool is_whole(const struct segments_chunk *chunk)
{
	size_t length = rwk_chunk_stored_length(chunk->header);
	uint8_t *expected = malloc(length);
	bool same;

	fill(expected, length, chunk->header->sequence);
	same = !memcmp(expected, chunk->stored, length);
	free(expected);
	return same;
}

static void add(struct bench *bench, uint64_t sequence, uint32_t length)
{
	struct rwk_chunk_header header = {.type = RWK_CHUNK_EVENTS, .sequence = sequence, .stored_size = length,
					  .raw_size = length};
	uint8_t *stored = malloc(rwk_chunk_stored_length(&header));

	fill(stored, rwk_chunk_stored_length(&header), sequence);
	segments_add(bench->segments, &header, stored);
	free(stored);
}

/* It holds `before` chunks from 0 on, and then consecutive ones, whole, up to `last`. Returns the first of these. */
static uint64_t first_of(struct test *t, const struct bench *bench, size_t before, uint64_t last)
{
	struct segments_chunk chunk;
	uint64_t first = UINT64_MAX, next = 0;
	size_t cursor = 0;

	for (size_t number = 0; segments_next(bench->segments, &cursor, &chunk); number++) {
		if (number == before)
			first = next = chunk.header->sequence;
		CHECK(t, is_whole(&chunk) && chunk.header->sequence == next);
		next++;
	}
	CHECK_INT(t, next, last + 1);
	return first;
}

static int count_mapping(void *context, uint32_t tgid, const struct mapping *mapping)
{
	uint64_t *start = context;

	*start = tgid == TGID ? mapping->start : 0;
	return 0;
}

static uint64_t mapped_since(const struct bench *bench)
{
	uint64_t start = 0;

	(void)segments_each_mapping(bench->segments, count_mapping, &start);
	return start;
}

/* The process maps another program, in place of the one that it had. */
static void execute(struct bench *bench, uint64_t number)
{
	const struct mapping mapping = {.start = number * CODE, .end = number * CODE + LENGTH, .module = 1};

	(void)address_spaces_exec(bench->spaces, TGID);
	(void)address_spaces_map(bench->spaces, TGID, &mapping);
}

static void they_leave_by_age(struct test *t)
{
	struct bench bench;
	uint64_t sequence = 0;

	REQUIRE(t, bench_open(&bench, 5 * SECOND));
	add(&bench, sequence++, 100); /* from before the first segment: for good */
	add(&bench, sequence++, 50);
	CHECK_INT(t, segments_since(bench.segments), 0);
	for (uint64_t second = 1; second <= 100; second++) {
		CHECK(t, segments_are_due(bench.segments, second * SECOND));
		execute(&bench, second);
		segments_begin(bench.segments, bench.spaces, second * SECOND);
		CHECK(t, !segments_are_due(bench.segments, second * SECOND + SECOND / 2));
		add(&bench, sequence++, 1000);
		add(&bench, sequence++, 100);
	}
	CHECK_INT(t, segments_since(bench.segments), 95 * SECOND); /* at least the last 5 s */
	CHECK_INT(t, first_of(t, &bench, 2, sequence - 1), 2 + 2 * 94);
	CHECK_INT(t, mapped_since(&bench), 95 * CODE);
	CHECK(t, segments_bytes(bench.segments) > 6 * 1100 && segments_bytes(bench.segments) < 6 * 1200);
	bench_close(&bench);
}

/* Around the ring many times, with chunks of all lengths. */
static void bytes_are_bounded(struct test *t)
{
	struct address_spaces_usage usage;
	uint64_t random = 1, most = 0;
	struct bench bench;

	REQUIRE(t, bench_open(&bench, 1000 * SECOND));
	add(&bench, 0, 100);
	for (uint64_t i = 1; i < STEPS; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		if (segments_are_due(bench.segments, i)) {
			execute(&bench, i);
			segments_begin(bench.segments, bench.spaces, i);
		}
		add(&bench, i, 1 + (uint32_t)(random >> 33) % 300000);
		most = segments_bytes(bench.segments) > most ? segments_bytes(bench.segments) : most;
		if (i % LOOK == LOOK - 1)
			CHECK(t, first_of(t, &bench, 1, i) >= mapped_since(&bench) / CODE);
	}
	CHECK(t, most <= BYTES && most > BYTES / 4 * 3);
	CHECK_INT(t, mapped_since(&bench), segments_since(bench.segments) * CODE);
	address_spaces_usage(bench.spaces, &usage);
	CHECK(t, usage.nodes < 16); /* what has left keeps nothing */
	bench_close(&bench);
}

/* A burst that is larger than all of it, before the session can begin another segment: what is left makes no sense. */
static void a_burst_leaves_a_gap(struct test *t)
{
	struct segments_chunk chunk;
	struct bench bench;
	size_t cursor = 0;

	REQUIRE(t, bench_open(&bench, 1000 * SECOND));
	segments_begin(bench.segments, bench.spaces, 1);
	for (uint64_t i = 0; i < 100; i++)
		add(&bench, i, 250000);
	CHECK(t, !segments_next(bench.segments, &cursor, &chunk) && segments_are_due(bench.segments, 2));
	execute(&bench, 2);
	segments_begin(bench.segments, bench.spaces, 2);
	add(&bench, 200, 1000);
	CHECK_INT(t, segments_since(bench.segments), 2);
	CHECK_INT(t, first_of(t, &bench, 0, 200), 200);
	CHECK_INT(t, mapped_since(&bench), 2 * CODE);
	bench_close(&bench);
}

static long resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	long size = 0, resident = 0;

	if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2)
		abort();
	(void)fclose(file);
	return resident * sysconf(_SC_PAGESIZE);
}

/* Must run first: memory that others used would not be counted. */
static void their_memory_is_there_at_once(struct test *t)
{
	long before = resident_bytes();
	struct bench bench;

	REQUIRE(t, bench_open(&bench, SECOND));
	CHECK(t, resident_bytes() - before >= BYTES);
	bench_close(&bench);
}

TEST_MAIN(TEST(their_memory_is_there_at_once), TEST(they_leave_by_age), TEST(bytes_are_bounded),
	  TEST(a_burst_leaves_a_gap))
