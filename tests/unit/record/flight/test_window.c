/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The last chunks, by age and by bytes; groups leave whole and in order, and bytes stay what they were. */
#include "record/flight/window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/chunk.h"
#include "tests/test.h"

enum { STEPS = 1000, LOOK = 50, BYTES = 8 << 20 };

#define SECOND UINT64_C(1000000000)

struct left {
	size_t chunks;
	uint64_t sequence; /* of the last one */
	bool in_order, spoiled;
};

/* Each chunk's bytes follow from its number. */
static void fill(uint8_t *bytes, size_t length, uint64_t sequence)
{
	for (size_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)(sequence * 31 + i);
}

static bool is_whole(const struct rwk_chunk_header *header, const void *stored)
{
	size_t length = rwk_chunk_stored_length(header);
	uint8_t *expected = malloc(length);
	bool same;

	fill(expected, length, header->sequence);
	same = !memcmp(expected, stored, length);
	free(expected);
	return same;
}

static void leaves(void *context, const struct rwk_chunk_header *header, const void *stored)
{
	struct left *left = context;

	left->in_order &= !left->chunks || header->sequence == left->sequence + 1;
	left->spoiled |= !is_whole(header, stored);
	left->sequence = header->sequence;
	left->chunks++;
}

static struct window *open_window(struct left *left, uint64_t age)
{
	const struct window_settings settings = {.age = age, .bytes = BYTES, .context = left, .leaves = leaves};
	struct window *window = NULL;

	*left = (struct left){.in_order = true};
	return window_create(&settings, &window) < 0 ? NULL : window;
}

static void add(struct window *window, uint64_t sequence, enum rwk_chunk_type type, uint64_t time, uint32_t length)
{
	struct rwk_chunk_header header = {.type = (uint16_t)type, .sequence = sequence, .stored_size = length,
					  .raw_size = length, .first_time = time, .last_time = time + 1};
	uint8_t *stored = malloc(rwk_chunk_stored_length(&header));

	fill(stored, rwk_chunk_stored_length(&header), sequence);
	window_add(window, &header, stored);
	free(stored);
}

/* What it holds: consecutive chunks, whole, that begin with `type`. */
static bool holds(const struct window *window, uint64_t first, size_t count, enum rwk_chunk_type type)
{
	struct window_chunk chunk;
	size_t cursor = 0, seen = 0;

	while (window_next(window, &cursor, &chunk)) {
		if (chunk.header->sequence != first + seen || !is_whole(chunk.header, chunk.stored) ||
		    (!seen && chunk.header->type != type))
			return false;
		seen++;
	}
	return seen == count;
}

static void groups_leave_by_age(struct test *t)
{
	struct left left;
	struct window *window = open_window(&left, 5 * SECOND);
	uint64_t sequence = 0;

	REQUIRE(t, window);
	for (uint64_t second = 1; second <= 10; second++) {
		add(window, sequence++, RWK_CHUNK_STATE, second * SECOND, 100);
		add(window, sequence++, RWK_CHUNK_EVENTS, second * SECOND, 1000);
		add(window, sequence++, RWK_CHUNK_EVENTS, second * SECOND + SECOND / 2, 1000);
	}
	window_advance(window, 10 * SECOND + SECOND / 2); /* what is younger than 5.5 s stays, with its group */
	CHECK_INT(t, left.chunks, 12);
	CHECK(t, left.in_order && !left.spoiled && holds(window, 12, 18, RWK_CHUNK_STATE));
	window_advance(window, 100 * SECOND); /* the last group may not be whole */
	CHECK(t, holds(window, 27, 3, RWK_CHUNK_STATE));
	window_destroy(window);
}

static void state_without_events_leaves_too(struct test *t)
{
	struct left left;
	struct window *window = open_window(&left, 5 * SECOND);

	REQUIRE(t, window);
	for (uint64_t second = 1; second <= 20; second++)
		add(window, second, RWK_CHUNK_STATE, second * SECOND, 100);
	window_advance(window, 20 * SECOND);
	CHECK_INT(t, left.chunks, 12); /* older than the window by the time that an event may be late */
	CHECK(t, holds(window, 13, 8, RWK_CHUNK_STATE));
	window_destroy(window);
}

/* Around the ring many times, with chunks of all lengths. Each is compared when it leaves; the others, now and then. */
static void bytes_are_bounded(struct test *t)
{
	struct left left;
	struct window *window = open_window(&left, 1000 * SECOND);
	struct window_span span;
	uint64_t random = 1, most = 0;

	REQUIRE(t, window);
	for (uint64_t i = 0; i < STEPS; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		add(window, i, i % 3 ? RWK_CHUNK_EVENTS : RWK_CHUNK_STATE, i, 1 + (uint32_t)(random >> 33) % 300000);
		window_span(window, &span);
		most = span.bytes > most ? span.bytes : most;
		if (left.spoiled || !left.in_order ||
		    (i % LOOK == LOOK - 1 && !holds(window, left.chunks, span.chunks, RWK_CHUNK_STATE)))
			break;
	}
	CHECK(t, left.in_order && !left.spoiled);
	CHECK_INT(t, left.chunks + span.chunks, STEPS);
	CHECK(t, most <= BYTES && most > BYTES / 4 * 3);
	window_destroy(window);
}

static void its_span_is_that_of_events(struct test *t)
{
	struct left left;
	struct window *window = open_window(&left, 5 * SECOND);
	struct window_span span;

	REQUIRE(t, window);
	window_span(window, &span);
	CHECK(t, !span.first && !span.last && !span.chunks);
	add(window, 0, RWK_CHUNK_STATE, 7, 100);
	add(window, 1, RWK_CHUNK_EVENTS, 9, 100);
	add(window, 2, RWK_CHUNK_EVENTS, 8, 100);
	window_span(window, &span);
	CHECK_INT(t, span.first, 8);
	CHECK_INT(t, span.last, 10);
	window_destroy(window);
}

/* Sampling and waits may pause, or nothing may happen: that is not the end of the window. */
static void it_holds_time_without_events(struct test *t)
{
	struct left left;
	struct window *window = open_window(&left, 60 * SECOND);

	REQUIRE(t, window);
	CHECK_INT(t, window_since(window, 50 * SECOND, 80 * SECOND), 50 * SECOND); /* all of it, though it is empty */
	add(window, 0, RWK_CHUNK_STATE, 100 * SECOND, 100);
	add(window, 1, RWK_CHUNK_EVENTS, 100 * SECOND, 100);
	CHECK_INT(t, window_since(window, 50 * SECOND, 105 * SECOND), 50 * SECOND);
	for (uint64_t second = 110; second <= 300; second += 10) /* a pause: clocks are still read */
		add(window, second, RWK_CHUNK_STATE, second * SECOND, 100);
	window_advance(window, 150 * SECOND);
	CHECK_INT(t, window_since(window, 50 * SECOND, 150 * SECOND), 90 * SECOND);
	window_advance(window, 300 * SECOND);
	CHECK_INT(t, left.chunks, 15); /* the events, and state more than two seconds older than 240 s */
	CHECK_INT(t, window_since(window, 50 * SECOND, 300 * SECOND), 240 * SECOND);
	add(window, 400, RWK_CHUNK_EVENTS, 299 * SECOND, 100);
	CHECK_INT(t, window_since(window, 50 * SECOND, 300 * SECOND), 240 * SECOND);
	CHECK_INT(t, window_since(window, 50 * SECOND, 400 * SECOND), 299 * SECOND); /* what is older than asked for */
	window_destroy(window);
}

/* It is shorter than it should be where there was no room, and begins after what had to leave. */
static void it_begins_after_what_left_for_lack_of_room(struct test *t)
{
	struct left left;
	struct window *window = open_window(&left, 1000 * SECOND);
	struct window_span span;

	REQUIRE(t, window);
	for (uint64_t second = 1; second <= 100; second++) {
		add(window, 2 * second, RWK_CHUNK_STATE, second * SECOND, 100);
		add(window, 2 * second + 1, RWK_CHUNK_EVENTS, second * SECOND, BYTES / 20);
	}
	window_span(window, &span);
	CHECK(t, span.left > 70 * SECOND && span.left < span.first);
	CHECK_INT(t, window_since(window, SECOND, 101 * SECOND), span.left + 1);
	window_destroy(window);
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

/* Must run first: memory that an earlier window used would not be counted. */
static void its_memory_is_there_at_once(struct test *t)
{
	struct left left;
	long before = resident_bytes();
	struct window *window = open_window(&left, SECOND);

	REQUIRE(t, window);
	CHECK(t, resident_bytes() - before >= BYTES);
	window_destroy(window);
}

TEST_MAIN(TEST(its_memory_is_there_at_once), TEST(it_holds_time_without_events),
	  TEST(it_begins_after_what_left_for_lack_of_room), TEST(groups_leave_by_age),
	  TEST(state_without_events_leaves_too), TEST(bytes_are_bounded), TEST(its_span_is_that_of_events))
