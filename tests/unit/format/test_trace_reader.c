/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* How a reader handles files that are truncated, joined, damaged, foreign. Systematic damage: tests/fault/. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "format/chunk.h"
#include "format/crc32c.h"
#include "tests/fault/synthetic_check.h"
#include "tests/fault/synthetic_trace.h"
#include "tests/test.h"

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

static struct syn_found image_check(struct image *image)
{
	struct memory_io m = memory_io_over(image->bytes, image->length);
	struct syn_found found;

	memory_io_open(&m);
	syn_check(&m.io, 3, &found);
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
	struct memory_io m = syn_trace(SAMPLES, PER_CHUNK, false);
	struct image image = {0};
	struct syn_found found;

	image_add(&image, m.bytes, m.length - 100);
	found = image_check(&image);
	CHECK(t, !found.error && found.steps == SAMPLES - PER_CHUNK && !found.wrong && !found.unnamed);
	CHECK(t, !found.closed && !found.damage.bytes && !found.damage.chunks && found.damage.torn_tail > 0);
	memory_io_close(&m);
}

static void traces_may_be_joined_also_torn_ones(struct test *t)
{
	struct memory_io a = syn_trace(SAMPLES, PER_CHUNK, false), b = syn_trace(0, 1, true);
	struct image image = {0};
	struct syn_found found;

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
	struct memory_io m = syn_trace(SAMPLES, PER_CHUNK, true), other = syn_trace(0, 1, true);
	struct image image = {0};
	struct syn_found found;

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
	struct memory_io m = syn_trace(SAMPLES, PER_CHUNK, true);
	struct image image = {0};
	size_t count = 0;

	for (size_t at = HEADER; at + 32 < m.length; count++)
		at += rwk_chunk_length((const struct rwk_chunk_header *)(m.bytes + at));
	for (size_t i = 0; i < 2 * count; i++) { /* in the payload, in the header */
		const struct rwk_chunk_header *header = (const void *)(m.bytes + chunk_offset(&m, i / 2));
		size_t at = chunk_offset(&m, i / 2) + (i & 1 ? 9 : sizeof(*header));
		bool events = header->type == RWK_CHUNK_EVENTS;
		struct syn_found found;

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
	struct memory_io m = syn_trace(10, 10, true);
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
	struct memory_io m = syn_trace(SAMPLES, PER_CHUNK, true);
	struct syn_found found;

	memory_io_open(&m);
	m.call = CALL_PREAD;
	m.error = FAULT_SHORT;
	m.nth = 1;
	m.sticky = true;
	syn_check(&m.io, 3, &found);
	CHECK(t, found.steps == SAMPLES && !found.wrong && !found.damage.chunks);
	m.sticky = false;
	m.error = -EIO;
	for (unsigned int n = 1; n < 40; n++) {
		m.nth = n;
		m.counts[CALL_PREAD] = 0;
		syn_check(&m.io, 3, &found);
		CHECK(t, (found.error == -EIO || found.error == 0) && !found.wrong);
	}
	memory_io_close(&m);
}

static void a_pipe_is_spooled(struct test *t)
{
	struct memory_io m = syn_trace(100, PER_CHUNK, true);
	int ends[2], fd = -1;
	struct syn_found found;

	REQUIRE(t, pipe(ends) == 0);
	REQUIRE(t, fcntl(ends[1], F_SETPIPE_SZ, (int)m.length) >= (int)m.length);
	REQUIRE(t, write(ends[1], m.bytes, m.length) == (ssize_t)m.length);
	close(ends[1]);
	REQUIRE(t, trace_reader_spool(&trace_io_system, ends[0], 1 << 30, &fd) == 0);
	syn_check(&trace_io_system, fd, &found);
	CHECK(t, found.steps == 100 && found.closed == 1);
	CHECK_INT(t, trace_reader_spool(&trace_io_system, fd, 100, &ends[1]), 0); /* at its end: nothing to read */
	REQUIRE(t, lseek(fd, 0, SEEK_SET) == 0);
	CHECK_INT(t, trace_reader_spool(&trace_io_system, fd, 100, &ends[1]), -EFBIG);
	close(fd);
	close(ends[0]);
	memory_io_close(&m);
}

TEST_MAIN(TEST(no_trace_is_enodata), TEST(a_killed_recording_has_a_torn_tail_and_no_damage),
	  TEST(traces_may_be_joined_also_torn_ones), TEST(a_damaged_file_header_costs_its_section),
	  TEST(one_damaged_chunk_costs_one_chunk), TEST(other_versions_are_refused),
	  TEST(short_and_interrupted_reads_change_nothing), TEST(a_pipe_is_spooled))
