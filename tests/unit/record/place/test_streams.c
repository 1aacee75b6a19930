/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Streams of records that stop silently: from when to when names are unsure, which ring is opened
 * again, and when all processes are read again. Defines the functions of
 * record/place/start_state.h: the test sets how long that takes.
 */
#include "record/place/streams.h"

#include <sys/mman.h>
#include <unistd.h>

#include "common/time_units.h"
#include "format/event.h"
#include "record/place/start_state.h"
#include "tests/test.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/fake_kernel_map.h"
#include "tests/unit/record/fake_probe.h"
#include "tests/unit/record/made_sideband.h"

enum { DEAD = 1 };

struct start_state { /* of all that were started */
	unsigned int begun, over;
	uint64_t since; /* of the last one */
	bool done;	/* with its next step */
};

static struct start_state telling;

int start_state_create(struct recording *recording, struct nursery *nursery, uint64_t since,
		       struct start_state **ret_state)
{
	(void)recording, (void)nursery;
	telling.begun++;
	telling.since = since;
	*ret_state = &telling;
	return 0;
}

void start_state_destroy(struct start_state *state)
{
	if (state)
		state->over++;
}

bool start_state_step(struct start_state *state, unsigned int budget_ms)
{
	(void)budget_ms;
	return state->done;
}

struct bench {
	struct kernel_map map;
	struct made_recording made;
	struct probe probe;
	struct cpus cpus;
	struct streams streams;
	uint64_t time; /* of the last record */
};

static void set_online(struct bench *b, const char *list)
{
	if (ftruncate(b->cpus.online_fd, 0) < 0 ||
	    pwrite(b->cpus.online_fd, list, strlen(list), 0) != (ssize_t)strlen(list))
		abort();
}

static void bench_open(struct bench *b, bool blind)
{
	*b = (struct bench){.probe = {.blind = blind}, .cpus = {.possible = FAKE_CPUS}, .time = 100};
	telling = (struct start_state){0};
	fake_now = 5000 * MILLISECOND;
	made_recording_open_with(&b->made, FAKE_CPUS, &b->map);
	made_sideband_open(&b->made);
	b->cpus.online_fd = memfd_create("online", MFD_CLOEXEC);
	set_online(b, "0-3\n");
	made_check(streams_init(&b->streams, &b->made.recording, &b->probe, &b->cpus, NULL));
}

static void bench_close(struct bench *b)
{
	streams_deinit(&b->streams);
	(void)close(b->cpus.online_fd);
	made_sideband_close(&b->made);
	made_recording_close(&b->made);
}

/* Processes are forked on the CPU, and the kernel reports it. */
static void fork_some(struct bench *b, uint32_t cpu, unsigned int count, bool heard)
{
	b->probe.lives[cpu].counts[RING_LIFE_FORK] += count;
	for (unsigned int i = 0; heard && i < count; i++)
		made_put_fork(&b->made, cpu, ++b->time, 1, 1000 + i);
}

/* One pass, when the next look is due. */
static void pass(struct bench *b)
{
	if (fake_now < b->streams.next)
		fake_now = b->streams.next;
	sideband_look(b->made.recording.sideband);
	(void)sideband_apply(b->made.recording.sideband, UINT64_MAX);
	streams_step(&b->streams, fake_now, true);
}

static size_t unsure_told(struct bench *b)
{
	made_recording_read(&b->made);
	return told_count(&b->made, EVENT_UNSURE);
}

static const struct event_unsure *unsure(const struct bench *b, size_t n)
{
	return &told(&b->made, EVENT_UNSURE, n)->event.unsure;
}

/* Some seconds without a fault. */
static void be_well(struct bench *b)
{
	for (int i = 0; i < 6; i++) {
		for (uint32_t cpu = 0; cpu < FAKE_CPUS; cpu++)
			fork_some(b, cpu, 3, true);
		pass(b);
	}
}

/* The CPU's ring reports nothing any more, until that is noticed. */
static bool fall_silent(struct bench *b, uint32_t cpu)
{
	const size_t before = unsure_told(b);

	for (int i = 0; i < 6; i++) {
		fork_some(b, cpu, 5, false);
		fork_some(b, 0, 2, true);
		pass(b);
		if (unsure_told(b) > before)
			return true;
	}
	return false;
}

static void a_whole_stream_is_left_alone(struct test *t)
{
	struct bench b;

	bench_open(&b, false);
	be_well(&b);
	be_well(&b);
	CHECK_INT(t, unsure_told(&b), 0);
	CHECK(t, !telling.begun && !b.streams.silent && !b.streams.unsure && !streams_busy(&b.streams));
	CHECK(t, b.made.recording.sideband->rings[DEAD].page->data_head > 0); /* never opened again */
	bench_close(&b);
}

static void a_ring_that_dies_is_opened_anew_and_all_are_told(struct test *t)
{
	uint64_t well, noticed;
	struct bench b;

	bench_open(&b, false);
	be_well(&b);
	pass(&b); /* quiet: the surplus is known */
	pass(&b);
	well = fake_now;
	REQUIRE(t, fall_silent(&b, DEAD));
	noticed = fake_now;
	CHECK(t, unsure_told(&b) == 1 && unsure(&b, 0)->cpu == DEAD && unsure(&b, 0)->cause == UNSURE_SILENT);
	CHECK(t, unsure(&b, 0)->time <= well && unsure(&b, 0)->until == noticed && unsure(&b, 0)->missing >= 5);
	CHECK_INT(t, b.streams.silent, unsure(&b, 0)->missing);
	CHECK_INT(t, b.made.recording.sideband->rings[DEAD].page->data_head, 0);
	CHECK(t, b.made.recording.sideband->rings[0].page->data_head > 0);
	CHECK(t, telling.begun == 1 && telling.since == unsure(&b, 0)->time && streams_busy(&b.streams));
	be_well(&b);
	telling.done = true;
	pass(&b);
	CHECK(t, telling.over == 1 && !streams_busy(&b.streams));
	REQUIRE(t, unsure_told(&b) == 2); /* once more, with its end */
	CHECK(t, unsure(&b, 1)->time == unsure(&b, 0)->time && unsure(&b, 1)->until == fake_now &&
			 unsure(&b, 1)->cpu == DEAD);
	CHECK_INT(t, b.streams.unsure, fake_now - unsure(&b, 0)->time);
	streams_finish(&b.streams, fake_now + 1);
	CHECK_INT(t, unsure_told(&b), 2); /* nothing is open any longer */
	bench_close(&b);
}

/* Reading the processes at the start goes first; and reading takes only a part of the time. */
static void telling_waits_for_its_turn(struct test *t)
{
	uint64_t over;
	struct bench b;

	bench_open(&b, false);
	be_well(&b);
	REQUIRE(t, fall_silent(&b, DEAD));
	over = fake_now + 700 * MILLISECOND; /* it takes that long */
	fake_now = over;
	telling.done = true;
	streams_step(&b.streams, fake_now, true);
	CHECK_INT(t, telling.over, 1);
	REQUIRE(t, fall_silent(&b, 2));
	CHECK(t, fake_now < over + 15000 * MILLISECOND);
	CHECK_INT(t, telling.begun, 1);
	streams_step(&b.streams, over + 14999 * MILLISECOND, true); /* a second, and 20 times the time that it took */
	CHECK_INT(t, telling.begun, 1);
	streams_step(&b.streams, over + 15000 * MILLISECOND, false);
	CHECK_INT(t, telling.begun, 1);
	streams_step(&b.streams, over + 15000 * MILLISECOND, true);
	CHECK_INT(t, telling.begun, 2);
	bench_close(&b);
}

/* It may have missed what was noticed while it ran. */
static void what_falls_silent_meanwhile_stays_unsure(struct test *t)
{
	struct bench b;

	bench_open(&b, false);
	be_well(&b);
	REQUIRE(t, fall_silent(&b, DEAD));
	REQUIRE(t, fall_silent(&b, 2));
	telling.done = true;
	pass(&b);
	CHECK(t, !b.streams.gaps[DEAD].from && b.streams.gaps[2].from);
	streams_finish(&b.streams, fake_now);
	CHECK(t, !b.streams.gaps[2].from);
	bench_close(&b);
}

/* The same moment on two CPUs is unsure once. */
static void spans_that_overlap_count_once(struct test *t)
{
	struct bench b;

	bench_open(&b, false);
	b.streams.gaps[0] = (struct stream_gap){.from = 1000, .cause = UNSURE_AWAY};
	b.streams.gaps[2] = (struct stream_gap){.from = 1500, .cause = UNSURE_LOST, .missing = 3};
	streams_finish(&b.streams, 2000);
	CHECK_INT(t, b.streams.unsure, 1000);
	CHECK_INT(t, unsure_told(&b), 2);
	CHECK(t, unsure(&b, 1)->time == 1500 && unsure(&b, 1)->missing == 3 && unsure(&b, 1)->cause == UNSURE_LOST);
	bench_close(&b);
}

static void a_cpu_that_was_away_is_unsure_since_it_was_seen(struct test *t)
{
	uint64_t seen;
	struct bench b;

	bench_open(&b, false);
	be_well(&b);
	set_online(&b, "0,2-3\n");
	for (int i = 0; i < 3; i++)
		pass(&b);
	CHECK_INT(t, unsure_told(&b), 0); /* nothing happens there */
	seen = fake_now;
	set_online(&b, "0-3\n");
	fake_now += 600 * MILLISECOND;
	pass(&b);
	REQUIRE(t, unsure_told(&b) == 1);
	CHECK(t, unsure(&b, 0)->cpu == DEAD && unsure(&b, 0)->cause == UNSURE_AWAY && unsure(&b, 0)->time == seen);
	CHECK_INT(t, b.made.recording.sideband->rings[DEAD].page->data_head, 0);
	CHECK_INT(t, b.streams.silent, 0); /* nothing is known to be missing */
	bench_close(&b);
}

/* Losses that the ring itself reports make names unsure, and nothing else does; without counts, only these are seen. */
static void what_a_ring_reports_is_counted_there(struct test *t)
{
	const struct lost_record lost = {.header = {.type = PERF_RECORD_LOST}, .lost = 7};

	for (int blind = 0; blind < 2; blind++) {
		struct bench b;

		bench_open(&b, blind);
		be_well(&b);
		fork_some(&b, 3, 7, false);
		made_put(&b.made, 3, &lost, sizeof(lost), NULL, ++b.time);
		pass(&b);
		REQUIRE(t, unsure_told(&b) == 1);
		CHECK(t, unsure(&b, 0)->cpu == 3 && unsure(&b, 0)->cause == UNSURE_LOST && unsure(&b, 0)->missing == 7);
		CHECK_INT(t, b.streams.silent, 0);
		CHECK(t, b.made.recording.sideband->rings[3].page->data_head > 0); /* it lives */
		bench_close(&b);
	}
}

TEST_MAIN(TEST(a_whole_stream_is_left_alone), TEST(a_ring_that_dies_is_opened_anew_and_all_are_told),
	  TEST(telling_waits_for_its_turn), TEST(what_falls_silent_meanwhile_stays_unsure),
	  TEST(spans_that_overlap_count_once),
	  TEST(a_cpu_that_was_away_is_unsure_since_it_was_seen),
	  TEST(what_a_ring_reports_is_counted_there))
