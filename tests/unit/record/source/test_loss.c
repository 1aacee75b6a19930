/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The account of a recording from counters set by hand: totals are written, and summed for the exit code. */
#include "record/source/loss.h"

#include "common/gate/helper.h"
#include "record/perf/perf_event.h"
#include "record/place/module_files.h"
#include "record/place/streams.h"
#include "record/probe/points.h"
#include "record/source/drain.h"
#include "record/source/point_events.h"
#include "record/source/samples.h"
#include "record/source/waits.h"
#include "tests/test.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/fake_kernel_map.h"
#include "tests/unit/record/fake_probe.h"
#include "tests/unit/record/made_sideband.h"

enum { CPU_SOURCE = SOURCE_ID_CPU, WAITS_SOURCE = SOURCE_ID_OFFCPU, WAKERS_SOURCE = SOURCE_ID_WAKERS,
       POINTS_SOURCE = SOURCE_ID_POINTS, CPU = 2,
       PERIOD = 1000000, SECOND = 1000000000 };

/* No helper opens any file. */
void spawner_leave(struct spawner *spawner, pid_t pid)
{
	(void)spawner, (void)pid;
}

const struct helper_kind *spawner_kind(const struct spawner *spawner, unsigned int kind)
{
	(void)spawner, (void)kind;
	return NULL;
}

int spawner_start(struct spawner *spawner, unsigned int kind, int *ret_socket, pid_t *ret_pid)
{
	(void)spawner, (void)kind, (void)ret_socket, (void)ret_pid;
	return -EAGAIN;
}

struct bench {
	struct kernel_map map;
	struct made_recording made;
	struct probe probe;
	struct drain drain;
	struct streams streams;
	struct waits waits;
	struct points points;
	struct point_events point_events;
	struct perf_cpu each[FAKE_CPUS];
	struct samples samples;
	bool has_samples, has_waits, has_points;
	struct loss loss;
};

static void bench_open(struct bench *b)
{
	*b = (struct bench){0};
	made_recording_open_with(&b->made, FAKE_CPUS, &b->map);
	b->made.config.output.embed = EMBED_LEVEL_NONE;
	made_sideband_open(&b->made);
	b->samples = (struct samples){.recording = &b->made.recording, .probe = &b->probe};
	made_check(samples_init(&b->samples));
	b->samples.events = (struct perf_events){
		.each = b->each, .count = FAKE_CPUS, .software = true, .period = PERIOD,
		.disabled = true, .busy = {.fd = -1}};
	for (uint32_t cpu = 0; cpu < FAKE_CPUS; cpu++)
		b->each[cpu].fd = b->each[cpu].ring.fd = -1;
	b->loss = (struct loss){.recording = &b->made.recording,
				.probe = &b->probe,
				.drain = &b->drain,
				.streams = &b->streams};
	made_check(loss_init(&b->loss));
}

static void bench_close(struct bench *b)
{
	loss_deinit(&b->loss);
	samples_deinit(&b->samples);
	made_sideband_close(&b->made);
	made_recording_close(&b->made);
}

static void with_samples(struct bench *b)
{
	b->has_samples = true;
}

static void with_waits(struct bench *b)
{
	b->waits.filtered = calloc(FAKE_CPUS, sizeof(*b->waits.filtered));
	made_check(b->waits.filtered ? 0 : -ENOMEM);
	b->waits.probe = &b->probe;
	b->has_waits = true;
}

/* What was last written about it; 0: nothing. *ret_times (may be NULL): how often. */
static uint64_t total(const struct bench *b, uint32_t source, uint32_t cpu, enum loss_cause cause,
		      unsigned int *ret_times)
{
	unsigned int times = 0;
	uint64_t last = 0;

	for (size_t i = 0; i < told_count(&b->made, EVENT_LOSS); i++) {
		const struct event_loss *loss = &told(&b->made, EVENT_LOSS, i)->event.loss;

		if (loss->source != source || loss->cpu != cpu || loss->cause != cause)
			continue;
		last = loss->total;
		times++;
	}
	if (ret_times)
		*ret_times = times;
	return last;
}

static void write_account(struct bench *b, uint64_t now, bool all)
{
	loss_begin(&b->loss, now, all);
	if (b->has_samples)
		samples_account(&b->samples, &b->loss);
	if (b->has_waits)
		waits_account(&b->waits, &b->loss);
	if (b->has_points)
		point_events_account(&b->point_events, &b->loss);
	loss_end(&b->loss);
}

static void tell(struct bench *b, uint64_t now, bool all)
{
	write_account(b, now, all);
	made_recording_read(&b->made);
}

static void each_counter_is_told_as_its_cause(struct test *t)
{
	static const enum loss_cause causes[RING_COUNTERS] = {
		LOSS_SEEN, LOSS_IDLE, LOSS_OWN, LOSS_FILTERED, LOSS_RECORDED, LOSS_RING_FULL, LOSS_NESTED, LOSS_BRIEF,
		LOSS_NO_TASK_ENTRY, LOSS_RATE_LIMITED, LOSS_KERNEL_STACK, LOSS_USER_STACK,
		LOSS_TRUNCATED, LOSS_SNAPSHOT,
	};
	struct bench b;

	bench_open(&b);
	with_samples(&b);
	for (int i = 0; i < RING_COUNTERS; i++)
		b.probe.cpu[CPU].counters[i] = 1000 + (uint64_t)i;
	tell(&b, SECOND, false);
	for (int i = 0; i < RING_COUNTERS; i++) {
		CHECK_INT(t, total(&b, CPU_SOURCE, CPU, causes[i], NULL), 1000 + i);
		CHECK_INT(t, total(&b, CPU_SOURCE, 0, causes[i], NULL), 0);
	}
	CHECK_INT(t, told_count(&b.made, EVENT_LOSS), RING_COUNTERS);
	CHECK_INT(t, b.loss.lost, 3 * 1000 + RING_COUNT_RING_FULL + RING_COUNT_NESTED + RING_COUNT_NO_ENTRY);
	CHECK_INT(t, b.loss.left_out,
		  5 * 1000 + RING_COUNT_IDLE + RING_COUNT_OWN + RING_COUNT_FILTERED +
			  RING_COUNT_BRIEF + RING_COUNT_RATE_LIMITED);
	bench_close(&b);
}

/* What the recorder leaves out was recorded by the program: seen remains the sum of all. */
static void late_filters_move_what_was_recorded(struct test *t)
{
	struct bench b;

	bench_open(&b);
	with_samples(&b);
	with_waits(&b);
	b.probe.cpu[CPU].counters[RING_COUNT_SEEN] = b.probe.waits[CPU].counters[RING_COUNT_SEEN] = 100;
	b.probe.cpu[CPU].counters[RING_COUNT_RECORDED] = b.probe.waits[CPU].counters[RING_COUNT_RECORDED] = 90;
	b.probe.cpu[CPU].counters[RING_COUNT_FILTERED] = b.probe.waits[CPU].counters[RING_COUNT_FILTERED] = 10;
	b.probe.cpu[CPU].counters[RING_COUNT_TRUNCATED] = 8;
	b.samples.filtered[CPU] = 30;
	b.samples.whole[CPU] = 3;
	b.waits.filtered[CPU] = 40;
	tell(&b, SECOND, false);
	CHECK_INT(t, total(&b, CPU_SOURCE, CPU, LOSS_RECORDED, NULL), 60);
	CHECK_INT(t, total(&b, CPU_SOURCE, CPU, LOSS_FILTERED, NULL), 40);
	CHECK_INT(t, total(&b, CPU_SOURCE, CPU, LOSS_TRUNCATED, NULL), 5);
	CHECK_INT(t, total(&b, WAITS_SOURCE, CPU, LOSS_RECORDED, NULL), 50);
	CHECK_INT(t, total(&b, WAITS_SOURCE, CPU, LOSS_FILTERED, NULL), 50);
	CHECK_INT(t, b.loss.left_out, 90);
	CHECK_INT(t, b.loss.lost, 0);
	free(b.waits.filtered);
	bench_close(&b);
}

/* --- samples that the kernel counted and did not deliver --- */

/* An open event that always reads the same: its file repeats that. */
static int counting(uint64_t counted, uint64_t enabled)
{
	const uint64_t reading[3] = {counted, enabled, enabled};
	int fd = memfd_create("event", MFD_CLOEXEC);

	for (int i = 0; i < 8; i++)
		if (fd < 0 || pwrite(fd, reading, sizeof(reading), (off_t)(i * sizeof(reading))) != sizeof(reading))
			abort();
	return fd;
}

struct cpu_story {
	uint64_t counted, seen; /* ticks of PERIOD; seen: all of them outside the idle task */
	uint64_t ran, idle;	/* ms, by the kernel's account */
};

static struct event_counter account(struct test *t, struct bench *b, const struct cpu_story *story)
{
	struct cpu_account begin[FAKE_CPUS] = {{.ran = 1, .idle = 1}}, end[FAKE_CPUS] = {{.ran = 0}};
	struct event_counter told_of = {0};

	begin[CPU] = (struct cpu_account){.ran = 5000, .idle = 6000};
	end[CPU] = (struct cpu_account){.ran = 5000 + story->ran * 1000000, .idle = 6000 + story->idle * 1000000};
	b->samples.events.busy = (struct cpu_busy){.fd = -1, .count = FAKE_CPUS, .begin = begin, .end = end};
	b->each[CPU].fd = counting(story->counted * PERIOD, (story->ran + story->idle) * 1000000);
	b->probe.cpu[CPU].counters[RING_COUNT_SEEN] = story->seen;
	b->probe.cpu[CPU].weight_seen = story->seen * PERIOD;
	tell(b, SECOND, true);
	for (size_t i = 0; i < told_count(&b->made, EVENT_COUNTER); i++)
		if (told(&b->made, EVENT_COUNTER, i)->event.counter.cpu == CPU)
			told_of = told(&b->made, EVENT_COUNTER, i)->event.counter;
	(void)close(b->each[CPU].fd);
	b->each[CPU].fd = -1;
	CHECK_INT(t, told_of.counted, story->counted * PERIOD);
	CHECK_INT(t, told_of.seen, story->seen * PERIOD);
	CHECK_INT(t, total(b, CPU_SOURCE, CPU, LOSS_NOT_DELIVERED, NULL), told_of.missed);
	return told_of;
}

/* A period is 1 ms; the account's error is CPU_BUSY_ERROR, 30 ms. */
static void missed_samples_are_the_idle_cpu_s_or_the_busy_one_s(struct test *t)
{
	static const struct {
		struct cpu_story story;
		uint64_t missed, idle;
	} cases[] = {
		{{.counted = 1000, .seen = 1000, .ran = 1000}, 0, 0},
		{{.counted = 1000, .seen = 300, .ran = 300, .idle = 700}, 700, 700}, /* halted for the rest */
		{{.counted = 1000, .seen = 300, .ran = 1000}, 700, 30}, /* busy, and nothing was delivered */
		{{.counted = 1000, .seen = 300, .ran = 600, .idle = 400}, 700, 430},
		{{.counted = 1000, .seen = 0, .ran = 20, .idle = 980}, 1000, 1000}, /* less than the error */
		{{.counted = 300, .seen = 400, .ran = 400}, 0, 0}, /* ticks that came early */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_counter counter;
		struct bench b;

		bench_open(&b);
		with_samples(&b);
		counter = account(t, &b, &cases[i].story);
		CHECK_INT(t, counter.missed, cases[i].missed);
		CHECK_INT(t, counter.missed_idle, cases[i].idle);
		bench_close(&b);
	}
}

/* Their period is not fixed, and they stop while a CPU is idle: a period that ends there is found by a later tick. */
static void cycles_are_counted_in_their_mean(struct test *t)
{
	const struct cpu_story story = {.counted = 1000, .seen = 300, .ran = 1000};
	struct event_counter counter;
	struct bench b;

	bench_open(&b);
	with_samples(&b);
	b.samples.events.software = false;
	b.samples.events.period = 0;
	b.probe.cpu[CPU].weight_idle = 25 * (uint64_t)PERIOD;
	counter = account(t, &b, &story);
	CHECK_INT(t, counter.missed, 700);
	CHECK_INT(t, counter.missed_idle, 25);
	bench_close(&b);
}

static void what_the_kernel_throttled_is_told(struct test *t)
{
	struct bench b;

	bench_open(&b);
	with_samples(&b);
	b.each[CPU].closed = (struct perf_account){.counted = 7, .enabled = 100, .running = 90,
						   .throttles = 3, .throttled = 12};
	tell(&b, SECOND, false);
	CHECK_INT(t, total(&b, CPU_SOURCE, CPU, LOSS_THROTTLED, NULL), 3);
	CHECK_INT(t, told_count(&b.made, EVENT_COUNTER), 0); /* only done at the end */
	tell(&b, SECOND, true);
	REQUIRE(t, told_count(&b.made, EVENT_COUNTER) == 1); /* none if nothing ever counted */
	CHECK_INT(t, told(&b.made, EVENT_COUNTER, 0)->event.counter.throttled, 12);
	CHECK_INT(t, told(&b.made, EVENT_COUNTER, 0)->event.counter.running, 90);
	bench_close(&b);
}

static void what_was_not_written_is_lost(struct test *t)
{
	struct event_sample sample = {.time = 100, .source = CPU_SOURCE};
	const struct event_task task = {.tgid = 5, .tid = 5};
	const struct event_stacks none = {0};
	struct bench b;

	bench_open(&b);
	CHECK_INT(t, event_log_add_sample(b.made.recording.log, &sample, &task, &none), 0);
	b.made.io.call = CALL_WRITEV;
	b.made.io.error = -EIO;
	b.made.io.nth = b.made.io.counts[CALL_WRITEV] + 1;
	CHECK_INT(t, event_log_flush(b.made.recording.log), -EIO);
	(void)event_log_add_sample(b.made.recording.log, &sample, &task, &none);
	write_account(&b, SECOND, true);
	CHECK_INT(t, b.loss.lost, 2);
	bench_close(&b);
}

static void waits_have_wakers_and_refusals_beside(struct test *t)
{
	struct bench b;

	bench_open(&b);
	with_waits(&b);
	b.probe.waits[1].wakes_lost = 3;
	b.probe.waits[CPU].wakes_lost = 4;
	b.probe.waits[CPU].counters[RING_COUNT_NO_ENTRY] = 50;
	b.waits.refused = 20;
	b.waits.unended.refused = 1;
	tell(&b, SECOND, false);
	CHECK_INT(t, total(&b, WAKERS_SOURCE, 0, LOSS_RING_FULL, NULL), 7);
	CHECK_INT(t, total(&b, WAITS_SOURCE, 0, LOSS_ENCODER, NULL), 21);
	CHECK_INT(t, total(&b, WAITS_SOURCE, CPU, LOSS_NO_TASK_ENTRY, NULL), 50);
	CHECK_INT(t, b.loss.lost, 78);
	free(b.waits.filtered);
	bench_close(&b);
}

static void points_have_accounts_of_their_own(struct test *t)
{
	static const struct record_point asked = {.text = "one", .length = 3};
	struct point points[3] = {{.name = "a", .source = 0, .hook = HOOK_RAW_TRACEPOINT},
				  {.name = "b", .source = 1, .hook = HOOK_NONE},
				  {.name = "c", .source = 1, .hook = HOOK_FENTRY}};
	struct bench b;

	bench_open(&b);
	b.points.items.items = points;
	b.points.items.count = 3;
	b.points.source_count = 2;
	b.points.sources[0] = (struct point_source){.asked = &asked, .first = 0, .count = 1};
	b.points.sources[1] = (struct point_source){.asked = &asked, .first = 1, .count = 2};
	b.point_events = (struct point_events){
		.recording = &b.made.recording, .probe = &b.probe, .points = &b.points};
	made_check(point_events_init(&b.point_events));
	b.has_points = true;
	b.probe.points[1][CPU].counters[RING_COUNT_RECORDED] = 60;
	b.probe.points[1][CPU].counters[RING_COUNT_RATE_LIMITED] = 7;
	b.probe.points[1][CPU].counters[RING_COUNT_NESTED] = 1;
	b.probe.points[1][CPU].counters[RING_COUNT_TRUNCATED] = 9;
	b.point_events.filtered[FAKE_CPUS + CPU] = 20;
	b.point_events.whole[FAKE_CPUS + CPU] = 4;
	b.point_events.refused = 2;
	b.probe.missed[0] = 5;
	b.probe.hits[1] = (struct ring_point_hits){.hits = 11, .skipped = 1};
	b.probe.hits[2].hits = 99; /* is not attached */
	tell(&b, SECOND, false);
	CHECK_INT(t, total(&b, POINTS_SOURCE + 1, CPU, LOSS_RECORDED, NULL), 40);
	CHECK_INT(t, total(&b, POINTS_SOURCE + 1, CPU, LOSS_FILTERED, NULL), 20);
	CHECK_INT(t, total(&b, POINTS_SOURCE + 1, CPU, LOSS_RATE_LIMITED, NULL), 7);
	CHECK_INT(t, total(&b, POINTS_SOURCE + 1, CPU, LOSS_TRUNCATED, NULL), 5);
	CHECK_INT(t, total(&b, POINTS_SOURCE, 0, LOSS_RECURSION, NULL), 5);
	CHECK_INT(t, total(&b, POINTS_SOURCE, 0, LOSS_ENCODER, NULL), 2);
	CHECK_INT(t, b.loss.lost, 5 + 2 + 1);
	CHECK_INT(t, b.loss.left_out, 20 + 7);
	CHECK_INT(t, told_count(&b.made, EVENT_PROBE_HITS), 1);
	CHECK_INT(t, told(&b.made, EVENT_PROBE_HITS, 0)->event.probe_hits.hits, 11);
	point_events_deinit(&b.point_events);
	bench_close(&b);
}

TEST_MAIN(TEST(each_counter_is_told_as_its_cause), TEST(late_filters_move_what_was_recorded),
	  TEST(missed_samples_are_the_idle_cpu_s_or_the_busy_one_s),
	  TEST(cycles_are_counted_in_their_mean), TEST(what_the_kernel_throttled_is_told),
	  TEST(what_was_not_written_is_lost),
	  TEST(waits_have_wakers_and_refusals_beside), TEST(points_have_accounts_of_their_own))
