/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The state with which a dump begins: what the records before it say, and no more. It covers each
 * kind of record that the format has.
 */
#include "record/flight/base_state.h"

#include <string.h>

#include "common/time_units.h"
#include "format/chunk.h"
#include "format/event_layout.h"
#include "record/flight/state_rules.h"
#include "tests/test.h"
#include "tests/unit/record/made_recording.h"

enum { EDGE = 5000, UNTIL = 9000, KEEP = 1000, PARENT = 10, CHILD = 11, MODULE = 3 };

struct chunk {
	struct rwk_chunk_header header;
	uint8_t stored[1 << 16];
};

/* What was written to a log, as the chunk that it becomes. */
static struct base_state *base_of(const struct event *events, size_t count)
{
	static struct chunk chunk;
	static uint8_t scratch[1 << 20];
	struct event_encoder *encoder = NULL;
	struct base_state *base = NULL;
	const void *bytes;
	size_t length;

	made_check(event_encoder_create(EVENT_ENCODER_MIN_ROOM, 0, &encoder));
	for (size_t i = 0; i < count; i++)
		made_check(event_encode(encoder, &events[i]));
	length = event_encoder_payload(encoder, &bytes, &chunk.header.first_time, &chunk.header.last_time);
	rwk_chunk_pack(&chunk.header, bytes, length, chunk.stored, scratch);
	made_check(base_state_create(KEEP, 0, &base));
	base_state_take(base, &chunk.header, chunk.stored);
	event_encoder_destroy(encoder);
	return base;
}

/* The base state of these events at `edge` is written, and then the rest follows. */
static void write_dump_at(struct made_recording *made, uint64_t edge,
			  const struct event *before, size_t count,
			  const struct event *within, size_t within_count)
{
	const struct state_span span = {.since = edge, .until = edge + UNTIL - EDGE};
	struct base_state *base = base_of(before, count);

	made_recording_open(made, 0);
	for (size_t i = 0; i < within_count; i++)
		base_state_reach(base, &span, &within[i]);
	made_check(base_state_write(base, made->recording.log, &span));
	for (size_t i = 0; i < within_count; i++)
		made_check(base_state_follow(base, made->recording.log, &span, &within[i]));
	made_recording_read(made);
	base_state_destroy(base);
}

#define DUMP(made, before, within) DUMP_AT(made, EDGE, before, within)
#define COUNT(events) (sizeof(events) / sizeof((events)[0]))
#define DUMP_AT(made, edge, before, within) \
	write_dump_at(made, edge, before, COUNT(before), within, COUNT(within))

static void every_kind_has_a_rule(struct test *t)
{
	for (unsigned int kind = 1; kind < EVENT_TASK; kind++)
		if (event_layout_find(kind))
			CHECK(t, state_rule_of((enum event_kind)kind) != STATE_UNKNOWN);
	CHECK(t, state_rule_of(EVENT_OBJECT_NAME) == STATE_TOLD_AGAIN);
	CHECK(t, state_rule_of(EVENT_SAMPLE) == STATE_UNKNOWN);
}

static struct event mapping(uint64_t time, uint32_t tgid, uint64_t start)
{
	return (struct event){.kind = EVENT_MAPPING, .mapping = {.time = time, .tgid = tgid, .start = start,
								 .length = 0x1000, .module = MODULE}};
}

/* A child has what its parent had mapped when it forked; exec ends that. */
static void address_spaces_are_flattened(struct test *t)
{
	const struct event before[] = {
		mapping(1, PARENT, 0x1000),
		{.kind = EVENT_FORK, .fork = {2, CHILD, CHILD, PARENT, PARENT}},
		mapping(3, PARENT, 0x5000),
		{.kind = EVENT_FORK, .fork = {4, CHILD + 1, CHILD + 1, PARENT, PARENT}},
		{.kind = EVENT_COMM, .comm = {5, CHILD + 1, CHILD + 1, COMM_EXEC, {"x", 1}}},
		/* the leader of two threads exits: the other one goes on */
		{.kind = EVENT_FORK, .fork = {8, CHILD + 3, CHILD + 3, CHILD, CHILD}},
		{.kind = EVENT_FORK, .fork = {9, CHILD + 3, CHILD + 9, CHILD + 3, CHILD + 3}},
		{.kind = EVENT_EXIT, .exit = {10, CHILD + 3, CHILD + 3}},
	};
	struct made_recording made;
	size_t counts[5] = {0};

	DUMP(&made, before, ((const struct event[]){mapping(EDGE + 1, CHILD + 1, 0x9000)}));
	REQUIRE(t, told_count(&made, EVENT_MAPPING) == 7);
	for (size_t i = 0; i < 6; i++) {
		const struct event_mapping *record = &told(&made, EVENT_MAPPING, i)->event.mapping;

		counts[record->tgid - PARENT]++;
		CHECK(t, record->time == EDGE && record->flags == MAPPING_INITIAL && record->module == MODULE);
	}
	CHECK(t, counts[0] == 2 && counts[1] == 1 && counts[2] == 2 && counts[4] == 1);
	CHECK(t, told(&made, EVENT_MAPPING, 6)->event.mapping.tgid == CHILD + 1);
	CHECK_INT(t, told_count(&made, EVENT_FORK) + told_count(&made, EVENT_EXIT), 0);
	made_recording_close(&made);
}

/*
 * A process may be sampled after the record of its exit until its memory is freed, a leader's
 * threads even later: so it has its mappings if its exit was not long ago. Its number may be in use
 * again.
 */
static void who_may_be_in_exit_has_its_mappings(struct test *t)
{
	const uint64_t edge = 100 * SECOND;
	const struct event before[] = {
		mapping(1, PARENT, 0x1000),
		{.kind = EVENT_FORK, .fork = {2, CHILD, CHILD, PARENT, PARENT}},
		{.kind = EVENT_EXIT, .exit = {edge - SECOND, CHILD, CHILD}},
		{.kind = EVENT_FORK, .fork = {2, CHILD + 1, CHILD + 1, PARENT, PARENT}},
		{.kind = EVENT_EXIT, .exit = {edge - 11 * SECOND, CHILD + 1, CHILD + 1}},
		{.kind = EVENT_FORK, .fork = {2, CHILD + 2, CHILD + 2, PARENT, PARENT}},
		{.kind = EVENT_FORK, .fork = {2, CHILD + 3, CHILD + 3, PARENT, PARENT}},
		{.kind = EVENT_EXIT, .exit = {3, CHILD + 3, CHILD + 3}},
		{.kind = EVENT_FORK, .fork = {4, CHILD + 3, CHILD + 3, PARENT, PARENT}},
	};
	const struct event within[] = {{.kind = EVENT_EXIT, .exit = {edge - 1, CHILD + 2, CHILD + 2}}};
	struct made_recording made;
	size_t counts[5] = {0};

	DUMP_AT(&made, edge, before, within);
	REQUIRE(t, told_count(&made, EVENT_MAPPING) == 4);
	for (size_t i = 0; i < 4; i++)
		counts[told(&made, EVENT_MAPPING, i)->event.mapping.tgid - PARENT]++;
	CHECK(t, counts[0] == 1 && counts[1] == 1 && counts[2] == 0 && counts[3] == 1 && counts[4] == 1);
	CHECK_INT(t, told_count(&made, EVENT_EXIT), 0);
	made_recording_close(&made);
}

static struct event exec(uint64_t time, uint32_t tgid)
{
	return (struct event){.kind = EVENT_COMM, .comm = {time, tgid, tgid, COMM_EXEC, {"new", 3}}};
}

/*
 * A thread in execve() has its new address space for some time while its registers are those of
 * the old program. So if the exec was not long ago, and the process lives, the state has the old
 * program's mappings, then the exec, then the new program's mappings.
 */
static void who_may_be_in_execve_has_the_program_before(struct test *t)
{
	enum { OLD = 0x1000, NEW = 0x9000 };
	const uint64_t edge = 100 * SECOND;
	const struct event before[] = {
		mapping(1, PARENT, OLD),
		{.kind = EVENT_FORK, .fork = {2, CHILD, CHILD, PARENT, PARENT}},
		{.kind = EVENT_FORK, .fork = {3, CHILD + 1, CHILD + 1, PARENT, PARENT}},
		{.kind = EVENT_FORK, .fork = {4, CHILD + 2, CHILD + 2, PARENT, PARENT}},
		exec(edge - 11 * SECOND, CHILD + 1), mapping(edge - 11 * SECOND, CHILD + 1, NEW),
		exec(edge - SECOND, CHILD), mapping(edge - SECOND, CHILD, NEW),
		exec(edge - SECOND, CHILD + 2),
		{.kind = EVENT_EXIT, .exit = {edge - 1, CHILD + 2, CHILD + 2}},
	};
	struct made_recording made;
	const struct event_comm *comm;
	const struct event_mapping *first;

	DUMP_AT(&made, edge, before, ((const struct event[]){exec(edge + 1, PARENT)}));
	REQUIRE(t, told_count(&made, EVENT_MAPPING) == 4 && told_count(&made, EVENT_COMM) == 2);
	first = &told(&made, EVENT_MAPPING, 0)->event.mapping;
	CHECK(t, first->tgid == CHILD && first->start == OLD);
	CHECK(t, first->time == edge && first->flags == MAPPING_INITIAL);
	comm = &told(&made, EVENT_COMM, 0)->event.comm;
	CHECK(t, comm->tgid == CHILD && comm->time == edge && comm->flags == COMM_EXEC);
	CHECK(t, told(&made, EVENT_MAPPING, 0) < told(&made, EVENT_COMM, 0));
	CHECK(t, told(&made, EVENT_COMM, 0) < told(&made, EVENT_MAPPING, 1));
	for (size_t i = 1; i < 4; i++) {
		const struct event_mapping *record = &told(&made, EVENT_MAPPING, i)->event.mapping;

		CHECK_INT(t, record->start, record->tgid == PARENT ? OLD : NEW);
	}
	made_recording_close(&made);
}

/* Otherwise records of the window would come before the state that they change. */
static void what_is_older_than_the_edge_is_state(struct test *t)
{
	const struct event before[] = {mapping(1, PARENT, 0x1000),
				       {.kind = EVENT_FORK, .fork = {2, CHILD, CHILD, PARENT, PARENT}}};
	const struct event within[] = {{.kind = EVENT_EXIT, .exit = {EDGE - 2, PARENT, PARENT}},
				       mapping(EDGE - 1, CHILD, 0x9000), mapping(EDGE, CHILD, 0xa000)};
	struct made_recording made;

	DUMP(&made, before, within);
	REQUIRE(t, told_count(&made, EVENT_MAPPING) == 4);
	for (size_t i = 0; i < 4; i++)
		CHECK_INT(t, told(&made, EVENT_MAPPING, i)->event.mapping.time, EDGE);
	CHECK_INT(t, told(&made, EVENT_MAPPING, 3)->event.mapping.start, 0xa000);
	CHECK_INT(t, told_count(&made, EVENT_EXIT), 0);
	made_recording_close(&made);
}

static void totals_begin_with_the_dump(struct test *t)
{
	const struct event before[] = {
		{.kind = EVENT_LOSS, .loss = {100, 1, 0, LOSS_RING_FULL, 5}},
		{.kind = EVENT_LOSS, .loss = {200, 1, 0, LOSS_RING_FULL, 40}},
		{.kind = EVENT_COUNTER, .counter = {200, 1, 0, 1000, 900, 10, 5, 70, 60, 3}},
	};
	const struct event within[] = {
		{.kind = EVENT_LOSS, .loss = {EDGE + 1, 1, 0, LOSS_RING_FULL, 42}},
		{.kind = EVENT_LOSS, .loss = {EDGE + 1, 1, 1, LOSS_RING_FULL, 7}},
		{.kind = EVENT_COUNTER, .counter = {EDGE + 1, 1, 0, 1500, 1300, 11, 5, 170, 150, 4}},
	};
	const struct event_counter *counter;
	struct made_recording made;

	DUMP(&made, before, within);
	REQUIRE(t, told_count(&made, EVENT_LOSS) == 2 && told_count(&made, EVENT_COUNTER) == 1);
	CHECK_INT(t, told(&made, EVENT_LOSS, 0)->event.loss.total, 2);
	CHECK_INT(t, told(&made, EVENT_LOSS, 1)->event.loss.total, 7);
	counter = &told(&made, EVENT_COUNTER, 0)->event.counter;
	CHECK(t, counter->counted == 500 && counter->seen == 400 && counter->missed == 1 && counter->missed_idle == 0 &&
			 counter->enabled == 100 && counter->running == 90 && counter->throttled == 1);
	made_recording_close(&made);
}

static void sources_last_as_long_as_the_dump(struct test *t)
{
	const struct event before[] = {
		{.kind = EVENT_SOURCE, .source = {.id = 1, .start = 100, .stop = 100}},
		{.kind = EVENT_SOURCE, .source = {.id = 2, .start = 100, .stop = 300}},
		{.kind = EVENT_SOURCE, .source = {.id = 3, .start = 100, .stop = 100}},
	};
	const struct event within[] = {{.kind = EVENT_SOURCE, .source = {.id = 3, .start = 100, .stop = EDGE + 70}}};
	struct made_recording made;

	DUMP(&made, before, within);
	REQUIRE(t, told_count(&made, EVENT_SOURCE) == 4);
	CHECK_INT(t, told(&made, EVENT_SOURCE, 0)->event.source.start, EDGE);
	CHECK_INT(t, told(&made, EVENT_SOURCE, 0)->event.source.stop, UNTIL);
	CHECK_INT(t, told(&made, EVENT_SOURCE, 1)->event.source.stop, EDGE); /* it was over */
	CHECK_INT(t, told(&made, EVENT_SOURCE, 3)->event.source.stop, EDGE + 70);
	made_recording_close(&made);
}

static void what_is_over_is_left_out(struct test *t)
{
	const struct event before[] = {
		{.kind = EVENT_META, .meta = {{"file-header", 11}, {"x", 1}}},
		{.kind = EVENT_META, .meta = {{"hostname", 8}, {"box", 3}}},
		{.kind = EVENT_UNSURE, .unsure = {100, 200, 0, UNSURE_LOST, 1}},
		{.kind = EVENT_UNSURE, .unsure = {100, EDGE + 1, 1, UNSURE_LOST, 1}},
		{.kind = EVENT_MAPS_UNAVAILABLE, .maps_unavailable = {100, 7, 110}},
		{.kind = EVENT_MAPS_UNAVAILABLE, .maps_unavailable = {100, 8, 110}},
		{.kind = EVENT_EXIT, .exit = {200, 8, 8}},
		{.kind = EVENT_TRIGGER, .trigger = {.time = 100, .dump = 1}},
		{.kind = EVENT_OBJECT, .object = {.number = 5, .kind = OBJECT_PIPE}},
		{.kind = EVENT_CLOCK, .clock = {.time = 1900, .realtime = 7}},
	};
	const struct event within[] = {{.kind = EVENT_TRIGGER, .trigger = {.time = EDGE + 1, .dump = 2}}};
	struct made_recording made;

	DUMP(&made, before, within);
	CHECK_INT(t, told_count(&made, EVENT_META), 2); /* and that of the dump's own header */
	CHECK_INT(t, told_count(&made, EVENT_UNSURE), 1);
	CHECK_INT(t, told(&made, EVENT_UNSURE, 0)->event.unsure.cpu, 1);
	CHECK_INT(t, told_count(&made, EVENT_MAPS_UNAVAILABLE), 1);
	CHECK_INT(t, told_count(&made, EVENT_TRIGGER), 1);
	CHECK_INT(t, told_count(&made, EVENT_OBJECT), 1);
	CHECK_INT(t, told_count(&made, EVENT_CLOCK), 1);
	made_recording_close(&made);
}

TEST_MAIN(TEST(who_may_be_in_execve_has_the_program_before), TEST(who_may_be_in_exit_has_its_mappings),
	  TEST(what_is_older_than_the_edge_is_state),
	  TEST(every_kind_has_a_rule), TEST(address_spaces_are_flattened), TEST(totals_begin_with_the_dump),
	  TEST(sources_last_as_long_as_the_dump), TEST(what_is_over_is_left_out))
