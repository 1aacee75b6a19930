/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Weeks of --flight in a few seconds: processes that each run a program of their own, one after the
 * other, or one that loads and unloads libraries, with events as fast as they come. Memory is as
 * the kernel counts it; it stays where it is once the tables have been used. SOAK_PROCESSES and
 * SOAK_EVENTS (of each) make it longer: 500 of each are 50 million.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#include "bpf/ring_object.h"
#include "common/time_units.h"
#include "record/flight/flight.h"
#include "record/flight/segments.h"
#include "record/place/module_files.h"
#include "record/source/samples.h"
#include "record/source/wait_objects.h"
#include "tests/test.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/made_samples.h"
#include "tests/unit/record/made_sideband.h"

enum {
	HALVINGS = 2, /* smaller tables are used up sooner */
	PROCESSES = 100000, EVENTS = 10, /* of each */
	LIBRARIES = 40000, LONG_LIBRARIES = 800000,
	PARENT = 1000, FIRST_TGID = 2000, TGIDS = 20000, /* numbers of processes are given again */
	LOADER = 1500, PLACES = 7, PAGE_BYTES = 4096,
	FRAMES = 4, MOST_IDS = (4 * MODULE_TABLE_MAX) >> HALVINGS,
};

#define WINDOW (2 * SECOND)
#define LIFE (4 * MILLISECOND) /* of a process */
#define CODE UINT64_C(0x400000)
#define LIBRARY UINT64_C(0x7f0000000000)

struct soak {
	struct record_config config;
	struct made_recording made; /* only its recording */
	struct samples samples;
	struct filter filter;
	struct wait_objects *objects;
	struct segments *segments;
	uint64_t turn;
	uint64_t events;
	uint32_t most_id;
};

static void take_chunk(void *context, const struct rwk_chunk_header *header, const void *stored)
{
	struct soak *soak = context;

	if (header->type != RWK_CHUNK_INDEX)
		segments_add(soak->segments, header, stored);
}

static void open_tables(struct soak *soak)
{
	struct recording *recording = &soak->made.recording;
	struct trace_writer_settings writer = {.tap = {.context = soak, .take = take_chunk}};

	made_check(segments_create(WINDOW, SEGMENTS_LEAST, &soak->segments));
	made_check(trace_writer_create(&flight_no_file, -1, &writer, &recording->writer));
	made_check(event_log_create(recording->writer, recording->max_cpus, &recording->log));
	made_check(module_table_create(recording, &recording->modules));
	made_check(hits_create(module_table_special(recording->modules, MODULE_ANONYMOUS), true, HALVINGS,
			       &recording->hits));
	made_check(hits_want_turns(recording->hits));
	made_check(kernel_chains_create(NULL, &recording->kernel_chains));
	made_check(wait_objects_create(recording, &soak->objects));
}

static void soak_open(struct soak *soak)
{
	*soak = (struct soak){.config = {.user_stacks = true, .flight = {.wanted = true, .window = WINDOW}}};
	soak->made.recording = (struct recording){
		.config = &soak->config, .max_cpus = 1, .start = fake_now, .halvings = HALVINGS};
	open_tables(soak);
	made_sideband_open(&soak->made);
	made_check(samples_open(&soak->samples, &soak->made.recording, &soak->filter));
	soak->turn = fake_now + WINDOW;
}

static void soak_close(struct soak *soak)
{
	struct recording *recording = &soak->made.recording;

	samples_close(&soak->samples);
	made_sideband_close(&soak->made);
	wait_objects_destroy(soak->objects);
	kernel_chains_destroy(recording->kernel_chains);
	hits_destroy(recording->hits);
	module_table_destroy(recording->modules);
	event_log_destroy(recording->log);
	trace_writer_destroy(recording->writer);
	segments_destroy(soak->segments);
}

/* As the recorder's loop does, every second or so. */
static void pass(struct soak *soak)
{
	struct recording *recording = &soak->made.recording;

	sideband_look(recording->sideband);
	(void)sideband_apply(recording->sideband, fake_now);
	made_check(event_log_tick(recording->log, fake_now));
	if (!segments_are_due(soak->segments, fake_now))
		return;
	made_check(event_log_flush(recording->log));
	sideband_bury(recording->sideband, fake_now - 10 * SECOND);
	segments_begin(soak->segments, hits_spaces(recording->hits), fake_now);
	recording->segment++;
	if (fake_now < soak->turn)
		return;
	flight_forget(recording, NULL, soak->segments);
	soak->turn = fake_now + WINDOW;
}

/* A connection of its own, and a program of its own, as a builder or a test runner has. */
static void begin_process(struct soak *soak, uint32_t number, uint32_t tgid)
{
	struct ring_object object = {.kind = RING_OBJECT_TCP, .family = 2, .port = (__u16)number};
	struct event_wait wait = {.time = fake_now};
	char path[64];

	(void)snprintf(path, sizeof(path), "/srv/jobs/%u/program", number);
	made_put_fork(&soak->made, 0, fake_now, PARENT, tgid);
	made_put_comm(&soak->made, 0, fake_now, tgid, true, "job");
	made_put_map(&soak->made, 0, fake_now, tgid, CODE, 0, path);
	made_put_map(&soak->made, 0, fake_now, tgid, LIBRARY, 0, "/lib/libc.so.6");
	sideband_look(soak->made.recording.sideband);
	(void)sideband_apply(soak->made.recording.sideband, fake_now);
	memcpy(object.address, &number, sizeof(number));
	wait_objects_take(soak->objects, &object, &wait);
}

static void take_sample(struct soak *soak, uint32_t tgid, uint32_t number)
{
	struct made_sample_record record = made_sample_of(fake_now, 0, tgid, "job");

	record.raw.user_count = FRAMES;
	for (uint32_t i = 0; i < FRAMES; i++)
		record.frames[i] = (i % 2 ? LIBRARY : CODE) + (number % 16 + i) * 64;
	samples_take(&soak->samples, &record.raw.head, made_sample_bytes(&record));
	soak->events++;
}

static void note_id(struct soak *soak, uint32_t tgid, uint64_t address)
{
	struct mapping mapping;

	if (address_spaces_find(hits_spaces(soak->made.recording.hits), tgid, address, &mapping) &&
	    mapping.module > soak->most_id)
		soak->most_id = mapping.module;
}

static void run_process(struct soak *soak, uint32_t number, uint32_t events)
{
	const uint32_t tgid = FIRST_TGID + number % TGIDS;

	begin_process(soak, number, tgid);
	note_id(soak, tgid, CODE);
	for (uint32_t i = 0; i < events; i++)
		take_sample(soak, tgid, number + i);
	fake_now += LIFE;
	made_put_exit(&soak->made, 0, fake_now, tgid, tgid);
	pass(soak);
}

/*
 * dlopen() and dlclose() of one library after the other. No record says that one is gone; the next
 * one is mapped in about the same place.
 */
static void load_library(struct soak *soak, uint32_t number, uint32_t events)
{
	const uint64_t address = LIBRARY + number % PLACES * PAGE_BYTES;
	char path[64];

	if (!number)
		begin_process(soak, number, LOADER);
	(void)snprintf(path, sizeof(path), "/srv/plugins/%u.so", number);
	made_put_map(&soak->made, 0, fake_now, LOADER, address, 0, path);
	sideband_look(soak->made.recording.sideband);
	(void)sideband_apply(soak->made.recording.sideband, fake_now);
	note_id(soak, LOADER, address);
	for (uint32_t i = 0; i < events; i++)
		take_sample(soak, LOADER, number + i);
	fake_now += LIFE;
	pass(soak);
}

/* AddressSanitizer keeps what was freed, which would look like growth, and counts what was not. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static unsigned long resident_kib(void)
{
	unsigned long size = 0, resident = 0;
	FILE *file;

	if (__sanitizer_get_current_allocated_bytes)
		return __sanitizer_get_current_allocated_bytes() / 1024;
	file = fopen("/proc/self/statm", "re");
	if (!file || fscanf(file, "%lu %lu", &size, &resident) != 2)
		abort();
	(void)fclose(file);
	return resident * 4;
}

static uint32_t wanted(const char *name, uint32_t usual)
{
	const char *text = getenv(name);

	return text ? (uint32_t)strtoul(text, NULL, 10) : usual;
}

typedef void soak_step(struct soak *soak, uint32_t number, uint32_t events);

/* growth: KiB that the second half may add. */
static void memory_stays_where_it_is(struct test *t, soak_step *step, uint32_t count, unsigned long growth)
{
	const uint32_t events = wanted("SOAK_EVENTS", EVENTS);
	struct soak *soak = calloc(1, sizeof(*soak));
	struct address_spaces_usage usage;
	unsigned long before = 0, after;

	REQUIRE(t, soak);
	soak_open(soak);
	for (uint32_t i = 0; i < count; i++) {
		if (i == count / 2)
			before = resident_kib();
		step(soak, i, events);
	}
	after = resident_kib();
	address_spaces_usage(hits_spaces(soak->made.recording.hits), &usage);
	printf("# %lu events in %u steps: %lu KiB, then %lu KiB; mappings %zu, ids up to %u\n",
	       (unsigned long)soak->events, count, before, after, usage.nodes, soak->most_id);
	CHECK(t, after < before + growth);
	CHECK_INT(t, module_table_untracked(soak->made.recording.modules), 0);
	CHECK_INT(t, hits_dropped(soak->made.recording.hits), 0);
	CHECK(t, usage.processes < 4096);
	CHECK(t, soak->most_id && soak->most_id < MOST_IDS);
	CHECK_INT(t, soak->made.recording.error, 0);
	soak_close(soak);
	free(soak);
}

static void processes_come_and_go(struct test *t)
{
	const uint32_t processes = test_rounds(PROCESSES);

	/* Process numbers come round five times; in a short run once, and the tables are not yet used up. */
	memory_stays_where_it_is(t, run_process, wanted("SOAK_PROCESSES", processes),
				 processes < PROCESSES ? 4096 : 1024);
}

static void libraries_come_and_go(struct test *t)
{
	const char *level = getenv("CHECK_LEVEL");
	bool is_long = level && !strcmp(level, "long");

	/* The tables are used up once ids have come round a dozen times; until then, more of them is touched. */
	memory_stays_where_it_is(t, load_library,
				 wanted("SOAK_LIBRARIES", is_long ? LONG_LIBRARIES : test_rounds(LIBRARIES)),
				 is_long ? 1024 : 4096);
}

TEST_MAIN(TEST(processes_come_and_go), TEST(libraries_come_and_go))
