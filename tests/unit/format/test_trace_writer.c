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

/* Goes from header to header according to FORMAT.md, without the reader. */
static void walk(struct test *t, const struct memory_io *m, struct walked *w)
{
	const struct rwk_file_header *file = (const void *)m->bytes;
	size_t at = file->header_size;
	const struct rwk_trailer *trailer;

	*w = (struct walked){0};
	while (at + sizeof(*trailer) < m->length) {
		const struct rwk_chunk_header *header = (const void *)(m->bytes + at);

		REQUIRE(t, rwk_chunk_header_valid(header, file->crc));
		CHECK_INT(t, header->sequence, w->chunks++);
		w->state += header->type == RWK_CHUNK_STATE;
		w->end += header->type == RWK_CHUNK_END;
		w->index_offset = at;
		at += rwk_chunk_length(header);
	}
	trailer = (const void *)(m->bytes + at);
	CHECK(t, at + sizeof(*trailer) == m->length && rwk_trailer_valid(trailer, file->crc));
	CHECK_INT(t, trailer->chunk_count, w->chunks);
	CHECK_INT(t, trailer->index_offset, w->index_offset);
	CHECK_INT(t, trailer->end_reason, RWK_END_CLEAN);
}

static void the_layout_is_as_specified(struct test *t)
{
	static struct rwk_index_entry index[4096];
	struct trace_writer_settings settings = {0};
	const struct rwk_chunk_header *header;
	struct memory_io m = {0};
	struct walked w;

	syn_write(&m, &settings, 3000, 50, true);
	walk(t, &m, &w);
	CHECK_INT(t, w.end, 1);
	CHECK_INT(t, w.state, 60); /* one per flush */
	header = (const void *)(m.bytes + w.index_offset);
	REQUIRE(t, header->type == RWK_CHUNK_INDEX && header->raw_size == (w.chunks - 1) * sizeof(*index));
	REQUIRE(t, rwk_chunk_unpack(header, header + 1, index) == 0);
	for (size_t k = 0; k < w.chunks - 1; k++) {
		const struct rwk_chunk_header *one = (const void *)(m.bytes + index[k].offset);

		CHECK(t, one->sequence == k && one->type == index[k].type && one->flags == index[k].flags);
		CHECK(t, one->first_time == index[k].first_time && one->stored_size == index[k].stored_size);
	}
	memory_io_close(&m);
}

static void a_pipe_gets_the_bytes_of_a_file(struct test *t)
{
	struct memory_io pipe = {.is_pipe = true}, file = {.cannot_preallocate = true};

	CHECK_INT(t, syn_write(&pipe, &(struct trace_writer_settings){0}, 500, 50, true), 0);
	CHECK_INT(t, syn_write(&file, &(struct trace_writer_settings){0}, 500, 50, true), 0);
	REQUIRE(t, pipe.length == file.length);
	/* The section's id and time differ, and so do the seeded checksums; sizes and payloads do not. */
	for (size_t i = 0, same = 0; i < file.length; i++) {
		same += pipe.bytes[i] == file.bytes[i];
		if (i == file.length - 1)
			CHECK(t, same > file.length * 9 / 10);
	}
	pipe.is_pipe = false;
	check_whole(t, &pipe, 500);
	memory_io_close(&pipe);
	memory_io_close(&file);
}

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

static void a_second_section_goes_behind_the_first(struct test *t)
{
	struct memory_io m = {0};
	struct syn_found found;

	syn_write(&m, &(struct trace_writer_settings){0}, 500, 50, true);
	syn_write(&m, &(struct trace_writer_settings){0}, 0, 50, true);
	syn_check(&m.io, 3, &found);
	CHECK(t, found.sections == 2 && found.closed == 2 && found.steps == 500 && !found.damage.bytes);
	memory_io_close(&m);
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

TEST_MAIN(TEST(a_trace_comes_back), TEST(the_layout_is_as_specified),
	  TEST(a_pipe_gets_the_bytes_of_a_file), TEST(ends_at_its_limit), TEST(a_second_section_goes_behind_the_first),
	  TEST(refuses_what_is_too_large_or_too_late))
