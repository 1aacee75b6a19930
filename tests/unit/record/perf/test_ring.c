/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The reading end of a BPF ring, on one laid out by hand as kernel/bpf/ringbuf.c does: a header of
 * length and flags before each record, records at multiples of 8, positions that only grow, data
 * mapped twice in a row.
 */
#include "record/perf/ring.h"

#include <linux/bpf.h>

#include "tests/test.h"

enum { SIZE = 256 };

struct fake {
	uint8_t data[2 * SIZE]; /* the second half mirrors the first */
	uint64_t consumer, producer;
	struct ring ring;
};

static void fake_init(struct fake *fake)
{
	memset(fake, 0, sizeof(*fake));
	fake->ring = (struct ring){
		.size = SIZE,
		.consumer = &fake->consumer,
		.producer = &fake->producer,
		.data = fake->data,
	};
}

static void put_byte(struct fake *fake, uint64_t at, uint8_t byte)
{
	fake->data[at % SIZE] = fake->data[at % SIZE + SIZE] = byte;
}

/* Like the kernel: header at the producer's position, then `length` bytes of `fill`. Returns where the header is. */
static uint64_t produce(struct fake *fake, uint32_t length, uint32_t flags, uint8_t fill)
{
	uint64_t at = fake->producer;
	uint32_t word = length | flags;

	for (size_t i = 0; i < sizeof(word); i++)
		put_byte(fake, at + i, (uint8_t)(word >> 8 * i));
	for (uint32_t i = 0; i < length; i++)
		put_byte(fake, at + BPF_RINGBUF_HDR_SZ + i, fill);
	fake->producer += (length + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
	return at;
}

static void check_record(struct test *t, struct fake *fake, size_t want_length, uint8_t want_fill)
{
	size_t length = 0;
	const uint8_t *record = ring_next(&fake->ring, &length);

	REQUIRE(t, record);
	CHECK_INT(t, length, want_length);
	for (size_t i = 0; i < length; i++)
		CHECK_INT(t, record[i], want_fill);
}

static void in_order_and_given_back(struct test *t)
{
	struct fake fake;
	size_t length;

	fake_init(&fake);
	(void)produce(&fake, 5, 0, 0xa1);
	(void)produce(&fake, 16, 0, 0xb2);
	CHECK(t, ring_aim(&fake.ring));
	check_record(t, &fake, 5, 0xa1);
	check_record(t, &fake, 16, 0xb2);
	CHECK(t, !ring_next(&fake.ring, &length));
	CHECK_INT(t, fake.consumer, 0); /* nothing is released before the batch is done */
	ring_release(&fake.ring);
	CHECK_INT(t, fake.consumer, fake.producer);
}

static void stops_at_the_target(struct test *t)
{
	struct fake fake;
	size_t length;

	fake_init(&fake);
	(void)produce(&fake, 8, 0, 1);
	CHECK(t, ring_aim(&fake.ring));
	(void)produce(&fake, 8, 0, 2); /* came after the sideband was drained: for the next pass */
	check_record(t, &fake, 8, 1);
	CHECK(t, !ring_next(&fake.ring, &length));
	CHECK(t, ring_aim(&fake.ring));
	check_record(t, &fake, 8, 2);
}

static void waits_for_what_is_being_written(struct test *t)
{
	struct fake fake;
	uint64_t busy;
	size_t length;

	fake_init(&fake);
	busy = produce(&fake, 8, BPF_RINGBUF_BUSY_BIT, 1);
	(void)produce(&fake, 8, 0, 2);
	CHECK(t, ring_aim(&fake.ring));
	CHECK(t, !ring_next(&fake.ring, &length));
	ring_release(&fake.ring);
	CHECK_INT(t, fake.consumer, 0);
	put_byte(&fake, busy + 3, 0); /* committed */
	check_record(t, &fake, 8, 1);
	check_record(t, &fake, 8, 2);
}

static void goes_around(struct test *t)
{
	struct fake fake;

	fake_init(&fake);
	for (uint8_t round = 1; round < 100; round++) {
		(void)produce(&fake, 90, 0, round);
		(void)produce(&fake, round, 0, round);
		CHECK(t, ring_aim(&fake.ring));
		check_record(t, &fake, 90, round);
		check_record(t, &fake, round, round);
		ring_release(&fake.ring);
	}
}

TEST_MAIN(TEST(in_order_and_given_back), TEST(stops_at_the_target),
	  TEST(waits_for_what_is_being_written), TEST(goes_around))
