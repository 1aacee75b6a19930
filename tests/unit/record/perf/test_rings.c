/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>

#include "record/helper/perf_open.h"
#include "record/perf/perf_event.h"
#include "record/perf/ring.h"
#include "tests/random.h"
#include "tests/test.h"
#include "tests/unit/record/made_perf_ring.h"

/* --- the reading end of a BPF ring (kernel/bpf/ringbuf.c) --- */

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

/* --- the reading end of a perf ring --- */

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

/* --- rings read through the tree, against their records sorted by time, then by ring --- */

enum { MOST = 512, EACH = 20, APART = 4, LATE = 1000 };

struct record {
	uint64_t time;
	uint32_t ring;
};

struct rings {
	uint64_t times[MOST][EACH + 1]; /* UINT64_MAX: the ring ends here */
	struct record sorted[MOST * EACH];
	uint32_t count, records;
};

static int by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->ring < y->ring ? -1 : x->ring > y->ring;
}

/* Some of them begin late. */
static void fill(struct rings *rings, uint32_t count)
{
	struct random random = random_make(count);

	rings->count = count;
	rings->records = 0;
	for (uint32_t ring = 0; ring < count; ring++) {
		uint32_t length = (uint32_t)random_below(&random, EACH + 1);
		uint64_t time = ring % 3 ? 0 : LATE;

		for (uint32_t i = 0; i < length; i++) {
			time += random_below(&random, APART);
			rings->times[ring][i] = time;
			rings->sorted[rings->records++] = (struct record){time, ring};
		}
		rings->times[ring][length] = UINT64_MAX;
	}
	qsort(rings->sorted, rings->records, sizeof(rings->sorted[0]), by_time);
}

static void read_all(struct test *t, const struct rings *rings)
{
	merge_key keys[2 * MOST];
	uint32_t next[MOST] = {0}, done = 0, wrong = 0;
	const struct merge_tree tree = {keys, rings->count};

	for (uint32_t ring = 0; ring < rings->count; ring++)
		merge_put(&tree, ring, rings->times[ring][0]);
	merge_build(&tree);
	while (merge_time(merge_first(&tree)) != UINT64_MAX && done <= rings->records) {
		uint32_t ring = merge_ring(merge_first(&tree));
		merge_key others;

		REQUIRE(t, ring < rings->count);
		others = merge_others(&tree, ring);
		for (; merge_time(merge_of(&tree, ring)) != UINT64_MAX && merge_of(&tree, ring) < others; done++) {
			wrong += done >= rings->records || rings->sorted[done].ring != ring ||
				 rings->sorted[done].time != merge_time(merge_of(&tree, ring));
			merge_put(&tree, ring, rings->times[ring][++next[ring]]);
		}
		merge_settle(&tree, ring);
	}
	CHECK_INT(t, wrong, 0);
	CHECK_INT(t, done, rings->records);
}

static void all_records_in_order(struct test *t)
{
	static const uint32_t COUNTS[] = {1, 2, 3, 5, 7, 8, 9, 64, 67, 100, 511, 512};
	struct rings *rings = malloc(sizeof(*rings));

	REQUIRE(t, rings);
	for (size_t i = 0; i < sizeof(COUNTS) / sizeof(COUNTS[0]); i++) {
		fill(rings, COUNTS[i]);
		read_all(t, rings);
	}
	free(rings);
}

/* --- how long the kernel throttled a sampling event --- */

/* Without a process of the gate. */
int perf_open(struct spawner *spawner, const struct perf_event_attr *attr, uint32_t cpu)
{
	(void)spawner, (void)attr, (void)cpu;
	return -ENODEV;
}

static void put_throttle(struct perf_ring *ring, uint32_t type, uint64_t time)
{
	const struct perf_event_header header = {.type = type, .size = 32};
	uint64_t words[4] = {0, time};

	memcpy(words, &header, sizeof(header));
	made_perf_ring_put(ring, words, 4);
}

static void check_throttled(struct test *t, struct perf_events *events, uint64_t times, uint64_t ns)
{
	struct perf_account account;

	perf_events_account(events, 0, &account);
	CHECK_INT(t, account.throttles, times);
	CHECK_INT(t, account.throttled, ns);
}

static void throttling_is_from_its_record_to_its_end(struct test *t)
{
	struct perf_cpu cpu = {.fd = memfd_create("event", MFD_CLOEXEC)};
	struct perf_events events = {.each = &cpu, .count = 1, .software = true, .program_fd = -1};

	REQUIRE(t, cpu.fd >= 0 && !ftruncate(cpu.fd, 4096)); /* it has counted nothing, however often one looks */
	made_perf_ring_open(&cpu.ring, 4096);
	put_throttle(&cpu.ring, PERF_RECORD_UNTHROTTLE, 90); /* whose beginning was not heard */
	put_throttle(&cpu.ring, PERF_RECORD_THROTTLE, 100);
	put_throttle(&cpu.ring, PERF_RECORD_UNTHROTTLE, 160);
	put_throttle(&cpu.ring, PERF_RECORD_SAMPLE, 200); /* of no concern */
	put_throttle(&cpu.ring, PERF_RECORD_THROTTLE, 300);
	check_throttled(t, &events, 2, 60);
	put_throttle(&cpu.ring, PERF_RECORD_UNTHROTTLE, 310);
	check_throttled(t, &events, 2, 70);
	put_throttle(&cpu.ring, PERF_RECORD_THROTTLE, 400);
	put_throttle(&cpu.ring, PERF_RECORD_UNTHROTTLE, 390); /* no time passes backwards */
	check_throttled(t, &events, 3, 70);
	perf_ring_close(&cpu.ring);
	(void)close(cpu.fd);
}

TEST_MAIN(TEST(waits_for_what_is_being_written), TEST(goes_around),
	  TEST(a_record_may_lie_across_the_end), TEST(what_is_no_record_ends_what_was_there),
	  TEST(all_records_in_order), TEST(throttling_is_from_its_record_to_its_end))
