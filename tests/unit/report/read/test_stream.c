/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/event_stream.h"

#include "tests/make_events.h"
#include "tests/test.h"

static const uint64_t stack[] = {0x1000, 0};

static struct made_trace *begin(char path[32])
{
	struct made_trace *trace;

	memcpy(path, "/tmp/rwalker-test-XXXXXX", 25);
	close(mkstemp(path));
	trace = made_trace_begin(path);
	made_trace_source(trace, &(struct event_source){.id = 1, .kind = SOURCE_CPU}, "cpu-clock");
	return trace;
}

static void sample(struct made_trace *trace, uint32_t cpu, uint64_t time)
{
	made_trace_sample(trace, &(struct made_sample){.time = time, .cpu = cpu, .tgid = 1,
						       .tid = 1, .comm = "x", .user = stack});
}

struct seen {
	uint64_t events, sum, disorder;
	struct stream_totals totals;
};

static struct seen read_all(struct test *t, const char *path)
{
	struct trace_file *file = NULL;
	struct event_stream *stream;
	struct stream_event event;
	struct seen seen = {0};
	uint64_t last = 0;

	if (!CHECK(t, trace_file_open(path, NULL, &file) == 0))
		return seen;
	for (uint32_t section = 0; section < file->model_count; section++) {
		CHECK(t, event_stream_create(file, section, &stream) == 0);
		for (last = 0; event_stream_next(stream, &event) == 1; seen.events++) {
			seen.sum += event.event->time;
			seen.disorder += event.event->time < last;
			last = event.event->time;
		}
		event_stream_totals(stream, &seen.totals);
		event_stream_destroy(stream);
	}
	trace_file_close(file);
	unlink(path);
	return seen;
}

/* CPU 1's ring is drained a few chunks late. */
static void puts_overlapping_chunks_in_order(struct test *t)
{
	struct made_trace *trace;
	uint64_t sum = 0;
	struct seen seen;
	char path[32];

	trace = begin(path);
	for (uint64_t i = 0; i < 10000; i++) {
		uint64_t time = 1000000 + i * 100 - (i % 2 ? 0 : (i < 900 ? i : 900) * 100);

		sample(trace, i % 2, time);
		sum += time;
		if (i % 300 == 299)
			made_trace_flush(trace);
	}
	made_trace_end(trace);
	seen = read_all(t, path);
	CHECK_INT(t, seen.events, 10000);
	CHECK_INT(t, seen.sum, sum);
	CHECK_INT(t, seen.disorder, 0);
	CHECK_INT(t, seen.totals.out_of_order, 0);
}

/* Every chunk spans the whole time: more than can be open at once. Nothing is lost, and it is reported. */
static void says_when_too_much_overlaps(struct test *t)
{
	struct made_trace *trace;
	struct seen seen;
	char path[32];

	trace = begin(path);
	for (uint64_t chunk = 0; chunk < 3 * STREAM_OPEN_MAX; chunk++) {
		for (uint64_t i = 0; i < 100; i++)
			sample(trace, 0, 1000 + i * 1000 + chunk);
		made_trace_flush(trace);
	}
	made_trace_end(trace);
	seen = read_all(t, path);
	CHECK_INT(t, seen.events, 300 * STREAM_OPEN_MAX);
	CHECK(t, seen.totals.out_of_order > 0);
	CHECK(t, seen.totals.out_of_order >= seen.disorder);
}

static void reads_sections_one_after_the_other(struct test *t)
{
	char one[32], two[32], command[128];
	struct made_trace *trace;
	struct seen seen;

	trace = begin(one);
	sample(trace, 0, 5000);
	made_trace_end(trace);
	trace = begin(two);
	sample(trace, 0, 4000);
	made_trace_end(trace);
	snprintf(command, sizeof(command), "cat %s >>%s", two, one);
	REQUIRE(t, system(command) == 0);
	unlink(two);
	seen = read_all(t, one);
	CHECK_INT(t, seen.events, 2);
	CHECK_INT(t, seen.sum, 9000);
}

TEST_MAIN(TEST(puts_overlapping_chunks_in_order), TEST(says_when_too_much_overlaps),
	  TEST(reads_sections_one_after_the_other))
