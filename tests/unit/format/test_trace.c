/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <fcntl.h>

#include "format/chunk.h"
#include "format/crc32c.h"
#include "format/limits.h"
#include "tests/fault/steps.h"
#include "tests/test.h"

/* --- crc32c --- */

/* RFC 3720, appendix B.4, and the catalogue's check value. */
static void agrees_with_published_vectors(struct test *t)
{
	uint8_t bytes[32];

	CHECK_INT(t, crc32c(0, "123456789", 9), 0xe3069283);
	memset(bytes, 0, sizeof(bytes));
	CHECK_INT(t, crc32c(0, bytes, 32), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	CHECK_INT(t, crc32c(0, bytes, 32), 0x62a8ab43);
	for (int i = 0; i < 32; i++)
		bytes[i] = (uint8_t)i;
	CHECK_INT(t, crc32c(0, bytes, 32), 0x46dd794e);
	for (int i = 0; i < 32; i++)
		bytes[i] = (uint8_t)(31 - i);
	CHECK_INT(t, crc32c(0, bytes, 32), 0x113fdb5c);
	CHECK_INT(t, crc32c(0, "", 0), 0);
}

static void fill(uint8_t *bytes, size_t length)
{
	uint32_t state = 7;

	for (size_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
}

static void hardware_and_portable_agree_at_every_length_and_alignment(struct test *t)
{
	uint8_t bytes[320];

	if (!crc32c_hardware_available())
		SKIP(t, "this processor has no instruction for it");
	fill(bytes, sizeof(bytes));
	for (size_t from = 0; from < 8; from++)
		for (size_t length = 0; length < 300; length++)
			CHECK_INT(t, crc32c_hardware(5, bytes + from, length),
				  crc32c_portable(5, bytes + from, length));
}

/*
 * Trace reader: How a reader handles files that are truncated, joined, damaged, foreign. Systematic
 * damage: tests/fault/.
 */

enum { SAMPLES = 600,
       PER_CHUNK = 50,
       HEADER = 64 };

/* Bytes put together for one case; freed with it. */
struct image {
	uint8_t *bytes;
	size_t length;
};

static void image_add(struct image *image, const void *bytes, size_t length)
{
	image->bytes = realloc(image->bytes, image->length + length + 1);
	if (!image->bytes)
		abort();
	memcpy(image->bytes + image->length, bytes, length);
	image->length += length;
}

static struct steps_found image_check(struct image *image)
{
	struct memory_io m = memory_io_over(image->bytes, image->length);
	struct steps_whole whole = steps_whole_make(SAMPLES, PER_CHUNK);
	struct steps_found found;

	memory_io_open(&m);
	found = steps_check(&m.io, 3, &whole);
	free(whole.chunks);
	free(image->bytes);
	*image = (struct image){0};
	return found;
}

/* Offset of the n-th chunk's header; the trace is whole. */
static size_t chunk_offset(const struct memory_io *m, size_t number)
{
	size_t at = HEADER;

	while (number--)
		at += rwk_chunk_length((const struct rwk_chunk_header *)(m->bytes + at));
	return at;
}

static void no_trace_is_enodata(struct test *t)
{
	static uint8_t other[100000];
	struct image image = {0};

	image_add(&image, "", 0);
	CHECK_INT(t, image_check(&image).error, -ENODATA);
	memset(other, 'R', sizeof(other));
	for (size_t i = 0; i < sizeof(other) - 8; i += 8)
		memcpy(other + i, "RWKC\x89RWK", 8);
	image_add(&image, other, sizeof(other));
	CHECK_INT(t, image_check(&image).error, -ENODATA);
}

static void a_killed_recording_has_a_torn_tail_and_no_damage(struct test *t)
{
	struct memory_io m = steps_trace(SAMPLES, PER_CHUNK, false);
	struct image image = {0};
	struct steps_found found;

	image_add(&image, m.bytes, m.length - 100);
	found = image_check(&image);
	CHECK(t, !found.error && found.steps == SAMPLES - PER_CHUNK && !found.wrong && !found.unnamed);
	CHECK(t, !found.closed && !found.damage.bytes && !found.damage.chunks && found.damage.torn_tail > 0);
	memory_io_close(&m);
}

static void traces_may_be_joined_also_torn_ones(struct test *t)
{
	struct memory_io a = steps_trace(SAMPLES, PER_CHUNK, false), b = steps_trace(0, 1, true);
	struct image image = {0};
	struct steps_found found;

	for (size_t cut = 1; cut < 3000; cut += 31) {
		image_add(&image, a.bytes, a.length - cut);
		image_add(&image, b.bytes, b.length);
		found = image_check(&image);
		CHECK(t, found.sections == 2 && found.closed == 1 && !found.wrong && !found.damage.bytes);
		CHECK(t, found.steps >= SAMPLES - PER_CHUNK * (1 + cut / 1000) && !found.damage.chunks);
	}
	memory_io_close(&a);
	memory_io_close(&b);
}

/* Joined traces: the section of a damaged file header is lost, and said to be; the other is whole. */
static void a_damaged_file_header_costs_its_section(struct test *t)
{
	struct memory_io m = steps_trace(SAMPLES, PER_CHUNK, true), other = steps_trace(0, 1, true);
	struct image image = {0};
	struct steps_found found;

	for (int place = 0; place < 3; place++) {
		image_add(&image, place ? m.bytes : other.bytes, place ? m.length : other.length);
		image_add(&image, place ? other.bytes : m.bytes, place ? other.length : m.length);
		image.bytes[(place == 2 ? 0 : place ? m.length : other.length) + 20] ^= 1;
		found = image_check(&image);
		CHECK(t, !found.error && !found.wrong && !found.unnamed && found.sections == 1 && found.closed == 1);
		CHECK_INT(t, found.steps, place == 1 ? SAMPLES : 0);
		CHECK_INT(t, found.damage.bytes, place == 1 ? other.length : m.length);
	}
	image_add(&image, m.bytes, m.length);
	image.bytes[20] ^= 1;
	CHECK_INT(t, image_check(&image).error, -ENODATA);
	memory_io_close(&m);
	memory_io_close(&other);
}

static void one_damaged_chunk_costs_one_chunk(struct test *t)
{
	struct memory_io m = steps_trace(SAMPLES, PER_CHUNK, true);
	struct image image = {0};
	size_t count = 0;

	for (size_t at = HEADER; at + sizeof(struct rwk_trailer) < m.length; count++)
		at += rwk_chunk_length((const struct rwk_chunk_header *)(m.bytes + at));
	for (size_t i = 0; i < 2 * count; i++) { /* in the payload, in the header */
		const struct rwk_chunk_header *header = (const void *)(m.bytes + chunk_offset(&m, i / 2));
		size_t at = chunk_offset(&m, i / 2) + (i & 1 ? 9 : sizeof(*header));
		bool events = header->type == RWK_CHUNK_EVENTS;
		struct steps_found found;

		if (!header->stored_size)
			continue;
		image_add(&image, m.bytes, m.length);
		image.bytes[at] ^= 0x10;
		found = image_check(&image);
		CHECK_INT(t, found.steps, SAMPLES - (events ? PER_CHUNK : 0));
		test_check(t, !found.wrong && (header->type == RWK_CHUNK_STATE || !found.unnamed) &&
				      found.damage.chunks == 1 && found.damage.bytes > 0,
			   "chunk %zu type %d: %zu wrong, %zu unnamed, %d damaged", i, header->type,
			   found.wrong, found.unnamed, (int)found.damage.chunks);
	}
	memory_io_close(&m);
}

static void other_versions_are_refused(struct test *t)
{
	/* The file header of a trace of 2026-11-28, before version 1.0. */
	static const uint8_t early[HEADER] = {
		0x89, 0x52, 0x57, 0x4b, 0x0d, 0x0a, 0x1a, 0x0a, 0x01, 0x00, 0x01, 0x00, 0x40, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x27, 0x7d, 0x75, 0x80, 0xd7, 0x97, 0x4d, 0x9d, 0x12, 0xba, 0x62, 0x42, 0x49, 0x2d, 0x76, 0x39,
		0x23, 0x26, 0xbd, 0xd9, 0x2c, 0x6d, 0xea, 0x18, 0x00, 0x00, 0x40, 0x00, 0xca, 0x32, 0x1b, 0x71};
	static const struct {
		uint32_t version;
		int error;
	} others[] = {{RWK_VERSION + 1, 0}, {RWK_VERSION + 100, -EPROTONOSUPPORT}, {RWK_VERSION - 1, -EPROTONOSUPPORT},
		      {0x10001, -ESTALE}, {1, -ESTALE}};
	struct memory_io m = steps_trace(10, 10, true);
	struct rwk_file_header header;
	struct image image = {0};

	memcpy(&header, m.bytes, sizeof(header));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		header.version = others[i].version;
		header.crc = crc32c(0, &header, offsetof(struct rwk_file_header, crc));
		image_add(&image, &header, sizeof(header));
		CHECK_INT(t, image_check(&image).error, others[i].error);
	}
	image_add(&image, early, sizeof(early));
	CHECK_INT(t, image_check(&image).error, -ESTALE);
	memory_io_close(&m);
}

static void short_and_interrupted_reads_change_nothing(struct test *t)
{
	struct memory_io m = steps_trace(SAMPLES, PER_CHUNK, true);
	struct steps_whole whole = steps_whole_make(SAMPLES, PER_CHUNK);
	struct steps_found found;

	memory_io_open(&m);
	m.call = CALL_PREAD;
	m.error = FAULT_SHORT;
	m.nth = 1;
	m.sticky = true;
	found = steps_check(&m.io, 3, &whole);
	CHECK(t, found.steps == SAMPLES && !found.wrong && !found.damage.chunks);
	m.sticky = false;
	m.error = -EIO;
	for (unsigned int n = 1; n < 40; n++) {
		m.nth = n;
		m.counts[CALL_PREAD] = 0;
		found = steps_check(&m.io, 3, &whole);
		CHECK(t, (found.error == -EIO || found.error == 0) && !found.wrong);
	}
	free(whole.chunks);
	memory_io_close(&m);
}

/* --- trace writer --- */

static int write_steps(struct memory_io *m, struct trace_writer_settings settings, uint32_t count, uint32_t per_chunk,
		       struct steps_found *ret_found)
{
	struct steps_whole whole = steps_whole_make(count, per_chunk);
	struct steps_written written;

	memory_io_open(m);
	written = steps_write(&m->io, 3, &settings, count, per_chunk, true);
	*ret_found = steps_check(&m->io, 3, &whole);
	free(whole.chunks);
	return written.added ? written.added : written.closed;
}

static void a_trace_comes_back(struct test *t)
{
	struct memory_io m = {0};
	struct steps_found found;

	CHECK_INT(t, write_steps(&m, (struct trace_writer_settings){0}, 3000, 100, &found), 0);
	CHECK_INT(t, found.steps, 3000);
	CHECK(t, steps_is_faultless(&found) && found.closed == 1);
	CHECK(t, !found.damage.chunks && !found.damage.bytes && !found.damage.torn_tail);
	CHECK_INT(t, m.blocks, m.length); /* preallocated space is released */
	memory_io_close(&m);
}

static void ends_at_its_limit(struct test *t)
{
	struct memory_io m = {0}, disk = {.disk = 60000};
	struct steps_found found;

	CHECK_INT(t, write_steps(&m, (struct trace_writer_settings){.max_size = 50000}, 5000, 50, &found), -EFBIG);
	CHECK(t, m.length <= 50000 && m.length > 20000);
	CHECK(t, found.closed == 1 && found.end_reason == RWK_END_SIZE_LIMIT && found.steps > 50 && !found.unnamed);
	CHECK_INT(t, write_steps(&disk, (struct trace_writer_settings){.free_floor = 20000}, 5000, 50, &found), -ENOSPC);
	CHECK(t, disk.length <= 40000 && disk.length > 15000); /* whole chunks, and room for the end */
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

TEST_MAIN(TEST(agrees_with_published_vectors),
	  TEST(hardware_and_portable_agree_at_every_length_and_alignment),
	  TEST(no_trace_is_enodata), TEST(a_killed_recording_has_a_torn_tail_and_no_damage),
	  TEST(traces_may_be_joined_also_torn_ones), TEST(a_damaged_file_header_costs_its_section),
	  TEST(one_damaged_chunk_costs_one_chunk), TEST(other_versions_are_refused),
	  TEST(short_and_interrupted_reads_change_nothing), TEST(a_trace_comes_back),
	  TEST(ends_at_its_limit), TEST(refuses_what_is_too_large_or_too_late))
