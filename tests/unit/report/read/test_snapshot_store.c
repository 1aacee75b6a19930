/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Snapshots of a trace by number, in any order, also where numbers have started again after the largest. */
#include "report/read/snapshot_store.h"

#include "format/snapshot_number.h"
#include "report/read/trace_file.h"
#include "tests/make_events.h"
#include "tests/test.h"

enum { SNAPSHOTS = 90, A_CHUNK = 10 };

/* Each holds its own number. */
static void add(struct test *t, struct made_trace *trace, uint32_t number)
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
static struct trace_file *make(struct test *t, uint32_t last, char path[32])
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
		add(t, trace, last);
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
	struct trace_file *file = make(t, last, path);

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

TEST_MAIN(TEST(numbers_begin_again), TEST(numbers_in_the_upper_half))
