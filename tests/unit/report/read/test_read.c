/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The events of a trace in order, what processes had mapped, snapshots by number; and Ctrl-C while it is read. */
#include "report/read/event_stream.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/snapshot_number.h"
#include "report/read/progress.h"
#include "report/read/snapshot_store.h"
#include "report/read/timeline.h"
#include "report/read/trace_file.h"
#include "tests/make_trace.h"
#include "tests/random.h"
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
		event_stream_add_totals(stream, &seen.totals);
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

/* --- timeline --- */

static void add(struct test *t, struct timeline *timeline, enum timeline_kind kind, uint64_t time, uint32_t tgid,
		uint32_t other, uint64_t start)
{
	struct timeline_entry entry = {.time = time,
				       .kind = kind,
				       .tgid = tgid,
				       .other = other,
				       .start = start,
				       .length = kind <= TIMELINE_MAP_BEFORE ? 0x1000 : 0};

	CHECK(t, timeline_add(timeline, &entry) == 0);
}

/* The module at an address of a process, at a time not before that of the last call; 0: none. */
static uint32_t module_at(struct test *t, struct timeline *timeline, uint64_t time, uint32_t tgid, uint64_t address)
{
	struct mapping mapping = {0};
	uint32_t process;

	CHECK(t, timeline_advance(timeline, time) == 0);
	CHECK(t, timeline_process(timeline, tgid, &process) == 0);
	timeline_touch(timeline, process);
	return timeline_find(timeline, process, address, &mapping) ? mapping.module : 0;
}

static void sorts_what_comes_out_of_order(struct test *t)
{
	struct timeline timeline;

	REQUIRE(t, timeline_init(&timeline) == 0);
	add(t, &timeline, TIMELINE_MAP, 30, 1, 13, 0x1000);
	add(t, &timeline, TIMELINE_MAP, 10, 1, 11, 0x1000);
	add(t, &timeline, TIMELINE_EXEC, 20, 1, 0, 0);
	REQUIRE(t, timeline_rewind(&timeline) == 0);
	CHECK_INT(t, module_at(t, &timeline, 9, 1, 0x1800), 0);
	CHECK_INT(t, module_at(t, &timeline, 10, 1, 0x1800), 11);
	CHECK_INT(t, module_at(t, &timeline, 20, 1, 0x1800), 0);
	CHECK_INT(t, module_at(t, &timeline, 31, 1, 0x1800), 13);
	timeline_deinit(&timeline);
}

static void takes_initial_mappings_back_to_the_beginning(struct test *t)
{
	struct timeline timeline;

	REQUIRE(t, timeline_init(&timeline) == 0);
	add(t, &timeline, TIMELINE_MAP_BEFORE, 100, 1, 11, 0x1000);
	add(t, &timeline, TIMELINE_EXEC, 50, 2, 0, 0); /* called exec while the walk was under way */
	add(t, &timeline, TIMELINE_MAP_BEFORE, 100, 2, 12, 0x1000);
	REQUIRE(t, timeline_rewind(&timeline) == 0);
	CHECK_INT(t, module_at(t, &timeline, 1, 1, 0x1800), 11);
	CHECK_INT(t, module_at(t, &timeline, 60, 2, 0x1800), 0);
	CHECK_INT(t, module_at(t, &timeline, 100, 2, 0x1800), 12);
	timeline_deinit(&timeline);
}

static void remembers_the_program_before_an_exec(struct test *t)
{
	struct timeline timeline;
	struct mapping mapping;
	uint32_t process;

	REQUIRE(t, timeline_init(&timeline) == 0);
	add(t, &timeline, TIMELINE_MAP, 10, 1, 11, 0x1000);
	add(t, &timeline, TIMELINE_EXEC, 20, 1, 0, 0);
	add(t, &timeline, TIMELINE_EXEC, 30, 1, 0, 0);
	REQUIRE(t, timeline_rewind(&timeline) == 0);
	REQUIRE(t, timeline_advance(&timeline, 25) == 0);
	REQUIRE(t, timeline_process(&timeline, 1, &process) == 0);
	CHECK(t, !timeline_find(&timeline, process, 0x1800, &mapping));
	REQUIRE(t, timeline_find_before_exec(&timeline, process, 0x1800, &mapping));
	CHECK_INT(t, mapping.module, 11);
	REQUIRE(t, timeline_advance(&timeline, 35) == 0);
	CHECK(t, !timeline_find_before_exec(&timeline, process, 0x1800, &mapping));
	timeline_deinit(&timeline);
}

static void lets_the_dead_speak_until_many_have_died(struct test *t)
{
	enum { OTHERS = 20000 };
	struct timeline timeline;

	REQUIRE(t, timeline_init(&timeline) == 0);
	add(t, &timeline, TIMELINE_MAP, 10, 1, 11, 0x1000);
	add(t, &timeline, TIMELINE_MAP, 10, 2, 12, 0x1000);
	add(t, &timeline, TIMELINE_EXIT, 20, 1, 0, 0);
	add(t, &timeline, TIMELINE_EXIT, 20, 2, 0, 0); /* the leader; other threads continue */
	for (uint32_t i = 0; i < OTHERS; i++) {
		add(t, &timeline, TIMELINE_FORK, 100 + i, 10 + i, 2, 0);
		add(t, &timeline, TIMELINE_EXIT, 101 + i, 10 + i, 0, 0);
	}
	REQUIRE(t, timeline_rewind(&timeline) == 0);
	CHECK_INT(t, module_at(t, &timeline, 21, 2, 0x1800), 12);
	for (uint32_t i = 0; i < OTHERS; i += 1000) {
		CHECK_INT(t, module_at(t, &timeline, 100 + i, 2, 0x1800), 12);
		CHECK_INT(t, module_at(t, &timeline, 100 + i, 10 + i, 0x1800), 12); /* its child */
	}
	CHECK_INT(t, module_at(t, &timeline, 100 + OTHERS, 1, 0x1800), 0);
	CHECK_INT(t, timeline.refused, 0);
	timeline_deinit(&timeline);
}

static void ignores_impossible_mappings(struct test *t)
{
	struct timeline timeline;
	struct timeline_entry entry = {.kind = TIMELINE_MAP, .tgid = 1, .other = 11,
				       .start = UINT64_MAX - 10, .length = 100};

	REQUIRE(t, timeline_init(&timeline) == 0);
	CHECK(t, timeline_add(&timeline, &entry) == 0);
	entry.start = 0x1000;
	entry.length = 0;
	CHECK(t, timeline_add(&timeline, &entry) == 0);
	REQUIRE(t, timeline_rewind(&timeline) == 0);
	CHECK_INT(t, module_at(t, &timeline, 1, 1, UINT64_MAX - 5), 0);
	CHECK_INT(t, module_at(t, &timeline, 1, 1, 0x1000), 0);
	timeline_deinit(&timeline);
}

/* Entries of the same time stay in the order in which they were added, also after a return to the beginning. */
static void keeps_the_order_of_what_is_of_one_time(struct test *t)
{
	enum { COUNT = 5000, TIMES = 700 };
	struct random random = random_make(7);
	struct timeline timeline;

	REQUIRE(t, timeline_init(&timeline) == 0);
	for (uint32_t i = 0; i < COUNT; i++)
		add(t, &timeline, i % 5 ? TIMELINE_MAP : TIMELINE_MAP_BEFORE, 1 + random_below(&random, TIMES), 1 + i,
		    11, 0x1000);
	REQUIRE(t, timeline_rewind(&timeline) == 0);
	CHECK_INT(t, timeline.entries.count, COUNT);
	CHECK_INT(t, timeline.entries.items[COUNT / 5 - 1].time, 0);
	CHECK(t, timeline.entries.items[COUNT / 5].time > 0);
	for (size_t i = 1; i < COUNT; i++) {
		const struct timeline_entry *one = &timeline.entries.items[i - 1], *next = one + 1;

		if (one->time > next->time || (one->time == next->time && one->order >= next->order)) {
			CHECK_INT(t, i, COUNT);
			break;
		}
		CHECK_INT(t, next->tgid, 1 + next->order);
	}
	timeline_deinit(&timeline);
}

/* --- snapshot store --- */

/* Snapshots of a trace by number, in any order, also where numbers have started again after the largest. */

enum { SNAPSHOTS = 90, A_CHUNK = 10 };

/* Each holds its own number. */
static void add_numbered(struct test *t, struct made_trace *trace, uint32_t number)
{
	const uint64_t words[] = {number, 2};
	const struct snapshot snapshot = {.time = 300, .known = 1, .registers = {number},
					  .address = 0x7000, .words = words, .count = 2};
	struct event_log_snapshot added;

	made_trace_check(event_log_add_snapshot(trace->log, (struct snapshot_owner){number % 3, 0}, &snapshot, &added),
			 "snapshot");
	CHECK_INT(t, added.number, number);
}

/* The numbers after `last`. */
static struct trace_file *make_numbered(struct test *t, uint32_t last, char path[32])
{
	struct trace_file *file = NULL;
	struct made_trace *trace;

	memcpy(path, "/tmp/rwalker-test-XXXXXX", 25);
	close(mkstemp(path));
	trace = made_trace_begin(path);
	made_trace_source(trace, &(struct event_source){.id = 1, .kind = SOURCE_CPU}, "cpu-clock");
	made_trace_check(event_log_want_snapshots(trace->log), "snapshots");
	event_log_wrap_snapshots(trace->log, last);
	for (uint32_t i = 0; i < SNAPSHOTS; i++) {
		last = snapshot_after(last);
		add_numbered(t, trace, last);
		if (i % A_CHUNK == A_CHUNK - 1)
			made_trace_check(event_log_flush(trace->log), "flush");
	}
	made_trace_end(trace);
	CHECK(t, trace_file_open(path, NULL, &file) == 0);
	return file;
}

static bool is_there(struct snapshot_store *store, uint32_t number)
{
	struct snapshot snapshot;

	return snapshot_store_get(store, number, 0, &snapshot) == 1 && snapshot.words[0] == number &&
	       snapshot.registers[0] == number;
}

static void find_all(struct test *t, uint32_t last)
{
	struct snapshot_store *store;
	uint32_t number = last, missing = 0;
	char path[32];
	struct trace_file *file = make_numbered(t, last, path);

	REQUIRE(t, file && !snapshot_store_create(file, 0, &store));
	for (uint32_t i = 0; i < SNAPSHOTS; i++) {
		number = snapshot_after(number);
		missing += !is_there(store, number) + !is_there(store, snapshot_after(last));
	}
	CHECK_INT(t, missing, 0);
	CHECK(t, !is_there(store, snapshot_after(number)) && !is_there(store, last));
	snapshot_store_destroy(store);
	trace_file_close(file);
	unlink(path);
}

static void numbers_begin_again(struct test *t)
{
	find_all(t, UINT32_MAX - SNAPSHOTS / 2); /* within a chunk */
	find_all(t, UINT32_MAX - 5 * A_CHUNK);	 /* between two */
}

static void numbers_in_the_upper_half(struct test *t)
{
	find_all(t, SNAPSHOTS_MAX - 3);
	find_all(t, UINT32_MAX - 2 * SNAPSHOTS);
}

/* --- progress --- */

static void says_where_it_stands(struct test *t)
{
	char line[80];

	progress_format(line, sizeof(line), "lines of", "libfoo.so.1", 43, 100);
	CHECK_STR(t, line, "lines of libfoo.so.1: 43%");
	progress_format(line, sizeof(line), "names", "libfoo.so.1", 0, 0);
	CHECK_STR(t, line, "names libfoo.so.1");
	progress_format(line, sizeof(line), "copying", NULL, 999, 1000);
	CHECK_STR(t, line, "copying: 99%");
	progress_format(line, sizeof(line), "copying", NULL, 7, 5);
	CHECK_STR(t, line, "copying: 100%");
	progress_format(line, sizeof(line), "reading", "\033[2J\n", UINT64_MAX / 2, UINT64_MAX);
	CHECK_STR(t, line, "reading \\x1b[2J\\x0a: 50%");
}

static int disposition(void)
{
	struct sigaction now;

	if (sigaction(SIGINT, NULL, &now) < 0)
		return -1;
	return now.sa_handler == SIG_DFL ? 0 : now.sa_handler == SIG_IGN ? 1 : 2;
}

static void notes_the_first(struct test *t)
{
	struct progress progress;

	progress_init(&progress);
	progress_enter(&progress);
	progress_enter(&progress);
	CHECK_INT(t, disposition(), 2);
	CHECK(t, !progress_stopped(&progress));
	progress_leave(&progress);
	CHECK_INT(t, disposition(), 2);
	(void)raise(SIGINT);
	CHECK_INT(t, disposition(), 0);
	CHECK(t, progress_step(&progress, "reading", NULL, 1, 2));
	CHECK(t, progress_stopped(&progress));
	progress_leave(&progress);
	progress_enter(&progress);
	CHECK_INT(t, disposition(), 0); /* the next one is no longer ours */
	CHECK(t, progress_stopped(&progress));
	progress_leave(&progress);
}

static void leaves_it_as_it_was(struct test *t)
{
	struct progress progress;

	progress_init(&progress);
	progress_enter(&progress);
	progress_leave(&progress);
	CHECK_INT(t, disposition(), 0);
	CHECK(t, !progress_stopped(&progress));
	(void)signal(SIGINT, SIG_IGN);
	progress_enter(&progress);
	(void)raise(SIGINT);
	CHECK(t, !progress_stopped(&progress));
	progress_leave(&progress);
	CHECK_INT(t, disposition(), 1);
	(void)signal(SIGINT, SIG_DFL);
}

static void dies_of_the_second(struct test *t)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct progress progress;

		progress_init(&progress);
		progress_enter(&progress);
		(void)raise(SIGINT);
		(void)raise(SIGINT);
		_exit(0);
	}
	REQUIRE(t, child > 0 && waitpid(child, &status, 0) == child);
	CHECK(t, WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

TEST_MAIN(TEST(puts_overlapping_chunks_in_order), TEST(sorts_what_comes_out_of_order),
	  TEST(takes_initial_mappings_back_to_the_beginning),
	  TEST(remembers_the_program_before_an_exec),
	  TEST(lets_the_dead_speak_until_many_have_died), TEST(ignores_impossible_mappings),
	  TEST(keeps_the_order_of_what_is_of_one_time), TEST(numbers_begin_again),
	  TEST(numbers_in_the_upper_half), TEST(says_where_it_stands), TEST(notes_the_first),
	  TEST(leaves_it_as_it_was), TEST(dies_of_the_second))
