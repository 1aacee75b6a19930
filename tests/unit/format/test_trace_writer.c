/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdio.h>

#include "format/chunk.h"
#include "format/limits.h"
#include "tests/fault/synthetic_check.h"
#include "tests/fault/synthetic_trace.h"
#include "tests/test.h"

static void check_whole(struct test *t, struct memory_io *m, size_t samples)
{
	struct syn_found found;

	memset(&m->counts, 0, sizeof(m->counts));
	m->call = CALL_NONE;
	syn_check(&m->io, 3, &found);
	CHECK_INT(t, found.error, 0);
	CHECK_INT(t, found.steps, samples);
	CHECK(t, !found.wrong && !found.unnamed && !found.malformed);
	CHECK(t, !found.damage.chunks && !found.damage.bytes && !found.damage.torn_tail);
	CHECK_INT(t, found.closed, 1);
}

static void a_trace_comes_back(struct test *t)
{
	struct memory_io m = {0};

	CHECK_INT(t, syn_write(&m, &(struct trace_writer_settings){0}, 3000, 100, true), 0);
	check_whole(t, &m, 3000);
	CHECK_INT(t, m.blocks, m.length); /* preallocated space is released */
	memory_io_close(&m);
}

struct walked {
	size_t chunks, state, end;
	uint64_t index_offset;
};

static void ends_at_its_limit(struct test *t)
{
	struct memory_io m = {0}, disk = {.disk = 60000};
	struct syn_found found;

	CHECK_INT(t, syn_write(&m, &(struct trace_writer_settings){.max_size = 50000}, 5000, 50, true), -EFBIG);
	CHECK(t, m.length <= 50000 && m.length > 20000);
	syn_check(&m.io, 3, &found);
	CHECK(t, found.closed == 1 && found.end_reason == RWK_END_SIZE_LIMIT && found.steps > 50 && !found.unnamed);
	CHECK_INT(t, syn_write(&disk, &(struct trace_writer_settings){.free_floor = 20000}, 5000, 50, true), -ENOSPC);
	CHECK(t, disk.length <= 40000 && disk.length > 15000); /* whole chunks, and room for the end */
	syn_check(&disk.io, 3, &found);
	CHECK(t, found.closed == 1 && found.end_reason == RWK_END_NO_SPACE && found.steps > 100 && !found.unnamed);
	memory_io_close(&m);
	memory_io_close(&disk);
}

static void refuses_what_is_too_large_or_too_late(struct test *t)
{
	static uint8_t payload[RWK_MAX_RAW_CHUNK + 1];
	struct memory_io m = {0};
	struct trace_writer *writer = NULL;

	memory_io_open(&m);
	REQUIRE(t, trace_writer_create(&m.io, 3, &(struct trace_writer_settings){0}, &writer) == 0);
	CHECK_INT(t, trace_writer_add(writer, RWK_CHUNK_EVENTS, 0, payload, sizeof(payload), 0, 0), -EINVAL);
	CHECK_INT(t, trace_writer_add(writer, RWK_CHUNK_EVENTS, 0, payload, sizeof(payload) - 1, 0, 0), 0);
	CHECK_INT(t, trace_writer_close(writer, RWK_END_SIGNAL, NULL, 0), 0);
	CHECK_INT(t, trace_writer_close(writer, RWK_END_SIGNAL, NULL, 0), 0);
	CHECK_INT(t, trace_writer_add(writer, RWK_CHUNK_EVENTS, 0, payload, 1, 0, 0), -EINVAL);
	trace_writer_destroy(writer);
	memory_io_close(&m);
}

TEST_MAIN(TEST(a_trace_comes_back), TEST(ends_at_its_limit),
	  TEST(refuses_what_is_too_large_or_too_late))
