/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hits of tracepoints and functions, laid out by hand: what is written about each, about their
 * sources, and how often each was hit.
 */
#include "record/source/point_events.h"

#include "record/probe/points.h"
#include "tests/test.h"
#include "tests/unit/record/fake_clock.h"
#include "tests/unit/record/fake_kernel_map.h"
#include "tests/unit/record/fake_probe.h"
#include "tests/unit/record/made_recording.h"
#include "tests/unit/record/made_samples.h"

enum { CPU = 2, TID = 70, SOURCE = 5, POINTS = 3 };
#define CODE UINT64_C(0x400000)

static const struct record_point ASKED[FAKE_SOURCES] = {
	{.text = "sched:sched_switch,5", .length = 18},
	{.text = "/^tcp_/", .length = 7, .function = true},
};

struct bench {
	struct kernel_map map;
	struct made_recording made;
	struct probe probe;
	struct filter filter;
	struct point items[POINTS];
	struct points points;
	struct point_events events;
};

/* One tracepoint, and two functions, one of which could not be attached. */
static void bench_open(struct bench *b)
{
	*b = (struct bench){
		.items = {{.name = "sched_switch", .category = "sched", .source = 0, .hook = POINT_RAW_TRACEPOINT},
			  {.name = "tcp_one", .source = 1, .hook = POINT_NOT_ATTACHED},
			  {.name = "tcp_two", .source = 1, .hook = POINT_KPROBE}},
		.points = {.source_count = FAKE_SOURCES,
			   .sources = {{.asked = &ASKED[0], .first = 0, .count = 1},
				       {.asked = &ASKED[1], .is_set = true, .first = 1, .count = 2}}},
	};
	b->points.items.items = b->items;
	b->points.items.count = POINTS;
	made_recording_open_with(&b->made, FAKE_CPUS, &b->map);
	b->events = (struct point_events){.recording = &b->made.recording,
					  .probe = &b->probe,
					  .filter = &b->filter,
					  .points = &b->points,
					  .first_source = SOURCE};
	made_check(point_events_init(&b->events));
}

static void bench_close(struct bench *b)
{
	point_events_deinit(&b->events);
	made_recording_close(&b->made);
}

static struct made_sample_record hit(uint64_t time, uint32_t point, uint16_t source)
{
	return (struct made_sample_record){.raw = {.head = {.time = time, .cpu = CPU,
							    .kind = RING_HIT, .source = source},
						.point = point,
						.kernel_count = 2,
						.user_count = 1,
						.task = made_ring_task(TID, "worker")},
					.frames = {FAKE_KERNEL + 0x10, FAKE_KERNEL + 0x20, CODE + 0x30}};
}

static void take(struct bench *b, const struct made_sample_record *record)
{
	point_events_take(&b->events, &record->raw.head, made_sample_bytes(record));
}

static void a_hit_is_a_sample_of_its_probe(struct test *t)
{
	struct made_sample_record record = hit(5000, 3, SOURCE + 1);
	const struct told *event;
	struct bench b;

	bench_open(&b);
	take(&b, &record);
	record.raw.user_count = 0;
	record.raw.flags = RING_SAMPLE_NO_USER_FAULT | RING_SAMPLE_KERNEL_TRUNCATED;
	take(&b, &record);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_SAMPLE) == 2);
	event = told(&b.made, EVENT_SAMPLE, 0);
	CHECK(t, event->event.sample.time == 5000 && event->event.sample.cpu == CPU &&
			 event->event.sample.source == SOURCE + 1 && event->event.sample.probe == 3);
	CHECK_STR(t, event->task.comm, "worker");
	CHECK(t, event->kernel_count == 2 && event->kernel[1] == fake_kernel_frame(FAKE_KERNEL + 0x20));
	CHECK(t, event->user_count == 1 && event->user[0] == CODE + 0x30);
	CHECK_INT(t, event->event.sample.flags & SAMPLE_KERNEL_TRUNCATED, 0);
	event = told(&b.made, EVENT_SAMPLE, 1);
	CHECK_INT(t, event->event.sample.missing, USER_MISSING_FAULT);
	CHECK_INT(t, event->event.sample.flags & SAMPLE_KERNEL_TRUNCATED, SAMPLE_KERNEL_TRUNCATED);
	CHECK_INT(t, b.events.refused, 0);
	bench_close(&b);
}

static void what_is_no_hit_is_refused(struct test *t)
{
	const struct made_sample_record good = hit(5000, 1, SOURCE);
	struct made_sample_record bad[6];
	struct bench b;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		bad[i] = good;
	bad[0].raw.point = 0;
	bad[1].raw.point = POINTS + 1;
	bad[2].raw.head.cpu = FAKE_CPUS;
	bad[3].raw.kernel_count = RING_MAX_FRAMES + 1;
	bad[4].raw.user_count = RING_MAX_FRAMES + 1;
	bad[5].raw.head.source = UINT16_MAX; /* refused by the encoder */
	bench_open(&b);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		point_events_take(&b.events, &bad[i].raw.head, i < 3 ? made_sample_bytes(&good) : 1 << 20);
		CHECK_INT(t, b.events.refused, i + 1);
	}
	point_events_take(&b.events, &good.raw.head, made_sample_bytes(&good) - 1);
	point_events_take(&b.events, &good.raw.head, sizeof(good.raw) - 1);
	CHECK_INT(t, b.events.refused, sizeof(bad) / sizeof(bad[0]) + 2);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_SAMPLE), 0);
	CHECK_INT(t, b.made.recording.stop, RECORDING_RUNS);
	bench_close(&b);
}

static void a_late_filter_counts_by_source_and_cpu(struct test *t)
{
	struct made_sample_record record = hit(5000, 1, SOURCE);
	struct bench b;

	bench_open(&b);
	made_check(made_late_filter(&b.filter, "^idl[e]"));
	take(&b, &record);
	record.raw.head.source = SOURCE + 1;
	take(&b, &record);
	record.raw.flags = RING_SAMPLE_KERNEL_TRUNCATED;
	take(&b, &record);
	record.raw.task = made_ring_task(TID, "idler");
	take(&b, &record);
	CHECK_INT(t, b.events.whole[CPU], 0);
	CHECK_INT(t, b.events.whole[FAKE_CPUS + CPU], 1); /* the one that was kept out is not cut in the trace */
	CHECK_INT(t, b.events.filtered[CPU], 1);
	CHECK_INT(t, b.events.filtered[FAKE_CPUS + CPU], 2);
	CHECK_INT(t, b.events.filtered[0], 0);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_SAMPLE), 1);
	filter_deinit(&b.filter);
	bench_close(&b);
}

static void sources_run_from_the_start_to_their_own_stop(struct test *t)
{
	const struct event_source *source;
	struct bench b;

	bench_open(&b);
	point_events_stop(&b.events, 0, FAKE_SOURCES); /* none has begun */
	CHECK(t, !b.events.stop[0] && !b.events.stop[1]);
	fake_now = 2000;
	point_events_start(&b.events, 1000);
	CHECK(t, b.probe.armed[0] && b.probe.armed[1]);
	point_events_stop(&b.events, 1, 1);
	CHECK(t, b.probe.armed[0] && !b.probe.armed[1]);
	CHECK(t, !b.events.stop[0] && b.events.stop[1] == 2000);
	point_events_tell_sources(&b.events);
	fake_now = 3000;
	point_events_stop(&b.events, 0, RECORD_MAX_POINTS);
	CHECK(t, !b.probe.armed[0] && b.events.stop[0] == 3000 && b.events.stop[1] == 2000);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_SOURCE) == 2);
	source = &told(&b.made, EVENT_SOURCE, 0)->event.source;
	CHECK(t, source->id == SOURCE && source->kind == SOURCE_TRACEPOINT && source->weight == WEIGHT_COUNT);
	/* It was running then. */
	CHECK(t, source->start == 1000 && source->stop == 1000 && source->flags == SOURCE_USER_STACKS);
	CHECK(t, source->name.length == 18 && !memcmp(source->name.bytes, "sched:sched_switch", 18));
	source = &told(&b.made, EVENT_SOURCE, 1)->event.source;
	CHECK(t, source->id == SOURCE + 1 && source->kind == SOURCE_KFUNC && source->stop == 2000);
	bench_close(&b);
}

static void what_is_attached_is_told(struct test *t)
{
	const struct event_probe *probe;
	struct bench b;

	bench_open(&b);
	point_events_tell_sources(&b.events);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_PROBE) == 2);
	probe = &told(&b.made, EVENT_PROBE, 0)->event.probe;
	CHECK(t, probe->id == 1 && probe->source == SOURCE && probe->hook == HOOK_RAW_TRACEPOINT);
	CHECK(t, probe->name.length == 18 && !memcmp(probe->name.bytes, "sched:sched_switch", 18));
	probe = &told(&b.made, EVENT_PROBE, 1)->event.probe;
	CHECK(t, probe->id == 3 && probe->source == SOURCE + 1 && probe->hook == HOOK_KPROBE);
	bench_close(&b);
}

static void hits_are_told_where_they_changed(struct test *t)
{
	const struct event_probe_hits *hits;
	struct bench b;

	bench_open(&b);
	b.probe.hits[1] = (struct ring_point_hits){.hits = 10, .skipped = 4};
	b.probe.hits[2].hits = 99; /* is not attached */
	b.probe.missed[0] = 6;
	b.probe.missed[1] = 7; /* for which of its points is unknown */
	point_events_tell_hits(&b.events, 100, false);
	point_events_tell_hits(&b.events, 200, false);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_PROBE_HITS) == 1);
	hits = &told(&b.made, EVENT_PROBE_HITS, 0)->event.probe_hits;
	CHECK(t, hits->time == 100 && hits->probe == 1 && hits->hits == 10 && hits->skipped == 4 && hits->missed == 6);
	b.probe.hits[3].hits = 1;
	point_events_tell_hits(&b.events, 300, false);
	made_recording_read(&b.made);
	REQUIRE(t, told_count(&b.made, EVENT_PROBE_HITS) == 2);
	hits = &told(&b.made, EVENT_PROBE_HITS, 1)->event.probe_hits;
	CHECK(t, hits->time == 300 && hits->probe == 3 && hits->hits == 1 && hits->missed == 0);
	point_events_tell_hits(&b.events, 400, true);
	made_recording_read(&b.made);
	CHECK_INT(t, told_count(&b.made, EVENT_PROBE_HITS), 4);
	bench_close(&b);
}

TEST_MAIN(TEST(a_hit_is_a_sample_of_its_probe), TEST(what_is_no_hit_is_refused),
	  TEST(a_late_filter_counts_by_source_and_cpu), TEST(sources_run_from_the_start_to_their_own_stop),
	  TEST(what_is_attached_is_told), TEST(hits_are_told_where_they_changed))
