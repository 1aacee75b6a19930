/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>

#include "format/event_decoder.h"
#include "format/event_layout.h"
#include "format/limits.h"
#include "format/varint.h"
#include "tests/fault/steps.h"
#include "tests/test.h"

static const uint64_t MS = 1000000;

struct bench { /* a log on a file in memory */
	struct memory_io m;
	struct trace_writer *writer;
	struct event_log *log;
};

static void bench_open(struct bench *b)
{
	*b = (struct bench){0};
	memory_io_open(&b->m);
	if (trace_writer_create(&b->m.io, 3, &(struct trace_writer_settings){0}, &b->writer) < 0 ||
	    event_log_create(b->writer, STEP_CPUS, &b->log) < 0)
		abort();
}

static void bench_close(struct bench *b)
{
	event_log_destroy(b->log);
	trace_writer_destroy(b->writer);
	memory_io_close(&b->m);
}

static void what_breaks_a_limit_is_left_out_alone(struct test *t)
{
	struct event bad = {.kind = EVENT_MODULE, .module = {.id = RWK_MAX_MODULES + 1}};
	struct steps_whole whole = steps_whole_make(2, 100);
	struct steps_found found;
	struct bench b;

	bench_open(&b);
	CHECK_INT(t, step_add(b.log, 0, 100), 0);
	CHECK_INT(t, event_log_add(b.log, &bad), -EINVAL);
	CHECK_INT(t, step_add(b.log, 1, 100), 0);
	CHECK_INT(t, event_log_close(b.log, RWK_END_CLEAN, &bad, 1), -EINVAL); /* and the trace is closed */
	found = steps_check(&b.m.io, 3, &whole);
	CHECK(t, found.steps == 2 && !found.wrong && found.closed == 1);
	free(whole.chunks);
	bench_close(&b);
}

static uint64_t unwritten_in_the_trace(struct bench *b)
{
	struct trace_reader *reader = NULL;
	struct event_decoder *decoder = NULL;
	const struct trace_chunk *chunks;
	uint8_t *payload = malloc(RWK_MAX_RAW_CHUNK);
	struct event event;
	uint64_t total = 0;

	if (!payload || trace_reader_create(&b->m.io, 3, &reader) < 0 || event_decoder_create(&decoder) < 0)
		abort();
	for (size_t i = 0, count = trace_reader_chunks(reader, &chunks); i < count; i++) {
		if (chunks[i].header.type != RWK_CHUNK_END || trace_reader_load(reader, &chunks[i], payload) < 0)
			continue;
		event_decoder_start(decoder, payload, chunks[i].header.raw_size);
		while (event_decoder_next(decoder, &event) > 0)
			if (event.kind == EVENT_LOSS && event.loss.cause == LOSS_UNWRITTEN)
				total += event.loss.total;
	}
	event_decoder_destroy(decoder);
	trace_reader_destroy(reader);
	free(payload);
	return total;
}

/* What was in the open chunk, and later events, are counted; the count is stored in END. */
static void what_is_not_written_is_counted(struct test *t)
{
	struct event loss = {.kind = EVENT_LOSS, .loss = {.time = STEP_BASE + 1000 * MS, .cause = LOSS_UNWRITTEN}};
	struct event_log_count count;
	struct bench b;

	bench_open(&b);
	for (uint32_t i = 0; i < 4; i++)
		CHECK_INT(t, step_add(b.log, i, 4), 0);
	for (uint32_t i = 4; i < 7; i++)
		CHECK_INT(t, step_add(b.log, i, STEPS_MAX), 0);
	b.m.call = CALL_WRITEV;
	b.m.error = -EIO;
	b.m.nth = b.m.counts[CALL_WRITEV] + 1;
	CHECK_INT(t, event_log_flush(b.log), -EIO);
	CHECK_INT(t, step_add(b.log, 7, STEPS_MAX), -EIO);
	event_log_count(b.log, 1, &count);
	CHECK_INT(t, count.held, 4);
	CHECK_INT(t, count.unwritten, 4);
	loss.loss.total = count.unwritten;
	CHECK_INT(t, event_log_add(b.log, &loss), 0);
	CHECK_INT(t, event_log_add_meta(b.log, "too", "late"), -EIO);
	CHECK_INT(t, event_log_close(b.log, RWK_END_CLEAN, NULL, 0), -EIO);
	CHECK_INT(t, unwritten_in_the_trace(&b), 4);
	bench_close(&b);
}

/* Takes out the records of a kind; returns how many bytes are left. */
static size_t without(uint64_t kind, const uint8_t *payload, size_t length, uint8_t *ret_left)
{
	struct byte_cursor cursor = byte_cursor_make(payload, length);
	size_t left = 0;

	while (byte_cursor_left(&cursor)) {
		const uint8_t *start = cursor.next;
		struct byte_cursor record = byte_cursor_sub(&cursor, byte_cursor_varint(&cursor));

		if (byte_cursor_varint(&record) == kind)
			continue;
		memcpy(ret_left + left, start, (size_t)(cursor.next - start));
		left += (size_t)(cursor.next - start);
	}
	return left;
}

static bool same_numbers(const struct event *one, const struct event *other)
{
	const struct event_layout *layout = event_layout_find(one->kind);

	if (one->kind != other->kind)
		return false;
	for (const struct event_field *field = layout->fields; field->type && field->type < FIELD_TEXT; field++)
		if (event_field_value(field, &one->meta) != event_field_value(field, &other->meta))
			return false;
	return true;
}

/* Whether a reader that does not know the kind reads all others as they are. */
static bool is_skipped_well(uint64_t kind, const uint8_t *payload, size_t length)
{
	uint8_t *left = malloc(length);
	struct event_decoder *whole = NULL, *old = NULL;
	struct event event, read;
	bool well = true;

	if (!left || event_decoder_create(&whole) < 0 || event_decoder_create(&old) < 0)
		abort();
	event_decoder_start(whole, payload, length);
	event_decoder_start(old, left, without(kind, payload, length, left));
	while (event_decoder_next(whole, &event) > 0)
		if (event.kind != kind)
			well = event_decoder_next(old, &read) > 0 && same_numbers(&event, &read) && well;
	event_decoder_destroy(whole);
	event_decoder_destroy(old);
	free(left);
	return well;
}

/* A record of each kind that STATE may have, most of them twice. */
static void add_state(struct event_log *log)
{
	const struct event events[] = {
		{.kind = EVENT_META, .meta = {step_text("host.name"), step_text("a\033[2Jb")}},
		{.kind = EVENT_CLOCK, .clock = {STEP_BASE, 1, 2}},
		{.kind = EVENT_EXIT, .exit = {STEP_BASE + 5, 100, 100}}, {.kind = EVENT_BUDGET, .budget = {1, 2, 2, 2}},
		{.kind = EVENT_LOSS, .loss = {STEP_BASE, 1, 0, LOSS_RING_FULL, 300}},
		{.kind = EVENT_COST, .cost = {STEP_BASE, 1, 2, 3, 4, 5, 6}},
		{.kind = EVENT_MAPS_UNAVAILABLE, .maps_unavailable = {STEP_BASE, 100, 110}},
		{.kind = EVENT_PROBE, .probe = {3, STEP_CPU, HOOK_FENTRY, step_text("vfs_read")}},
		{.kind = EVENT_PROBE_HITS, .probe_hits = {STEP_BASE, 3, 1000, 20, 1}},
		{.kind = EVENT_COUNTER, .counter = {STEP_BASE, 1, 2, 900, 700, 20, 15, 999, 900, 9}},
		{.kind = EVENT_UNSURE, .unsure = {STEP_BASE, STEP_BASE + 9, 1, UNSURE_SILENT, 3}},
		{.kind = EVENT_OBJECT, .object = {.number = 1, .kind = OBJECT_TCP, .inode = 7, .port = 5432}},
		{.kind = EVENT_WINDOW, .window = {STEP_BASE, STEP_BASE + 9, 3, 1, 5, 6}},
		{.kind = EVENT_TRIGGER, .trigger = {STEP_BASE, 1, step_text("runq>1s"), 42, 43, step_text("a"), 7, 8}},
		{.kind = EVENT_CGROUP, .cgroup = {STEP_BASE, 7, CGROUP_INITIAL, step_text("/docker/0123")}},
		{.kind = EVENT_CGROUP, .cgroup = {STEP_BASE + 5, 7, CGROUP_REMOVED, step_text("")}},
	};

	for (int times = 0; times < 2; times++) {
		for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
			if (event_log_add(log, &events[i]))
				abort();
		if (step_add_start(log) || step_add_names(log, 1))
			abort();
	}
	if (event_log_flush(log))
		abort();
}

/* Times and tasks are differences: what a reader skips must not be what the next record is a difference to. */
static void unknown_kinds_do_not_mislead(struct test *t)
{
	struct bench b;
	uint8_t *payload = malloc(RWK_MAX_RAW_CHUNK);
	struct trace_reader *reader = NULL;
	const struct trace_chunk *chunks;
	size_t read = 0;

	bench_open(&b);
	add_state(b.log);
	REQUIRE(t, payload && trace_reader_create(&b.m.io, 3, &reader) == 0);
	for (size_t i = 0, count = trace_reader_chunks(reader, &chunks); i < count; i++) {
		if (chunks[i].header.type != RWK_CHUNK_STATE)
			continue;
		REQUIRE(t, trace_reader_load(reader, &chunks[i], payload) == 0);
		for (uint64_t kind = 1; kind < EVENT_TASK; kind++)
			test_check(t, is_skipped_well(kind, payload, chunks[i].header.raw_size), "without kind %d, others differ",
				   (int)kind);
		read++;
	}
	CHECK(t, read > 0);
	trace_reader_destroy(reader);
	free(payload);
	bench_close(&b);
}

TEST_MAIN(TEST(unknown_kinds_do_not_mislead), TEST(what_is_not_written_is_counted),
	  TEST(what_breaks_a_limit_is_left_out_alone))
