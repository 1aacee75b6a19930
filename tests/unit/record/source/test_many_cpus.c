/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A host of 512 CPUs, each with a ring of its own and one of the sideband: start, passes, memory, stop. */
#define FAKE_CPUS 512
#define FAKE_RINGS 512

#include "record/source/drain.h"

#include <stdio.h>

#include "common/cleanup.h"
#include "record/source/waits.h"
#include "tests/random.h"
#include "tests/test.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/fake_kernel_map.h"
#include "tests/unit/record/fake_probe.h"
#include "tests/unit/record/made_ring.h"
#include "tests/unit/record/made_samples.h"
#include "tests/unit/record/made_sideband.h"

enum { RING_BYTES = 64 << 10, EACH = 6, FIRST_PROCESS = 100, LINE = 4096 };
#define CODE UINT64_C(0x400000)

static struct made_recording made;
static struct made_ring rings[FAKE_RINGS];
static struct kernel_map map;
static struct probe probe;
static struct filter filter;
static struct drain drain;

static void open_rings(uint32_t count)
{
	probe = (struct probe){.rings = count};
	made_recording_open_with(&made, FAKE_CPUS, &map);
	made_sideband_open(&made);
	for (uint32_t i = 0; i < FAKE_RINGS; i++) {
		made_ring_open(&rings[i], RING_BYTES);
		probe.ring_fds[i] = rings[i].fd;
	}
	made_check(drain_open(&drain, &made.recording, &probe, &filter, RING_BYTES));
}

static void close_rings(void)
{
	drain_close(&drain);
	for (uint32_t i = 0; i < FAKE_RINGS; i++)
		made_ring_close(&rings[i]);
	made_sideband_close(&made);
	made_recording_close(&made);
}

/* A sample of the process that is on that CPU only. */
static void put(uint32_t cpu, uint64_t time)
{
	struct made_sample_record record = made_sample_of(time, cpu, FIRST_PROCESS + cpu, "worker");

	record.raw.user_count = 1;
	record.frames[0] = CODE;
	made_ring_put(&rings[cpu], &record, made_sample_bytes(&record), 0);
}

static size_t mappings_of_rings(void)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	char line[LINE];
	size_t count = 0;

	while (maps && fgets(line, sizeof(line), maps))
		count += strstr(line, "memfd:") != NULL;
	return count;
}

static void check_order(struct test *t)
{
	uint64_t before = 0;
	size_t count = 0;

	for (size_t i = 0; i < made.told.count; i++) {
		if (made.told.items[i].event.kind != EVENT_SAMPLE)
			continue;
		if (made.told.items[i].event.sample.time < before)
			test_check(t, 0, "sample %zu is earlier than the one before", count);
		before = made.told.items[i].event.sample.time;
		count++;
	}
	CHECK_INT(t, count, FAKE_RINGS * EACH);
}

/* Each CPU's process is known by the record that came on that CPU's ring of the sideband. */
static void rings_and_sideband_of_all_cpus_are_one_stream(struct test *t)
{
	struct random random = random_make(11);
	uint64_t time = 1000;

	open_rings(FAKE_RINGS);
	for (uint32_t cpu = 0; cpu < FAKE_CPUS; cpu++)
		made_put_map(&made, cpu, 100 + cpu, FIRST_PROCESS + cpu, CODE, 0x1000, "/bin/worker");
	for (uint32_t i = 0; i < EACH; i++)
		for (uint32_t cpu = 0; cpu < FAKE_CPUS; cpu++)
			put((cpu * 197 + i) % FAKE_CPUS, time += random_below(&random, 50));
	(void)drain_pass(&drain);
	made_recording_read(&made);
	check_order(t);
	for (uint32_t cpu = 0; cpu < FAKE_CPUS; cpu++) {
		if (!sideband_knows(made.recording.sideband, FIRST_PROCESS + cpu))
			test_check(t, 0, "the process on CPU %u is not known", cpu);
		if (made_ring_consumed(&rings[cpu]) != drain.rings[cpu].ring.position)
			test_check(t, 0, "the ring of CPU %u was not given back", cpu);
	}
	CHECK_INT(t, drain_refused(&drain), 0);
	close_rings();
}

/* A ring is as large as was asked for, and its two pages; mapped, the data counts twice. */
static void memory_is_that_of_the_rings(struct test *t)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	size_t before = mappings_of_rings(), rest;

	open_rings(2);
	CHECK_INT(t, drain_ring_bytes(&drain), 2 * (RING_BYTES + 2 * page));
	probe.rings = FAKE_RINGS; /* the other CPUs came online */
	CHECK_INT(t, drain_follow(&drain, &probe), 0);
	CHECK_INT(t, drain.ring_count, FAKE_RINGS);
	CHECK_INT(t, drain_ring_bytes(&drain), FAKE_RINGS * (RING_BYTES + 2 * page));
	CHECK_INT(t, drain_mapped_bytes(&drain), FAKE_RINGS * 2 * (RING_BYTES + page));
	rest = mappings_of_rings();
	drain_close(&drain);
	CHECK(t, mappings_of_rings() + FAKE_RINGS <= rest);
	drain = (struct drain){0};
	close_rings();
	CHECK_INT(t, mappings_of_rings(), before);
}

TEST_MAIN(TEST(rings_and_sideband_of_all_cpus_are_one_stream), TEST(memory_is_that_of_the_rings))
