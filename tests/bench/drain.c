/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The cost of a wait from its ring into the trace, by the number of rings: waits of 12 frames are
 * put into rings of this program's own, each wait followed in time by one in another ring, and
 * passes over them are timed. Prints ns of CPU time and bytes for a wait.
 */
#define FAKE_CPUS 1024
#define FAKE_RINGS 512

#include <stdio.h>
#include <time.h>

#include "record/source/drain.h"
#include "record/source/waits.h"
#include "tests/random.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/fake_kernel_map.h"
#include "tests/unit/record/fake_probe.h"
#include "tests/unit/record/made_ring.h"
#include "tests/unit/record/made_sideband.h"
#include "tests/unit/record/made_waits.h"

enum { WAITS = 400000, FRAMES = 12, PATHS = 64, RECORD_BYTES = 512 /* at most */ };
enum { ALL_RINGS_BYTES = 16 << 20, RING_LEAST_BYTES = 64 << 10 };

static struct kernel_map map;
static struct made_recording made;
static struct made_ring rings[FAKE_RINGS];
static struct probe probe;
static struct filter filter;
static struct waits waits;
static struct drain drain;

static uint64_t cpu_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static size_t bytes_of_ring(uint32_t count)
{
	size_t bytes = ALL_RINGS_BYTES;

	while (bytes > RING_LEAST_BYTES && bytes * count > ALL_RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

static void open_all(uint32_t count)
{
	size_t bytes = bytes_of_ring(count);

	probe = (struct probe){.rings = count};
	made_recording_open_with(&made, FAKE_CPUS, &map);
	made_sideband_open(&made);
	for (uint32_t i = 0; i < count; i++) {
		made_ring_open(&rings[i], bytes);
		probe.ring_fds[i] = rings[i].fd;
	}
	waits = (struct waits){.recording = &made.recording, .probe = &probe, .filter = &filter};
	made_check(waits_init(&waits));
	made_check(drain_open(&drain, &made.recording, &probe, &filter, bytes));
	drain_connect(&drain, &waits, NULL, NULL);
}

static void close_all(uint32_t count)
{
	drain_close(&drain);
	waits_deinit(&waits);
	for (uint32_t i = 0; i < count; i++)
		made_ring_close(&rings[i]);
	made_sideband_close(&made);
	made_recording_close(&made);
}

static void put_wait(struct random *random, uint32_t ring, uint64_t time)
{
	uint64_t path = random_below(random, PATHS);
	struct made_wait_record record = made_wait_of(time - 5000, time, 2 * ring, 1000 + ring, "worker");

	for (uint64_t frame = 0; frame < FRAMES; frame++)
		made_wait_frame(&record, FAKE_KERNEL + frame * 0x1230 + (frame < FRAMES / 2 ? path : path / 8) * 0x50);
	made_ring_put(&rings[ring], &record, made_wait_bytes(&record), 0);
}

/* Half fills the rings, then empties them. Returns the CPU time of the latter, ns; *now: time of the last wait. */
static uint64_t fill_and_pass(struct random *random, uint32_t count, uint64_t *now, uint64_t *waits_put)
{
	uint64_t each = bytes_of_ring(count) / 2 / RECORD_BYTES, start;

	for (uint64_t i = 0; i < each; i++)
		for (uint32_t ring = 0; ring < count; ring++) {
			*now += 1 + random_below(random, 500);
			put_wait(random, (uint32_t)((ring * UINT64_C(197) + i) % count), *now);
		}
	*waits_put += each * count;
	fake_now = *now + 1;
	start = cpu_time();
	(void)drain_pass(&drain);
	return cpu_time() - start;
}

static void measure(uint32_t count)
{
	struct random random = random_make(count);
	uint64_t now = 1000000, spent = 0, total = 0;

	open_all(count);
	while (total < WAITS)
		spent += fill_and_pass(&random, count, &now, &total);
	made_check(event_log_flush(made.recording.log));
	printf("%u rings: %.0f ns a wait, %.1f bytes\n", count, (double)spent / (double)total,
	       (double)made.io.length / (double)total);
	if (drain_refused(&drain) || waits.refused)
		printf("refused: %lu\n", (unsigned long)(drain_refused(&drain) + waits.refused));
	close_all(count);
}

int main(void)
{
	static const uint32_t COUNTS[] = {1, 8, 64, 192, 512};

	for (size_t i = 0; i < sizeof(COUNTS) / sizeof(COUNTS[0]); i++)
		measure(COUNTS[i]);
	return 0;
}
