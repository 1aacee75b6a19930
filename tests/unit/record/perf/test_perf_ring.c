/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The reading end of a perf ring against one that is filled by hand: every record once, whole and in order. */
#include "record/perf/perf_ring.h"

#include "tests/test.h"
#include "tests/unit/record/made_perf_ring.h"

enum { BYTES = 4096, WORDS = 10 };

static void put(struct perf_ring *ring, uint64_t number, uint16_t words)
{
	uint64_t record[WORDS] = {0};
	const struct perf_event_header header = {.type = PERF_RECORD_COMM,
						 .size = (uint16_t)(words * sizeof(record[0]))};

	for (uint16_t i = 1; i < words; i++)
		record[i] = number + i;
	memcpy(record, &header, sizeof(header));
	made_perf_ring_put(ring, record, words);
}

/* The next record; its words are counted up from `number`. */
static void check_next(struct test *t, struct perf_ring *ring, uint64_t number, uint16_t words)
{
	const struct perf_event_header *header = perf_ring_peek(ring);
	uint64_t record[WORDS];

	REQUIRE(t, header);
	CHECK(t, perf_ring_peek(ring) == header); /* as often as one likes */
	REQUIRE(t, header->size == words * sizeof(record[0]));
	memcpy(record, header, header->size);
	for (uint16_t i = 1; i < words; i++)
		CHECK_INT(t, record[i], number + i);
	perf_ring_next(ring);
}

static void records_come_in_order_and_give_their_room_back(struct test *t)
{
	struct perf_ring ring;

	made_perf_ring_open(&ring, BYTES);
	perf_ring_look(&ring);
	CHECK(t, !perf_ring_peek(&ring));
	CHECK_INT(t, perf_ring_room(&ring), BYTES);
	put(&ring, 100, 3);
	CHECK(t, !perf_ring_peek(&ring)); /* nobody looked */
	perf_ring_look(&ring);
	put(&ring, 200, 5); /* for the next look */
	CHECK_INT(t, perf_ring_room(&ring), BYTES - 24);
	check_next(t, &ring, 100, 3);
	CHECK(t, !perf_ring_peek(&ring));
	CHECK_INT(t, ring.page->data_tail, 24);
	perf_ring_look(&ring);
	check_next(t, &ring, 200, 5);
	CHECK_INT(t, perf_ring_room(&ring), BYTES);
	perf_ring_close(&ring);
}

static void a_record_may_lie_across_the_end(struct test *t)
{
	struct perf_ring ring;
	unsigned int across = 0;

	made_perf_ring_open(&ring, BYTES);
	for (uint64_t number = 0; number < 2000; number++) {
		uint16_t words = (uint16_t)(2 + number % (WORDS - 1));

		across += ring.page->data_head % BYTES + words * sizeof(uint64_t) > BYTES;
		put(&ring, number << 8, words);
		perf_ring_look(&ring);
		check_next(t, &ring, number << 8, words);
	}
	CHECK(t, across > 2);
	CHECK(t, !perf_ring_peek(&ring));
	perf_ring_close(&ring);
}

/* Nothing behind it can be found: it is given up, and what comes later is read. */
static void what_is_no_record_ends_what_was_there(struct test *t)
{
	static const uint16_t sizes[] = {0, 7, 48, UINT16_MAX}; /* less than a header; more than there is */
	struct perf_ring ring;

	made_perf_ring_open(&ring, BYTES);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct perf_event_header header = {.type = PERF_RECORD_COMM, .size = sizes[i]};
		uint64_t words[5] = {0};

		put(&ring, 100, 3);
		memcpy(words, &header, sizeof(header));
		made_perf_ring_put(&ring, words, 5);
		perf_ring_look(&ring);
		check_next(t, &ring, 100, 3);
		CHECK(t, !perf_ring_peek(&ring));
		CHECK(t, ring.page->data_tail == ring.page->data_head);
		put(&ring, 300, 4);
		perf_ring_look(&ring);
		check_next(t, &ring, 300, 4);
	}
	perf_ring_close(&ring);
}

TEST_MAIN(TEST(records_come_in_order_and_give_their_room_back), TEST(a_record_may_lie_across_the_end),
	  TEST(what_is_no_record_ends_what_was_there))
