/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/flight.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/time_units.h"
#include "format/chunk.h"
#include "record/flight/flight_internal.h"
#include "record/plan/record_options.h"
#include "tests/test.h"

/* --- the last segments, by age and by bytes --- */

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

static void add(struct bench *bench, uint64_t sequence, uint32_t length)
{
	struct rwk_chunk_header header = {.type = RWK_CHUNK_EVENTS, .sequence = sequence, .stored_size = length,
					  .raw_size = length};
	uint8_t *stored = malloc(rwk_chunk_stored_length(&header));

	fill(stored, rwk_chunk_stored_length(&header), sequence);
	segments_add(bench->segments, &header, stored);
	free(stored);
}

struct walk {
	struct test *t;
	size_t number;
	uint64_t first, next;
};

static int walk_chunk(void *context, const struct rwk_chunk_header *header, const void *stored)
{
	struct walk *walk = context;

	if (!walk->number++)
		walk->first = walk->next = header->sequence;
	CHECK(walk->t, is_whole(header, stored) && header->sequence == walk->next);
	walk->next++;
	return 0;
}

/* It holds `before` chunks from 0 on, and then consecutive ones, whole, up to `last`. Returns the first of these. */
static uint64_t first_of(struct test *t, const struct bench *bench, size_t before, uint64_t last)
{
	struct walk walk = {.t = t};

	CHECK_INT(t, segments_each_chunk(bench->segments, true, walk_chunk, &walk), 0);
	CHECK(t, walk.number == before && !walk.first);
	walk = (struct walk){.t = t};
	CHECK_INT(t, segments_each_chunk(bench->segments, false, walk_chunk, &walk), 0);
	CHECK_INT(t, walk.next, last + 1);
	return walk.first;
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
	struct walk walk = {.t = t};
	struct bench bench;

	REQUIRE(t, bench_open(&bench, 1000 * SECOND));
	segments_begin(bench.segments, bench.spaces, 1);
	for (uint64_t i = 0; i < 100; i++)
		add(&bench, i, 250000);
	CHECK_INT(t, segments_each_chunk(bench.segments, false, walk_chunk, &walk), 0);
	CHECK(t, !walk.number && segments_are_due(bench.segments, 2));
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

/* --- which part of a wait each rule measures --- */

enum { LEAST = 50, BLOCKED = 1000, QUEUED = 72 }; /* ms */

struct fired {
	unsigned int count;
	uint64_t value;
};

struct flight {
	struct fired fired;
};

/* In place of that of flight.c, which is not linked. */
void flight_fire(struct flight *flight, const struct flight_cause *cause, uint64_t now)
{
	struct fired *fired = &flight->fired;

	(void)now;
	fired->count++;
	fired->value = cause->value;
}

/* What a rule fires with, ms; 0: it does not. */
static uint64_t value_of(const char *text, const struct event_wait *wait)
{
	const struct event_task task = {.tgid = 7, .tid = 8, .comm = "a"};
	const struct record_offcpu offcpu = {.wanted = true};
	struct record_flight plan = {.wanted = true, .rule_count = 1};
	struct triggers *triggers = NULL;
	struct flight flight = {0};

	if (trigger_rule_parse(text, &plan.rules[0]) < 0 ||
	    triggers_open(&triggers, &plan, &offcpu, &flight) < 0)
		return UINT64_MAX;
	triggers_wait(triggers, wait, &task);
	triggers_destroy(triggers);
	return flight.fired.count > 1 ? UINT64_MAX : flight.fired.value / MILLISECOND;
}

enum { FROZEN = 0x8000 };

/*
 * A new task exists before it is on a run queue: its parent may be preempted in between. A thread that was woken and then got
 * no CPU was not stuck for that long. What a quota took is no want of a CPU; and the state of a frozen thread is none of those
 * that a rule asks for.
 */
static void rules_measure_their_part_of_a_wait(struct test *t)
{
	static const struct {
		const char *rule;
		enum wait_class wait_class;
		uint32_t state;
		uint64_t length, queued, throttled, value; /* ms */
	} cases[] = {
		{"runq>50ms", WAIT_BLOCKED, 1, BLOCKED, QUEUED, 0, QUEUED},
		{"runq>50ms", WAIT_BLOCKED, 1, BLOCKED, LEAST - 1, 0, 0},
		{"runq>50ms", WAIT_PREEMPTED, 0, QUEUED, QUEUED, 0, QUEUED},
		{"runq>50ms", WAIT_STARTED, 0, BLOCKED, QUEUED, 0, QUEUED},
		{"runq>50ms", WAIT_STARTED, 0, BLOCKED, LEAST - 1, 0, 0},
		{"runq>50ms", WAIT_PREEMPTED, 0, 100, 40, 60, 0},
		{"runq>30ms", WAIT_PREEMPTED, 0, 100, 40, 60, 40},
		{"runq>20ms", WAIT_BLOCKED, TASK_UNINTERRUPTIBLE, 100, 10, 60, 0},
		{"wait:D>20ms", WAIT_BLOCKED, TASK_UNINTERRUPTIBLE, 100, 10, 60, 30},
		{"wait:D>20ms", WAIT_BLOCKED, FROZEN, 100, 10, 60, 0},
		{"wait:D>927ms", WAIT_BLOCKED, TASK_UNINTERRUPTIBLE, BLOCKED, QUEUED, 0, BLOCKED - QUEUED},
		{"wait:D>928ms", WAIT_BLOCKED, TASK_UNINTERRUPTIBLE, BLOCKED, QUEUED, 0, 0},
		{"wait:D,comm=/a/>928ms", WAIT_BLOCKED, TASK_UNINTERRUPTIBLE, BLOCKED, QUEUED, 0, 0},
		{"wait:S>1ms", WAIT_BLOCKED, TASK_UNINTERRUPTIBLE, BLOCKED, QUEUED, 0, 0},
		{"wait:comm=/a/>999ms", WAIT_BLOCKED, TASK_UNINTERRUPTIBLE, BLOCKED, QUEUED, 0, BLOCKED},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct event_wait wait = {.wait_class = cases[i].wait_class, .state = cases[i].state,
						.time = 9000 * MILLISECOND, .length = cases[i].length * MILLISECOND,
						.run_queue = cases[i].queued * MILLISECOND,
						.throttled = cases[i].throttled * MILLISECOND};

		test_int(t, (long long)value_of(cases[i].rule, &wait), (long long)cases[i].value, cases[i].rule);
	}
}

TEST_MAIN(TEST(their_memory_is_there_at_once), TEST(bytes_are_bounded), TEST(a_burst_leaves_a_gap),
	  TEST(rules_measure_their_part_of_a_wait))
