/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/drain.h"

#include <linux/bpf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/source/point_events.h"
#include "record/source/waits.h"
#include "record/source/samples.h"
#include "tests/random.h"
#include "tests/test.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/fake_kernel_map.h"
#include "tests/unit/record/fake_probe.h"
#include "tests/unit/record/made_samples.h"
#include "tests/unit/record/made_sideband.h"

/* --- a BPF ring in a file: the reader's page, the writer's page, and the data twice (kernel/bpf/ringbuf.c) --- */

struct made_ring {
	int fd;
	size_t size, page;
	uint8_t *bytes; /* all of it */
};

/* size: of the data, a power of two of pages. */
static void made_ring_open(struct made_ring *ring, size_t size)
{
	*ring = (struct made_ring){.fd = memfd_create("ring", MFD_CLOEXEC), .size = size,
				   .page = (size_t)sysconf(_SC_PAGESIZE)};
	if (ring->fd < 0 || ftruncate(ring->fd, (off_t)(2 * ring->page + 2 * size)) < 0)
		abort();
	ring->bytes = mmap(NULL, 2 * ring->page + 2 * size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (ring->bytes == MAP_FAILED)
		abort();
}

static void made_ring_close(struct made_ring *ring)
{
	(void)munmap(ring->bytes, 2 * ring->page + 2 * ring->size);
	(void)close(ring->fd);
}

static uint64_t made_ring_consumed(const struct made_ring *ring)
{
	return *(const uint64_t *)(const void *)ring->bytes;
}

static void made_ring_write(struct made_ring *ring, uint64_t at, const void *bytes, size_t length)
{
	uint8_t *data = ring->bytes + 2 * ring->page;

	for (size_t i = 0; i < length; i++) {
		uint64_t place = (at + i) % ring->size;

		data[place] = data[place + ring->size] = ((const uint8_t *)bytes)[i];
	}
}

/* flags: BPF_RINGBUF_DISCARD_BIT ... */
static void made_ring_put(struct made_ring *ring, const void *record, size_t length, uint32_t flags)
{
	uint64_t *producer = (void *)(ring->bytes + ring->page), at = *producer;
	const uint32_t header[BPF_RINGBUF_HDR_SZ / sizeof(uint32_t)] = {(uint32_t)length | flags};

	made_ring_write(ring, at, header, sizeof(header));
	made_ring_write(ring, at + sizeof(header), record, length);
	*producer = at + (sizeof(header) + length + 7) / 8 * 8;
	if (*producer - made_ring_consumed(ring) > ring->size)
		abort();
}

/* --- several rings and the sideband's records, laid out by hand: a pass handles all of them in time order --- */

enum { RING_BYTES = 64 << 10,
       PROCESS = 50,
       KINDS = RING_SNAPSHOT + 1 };
#define CODE UINT64_C(0x400000)

struct bench {
	struct kernel_map map;
	struct made_recording made;
	struct made_ring rings[FAKE_RINGS];
	struct probe probe;
	struct filter filter;
	struct samples samples;
	struct drain drain;
};

static void take_sample(void *samples, const struct ring_head *head, size_t length)
{
	samples_take(samples, head, length);
}

static void bench_open(struct bench *b, uint32_t rings)
{
	*b = (struct bench){.probe = {.rings = rings}};
	made_recording_open_with(&b->made, FAKE_CPUS, &b->map);
	made_sideband_open(&b->made);
	for (uint32_t i = 0; i < FAKE_RINGS; i++) {
		made_ring_open(&b->rings[i], RING_BYTES);
		b->probe.ring_fds[i] = b->rings[i].fd;
	}
	b->samples = (struct samples){.recording = &b->made.recording, .filter = &b->filter};
	made_check(samples_init(&b->samples));
	made_check(drain_open(&b->drain, &b->made.recording, &b->probe, RING_BYTES));
	drain_handle(&b->drain, RING_SAMPLE, take_sample, &b->samples);
}

static void bench_close(struct bench *b)
{
	drain_close(&b->drain);
	samples_deinit(&b->samples);
	for (uint32_t i = 0; i < FAKE_RINGS; i++)
		made_ring_close(&b->rings[i]);
	made_sideband_close(&b->made);
	made_recording_close(&b->made);
}

/* At CODE, in user space. */
static void put_at(struct bench *b, uint32_t ring, uint64_t time, uint64_t address)
{
	struct made_sample_record record = made_sample_of(time, ring, PROCESS, "worker");

	record.raw.user_count = 1;
	record.frames[0] = address;
	made_ring_put(&b->rings[ring], &record, made_sample_bytes(&record), 0);
}

static void put(struct bench *b, uint32_t ring, uint64_t time)
{
	put_at(b, ring, time, CODE);
}

/* The file that an offset of a hit is in. */
static const char *path_of(const struct bench *b, const struct hit *hit)
{
	const struct module_entry *entry = module_table_find(b->made.recording.modules, hit->module);

	return entry ? entry->path : "";
}

/* Each sample refers to what its process had mapped at that time; the file offsets differ. */
static void a_sample_finds_what_was_mapped_then(struct test *t)
{
	struct hit *hits;
	struct bench b;

	bench_open(&b, 2);
	made_put_map(&b.made, 3, 100, PROCESS, CODE, 0x1000, "/bin/one");
	put(&b, 0, 90); /* before there was anything */
	put(&b, 0, 110);
	made_put_map(&b.made, 1, 200, PROCESS, CODE, 0x2000, "/bin/two");
	put(&b, 1, 199);
	put(&b, 1, 200);                                                    /* the mapping is first */
	made_put_map(&b.made, 3, 300, PROCESS, CODE, 0x3000, "/bin/three"); /* no process was there */
	made_put_map(&b.made, 1, 400, PROCESS, CODE, 0x4000, "/bin/four");
	put(&b, 0, 500);
	(void)drain_pass(&b.drain);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_SAMPLE), 5);
	CHECK_INT(t, told_count(&b.made, EVENT_MAPPING), 4);
	REQUIRE(t, hits_sorted(b.made.recording.hits, &hits) == 3);
	CHECK(t, hits[0].offset == 0x1000 && hits[1].offset == 0x2000 && hits[2].offset == 0x4000);
	CHECK_STR(t, path_of(&b, &hits[0]), "/bin/one");
	CHECK_STR(t, path_of(&b, &hits[1]), "/bin/two");
	CHECK_STR(t, path_of(&b, &hits[2]), "/bin/four");
	bench_close(&b);
}

/* What changed after the ends of the rings were noted does not count for samples of before. */
static void a_record_after_the_aim_waits_for_the_next_pass(struct test *t)
{
	const uint64_t begin = fake_now;
	struct hit *hits;
	struct bench b;

	bench_open(&b, 1);
	made_put_map(&b.made, 0, 100, PROCESS, CODE, 0x1000, "/bin/one");
	made_put_map(&b.made, 0, begin + 2, PROCESS, CODE, 0x2000, "/bin/two");
	fake_step = 10; /* the sideband is read later than the rings */
	(void)drain_pass(&b.drain);
	put(&b, 0, begin + 1);
	(void)drain_pass(&b.drain);
	REQUIRE(t, hits_sorted(b.made.recording.hits, &hits) == 1);
	CHECK_STR(t, path_of(&b, &hits[0]), "/bin/one");
	fake_step = 0;
	bench_close(&b);
}

/* Hits, waits and snapshots have no handler here; others are of an unknown kind, or shorter than a head. */
static void what_nobody_takes_is_counted(struct test *t)
{
	struct made_sample_record record = made_sample_of(100, 0, PROCESS, "worker");
	struct bench b;

	bench_open(&b, 2);
	for (uint16_t kind = RING_SAMPLE + 1; kind <= KINDS; kind++) {
		record.raw.head.kind = kind;
		made_ring_put(&b.rings[0], &record, sizeof(record), 0);
	}
	made_ring_put(&b.rings[0], &record, sizeof(record.raw.head) - 1, 0);
	made_ring_put(&b.rings[0], &record, sizeof(record), BPF_RINGBUF_DISCARD_BIT); /* never was one */
	record.raw.head.kind = UINT16_MAX;
	made_ring_put(&b.rings[1], &record, sizeof(record), 0);
	record.raw.head.kind = RING_SAMPLE;
	made_ring_put(&b.rings[1], &record, sizeof(record.raw) - 1, 0);
	put(&b, 0, 200);
	put(&b, 1, 300);
	(void)drain_pass(&b.drain);
	CHECK_INT(t, b.drain.refused, KINDS + 2);
	CHECK_INT(t, b.samples.refused, 1);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_SAMPLE), 2);
	bench_close(&b);
}

TEST_MAIN(TEST(a_sample_finds_what_was_mapped_then),
	  TEST(a_record_after_the_aim_waits_for_the_next_pass), TEST(what_nobody_takes_is_counted))
