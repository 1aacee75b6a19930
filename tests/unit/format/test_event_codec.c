/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Limits, and bytes written by hand from FORMAT.md. Round trips: tests/fault/test_dump.sh. */
#include <errno.h>

#include "format/event_decoder.h"
#include "format/event_encoder.h"
#include "format/limits.h"
#include "tests/test.h"

enum { CPUS = 8 };

static struct event_encoder *new_encoder(size_t room)
{
	struct event_encoder *encoder = NULL;

	return event_encoder_create(room, CPUS, &encoder) < 0 ? NULL : encoder;
}

static struct event_text text(const char *string)
{
	return (struct event_text){string, (uint32_t)strlen(string)};
}

static int text_is(struct event_text got, const char *want)
{
	return got.length == strlen(want) && !memcmp(got.bytes, want, got.length);
}

/* Opens the encoder's payload for reading. */
static void start(struct event_decoder *decoder, const struct event_encoder *encoder)
{
	uint64_t first, last;
	const void *bytes;
	size_t length = event_encoder_payload(encoder, &bytes, &first, &last);

	event_decoder_start(decoder, bytes, length);
}

static void limits_are_refused_when_writing(struct test *t)
{
	struct event_encoder *encoder = new_encoder(EVENT_ENCODER_MIN_ROOM);
	static char name[RWK_MAX_STRING + 1];
	struct event event = {.kind = EVENT_MODULE, .module = {.id = 1, .path = {name, sizeof(name)}}};
	struct event_sample sample = {.cpu = CPUS};
	struct event_task task = {.tid = 1};
	uint64_t frames[RWK_MAX_PATH + 1] = {0};
	struct event_stacks stacks = {.user = frames, .user_count = RWK_MAX_PATH + 1};

	REQUIRE(t, encoder);
	memset(name, 'x', sizeof(name));
	CHECK_INT(t, event_encode(encoder, &event), -EINVAL);
	event.module.path.length--;
	CHECK_INT(t, event_encode(encoder, &event), 0);
	event.module.id = RWK_MAX_MODULES + 1;
	CHECK_INT(t, event_encode(encoder, &event), -EINVAL);
	CHECK_INT(t, event_encode_sample(encoder, &sample, &task, &(struct event_stacks){0}), -EINVAL);
	sample.cpu = 0;
	CHECK_INT(t, event_encode_sample(encoder, &sample, &task, &stacks), -EINVAL);
	stacks.user_count--;
	CHECK_INT(t, event_encode_sample(encoder, &sample, &task, &stacks), 0);
	event_encoder_destroy(encoder);
}

/* --- bytes by hand ----------------------------------------------------------------------------------- */

#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static int decode_all(struct event_decoder *decoder, const uint8_t *bytes, size_t length, size_t *ret_events)
{
	struct event event;
	int r;

	*ret_events = 0;
	event_decoder_start(decoder, bytes, length);
	while ((r = event_decoder_next(decoder, &event)) == 1)
		++*ret_events;
	return r;
}

static void unknown_kinds_and_trailing_fields_are_skipped(struct test *t)
{
	struct event_decoder *decoder = NULL;
	struct event event;

	REQUIRE(t, event_decoder_create(&decoder) == 0);
	/*
	 * kind 99 with two bytes; EXIT (8) time +1, tgid 2, tid +1, one field more; EXIT with tgid
	 * +6, without tid: +0
	 */
	event_decoder_start(decoder, BYTES(3, 99, 1, 2, 5, 8, 2, 4, 2, 77, 3, 8, 2, 12));
	REQUIRE(t, event_decoder_next(decoder, &event) == 1);
	CHECK(t, event.kind == EVENT_EXIT && event.exit.time == 1 && event.exit.tgid == 2 && event.exit.tid == 3);
	REQUIRE(t, event_decoder_next(decoder, &event) == 1);
	CHECK(t, event.exit.time == 2 && event.exit.tgid == 9 && event.exit.tid == 9);
	CHECK_INT(t, event_decoder_next(decoder, &event), 0);
	CHECK_INT(t, event_decoder_unknown(decoder), 1);
	event_decoder_destroy(decoder);
}

static const struct {
	const char *what;
	size_t length, good;
	uint8_t bytes[24];
} malformed[] = {
	{"length beyond the end", 3, 0, {9, 8, 2}},
	{"length 0: no kind", 1, 0, {0}},
	{"varint that never ends", 12, 0, {11, 8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}},
	{"varint above 64 bits", 14, 0, {13, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2, 0, 0}},
	{"cut varint", 4, 0, {3, 8, 2, 0x80}},
	{"text beyond its record", 6, 0, {4, 1, 1, 'a', 5, 'b'}},
	{"good, then bad", 7, 1, {3, 8, 2, 8, 3, 8, 0x80}},
	{"32-bit field with 33 bits", 8, 0, {7, 8, 0, 0x80, 0x80, 0x80, 0x80, 0x20}},
	{"tgid below 0", 4, 0, {3, 8, 0, 1}},
	{"start beyond 64 bits", 14, 0, {13, 5, 0, 0, 254, 255, 255, 255, 255, 255, 255, 255, 255, 1}},
	{"sample of an undefined task", 7, 0, {6, 33, 0, 0, 1, 1, 0}},
	{"cpu above the limit", 8, 0, {7, 33, 0x80, 0x40, 0, 0, 0, 0}},
	{"stack below an unknown node", 9, 0, {8, 33, 0, 0, 0, 1, 2, 5, 0}},
	{"kernel stack below the user root", 9, 0, {8, 33, 0, 0, 0, 1, 1, 0, 0}},
	{"more frames than bytes", 9, 0, {8, 33, 0, 0, 0, 1, 2, 0, 9}},
	{"comm of 16 bytes", 23, 0, {22, 32, 2, 2, 1, 0, 16}},
};

static void malformed_records_end_the_chunk(struct test *t)
{
	struct event_decoder *decoder = NULL;

	REQUIRE(t, event_decoder_create(&decoder) == 0);
	for (size_t i = 0; i < sizeof(malformed) / sizeof(*malformed); i++) {
		size_t events;
		int r = decode_all(decoder, malformed[i].bytes, malformed[i].length, &events);

		test_check(t, r == -EBADMSG && events == malformed[i].good, "%s: %d after %zu",
			   malformed[i].what, r, events);
	}
	event_decoder_destroy(decoder);
}

/* A chain of stacks, each below the one before, would be deeper than any stack may be. */
static void depth_is_bounded_across_records(struct test *t)
{
	struct event_decoder *decoder = NULL;
	uint8_t bytes[16 * (RWK_MAX_PATH + 1)];
	size_t length = 0, events;

	REQUIRE(t, event_decoder_create(&decoder) == 0);
	for (uint32_t i = 0; i <= RWK_MAX_PATH; i++) {
		uint32_t parent = i ? i + 1 : 0;
		uint8_t record[] = {10, 33, 0, 0, 0, 1, 2, (uint8_t)(parent | 0x80), (uint8_t)(parent >> 7), 1, 2};

		memcpy(bytes + length, record, sizeof(record));
		length += sizeof(record);
	}
	CHECK_INT(t, decode_all(decoder, bytes, length, &events), -EBADMSG);
	CHECK_INT(t, events, RWK_MAX_PATH);
	event_decoder_destroy(decoder);
}

/* Returns how many there are. */
static size_t check_symbols(struct test *t, struct event *event, const struct event_symbol *wanted)
{
	struct event_symbol symbol;
	uint64_t address = 0;
	size_t count = 0;

	for (; event_next_symbol(event, &address, &symbol) == 1; count++) {
		CHECK(t, symbol.address == wanted[count].address && symbol.size == wanted[count].size);
		CHECK(t, text_is(symbol.name, wanted[count].name.bytes));
	}
	return count;
}

static void symbols_come_back_over_several_records(struct test *t)
{
	enum { COUNT = 3000 };
	struct event_encoder *encoder = new_encoder(EVENT_ENCODER_MIN_ROOM);
	struct event_decoder *decoder = NULL;
	static struct event_symbol symbols[COUNT];
	static char names[COUNT][64];
	struct event_segment segment = {0, 0x400000, 100, 200, 5};
	struct event_embed_module module = {3, EMBED_FULL, 62, 1, &segment};
	size_t done = 0, records = 0, taken;
	struct event event;

	REQUIRE(t, encoder && event_decoder_create(&decoder) == 0);
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "_ZN4some4long9namespace8function%zuEv", i);
		symbols[i] = (struct event_symbol){0x400000 + i / 2 * 64, 32, text(names[i])};
	}
	CHECK_INT(t, event_encode_embed_module(encoder, &module), 0);
	while (done < COUNT) {
		size_t seen = done;
		int r = event_encode_embed_symbols(encoder, 3, symbols + done, COUNT - done, &taken);

		REQUIRE(t, r == 0 && taken > 0);
		start(decoder, encoder);
		while (event_decoder_next(decoder, &event) == 1) {
			if (event.kind == EVENT_EMBED_MODULE) {
				REQUIRE(t, event.embed_module.segment_count == 1);
				CHECK_MEM(t, event.embed_module.segments, &segment, sizeof(segment));
				continue;
			}
			CHECK_INT(t, event.embed_symbols.count, taken);
			seen += check_symbols(t, &event, symbols + seen);
		}
		CHECK_INT(t, seen, done + taken);
		done += taken;
		records++;
		event_encoder_reset(encoder);
	}
	CHECK(t, records > 1);
	symbols[1].address = 0;
	CHECK_INT(t, event_encode_embed_symbols(encoder, 3, symbols, 2, &taken), -EINVAL);
	event_encoder_destroy(encoder);
	event_decoder_destroy(decoder);
}

/*
 * cpu 1: a wait of 50 ns that ends at 1000; one that ends at 1010 and began when the first ended;
 * one without a reference.
 */
static void waits_are_those_of_the_specification(struct test *t)
{
	static const uint8_t bytes[] = {
		/* Time +1000; 50 + 4; run queue 7; a field too many. */
		12, 36, 1, 0, 3, 4, 0, 2, 0xd0, 0x0f, 54, 7, 0,
		9,  36, 1, 0, 3, 0, 1, 0, 20,	0,			/* step 10; reference 0 */
		11, 36, 1, 0, 3, 16, 2, 0, 0,	8,    3, 0,		/* the same step; 8 - 4; from CPU 3 */
	};
	static const struct event_wait want[] = {
		{.time = 1000, .length = 50, .run_queue = 7, .out_cpu = 1},
		{.time = 1010, .length = 10, .run_queue = 10, .out_cpu = 1, .wait_class = 1},
		{.time = 1020, .length = 4, .run_queue = 4, .out_cpu = 3, .wait_class = 2},
	};
	struct event_decoder *decoder = NULL;
	struct event event;

	REQUIRE(t, event_decoder_create(&decoder) == 0);
	event_decoder_start(decoder, bytes, sizeof(bytes));
	for (size_t i = 0; i < 3; i++) {
		REQUIRE(t, event_decoder_next(decoder, &event) == 1);
		CHECK_INT(t, event.kind, EVENT_WAIT);
		CHECK_INT(t, event.wait.time, want[i].time);
		CHECK_INT(t, event.wait.length, want[i].length);
		CHECK_INT(t, event.wait.run_queue, want[i].run_queue);
		CHECK_INT(t, event.wait.out_cpu, want[i].out_cpu);
		CHECK_INT(t, event.wait.wait_class, want[i].wait_class);
	}
	CHECK_INT(t, event_decoder_next(decoder, &event), 0);
	event_decoder_destroy(decoder);
}

/*
 * A wait that is longer than the time at which it ended, a reference to nothing, a waker that is
 * not a task of the chunk.
 */
static void a_wait_that_contradicts_itself_is_refused(struct test *t)
{
	static const uint8_t longer[] = {11, 36, 1, 0, 3, 0, 1, 0, 20, 0xff, 0x7f, 0},
			     nothing[] = {9, 36, 1, 0, 3, 0, 1, 0, 20, 3},
			     waker[] = {13, 36, 1, 0, 3, 8, 0, 0, 20, 5, 1, 9, 1};
	struct event_decoder *decoder = NULL;
	struct event event;

	REQUIRE(t, event_decoder_create(&decoder) == 0);
	event_decoder_start(decoder, longer, sizeof(longer));
	CHECK_INT(t, event_decoder_next(decoder, &event), -EBADMSG);
	event_decoder_start(decoder, nothing, sizeof(nothing));
	CHECK(t, event_decoder_next(decoder, &event) == 1 && event.wait.length <= event.wait.time);
	event_decoder_start(decoder, waker, sizeof(waker));
	CHECK_INT(t, event_decoder_next(decoder, &event), -EBADMSG);
	event_decoder_destroy(decoder);
}

TEST_MAIN(TEST(limits_are_refused_when_writing), TEST(unknown_kinds_and_trailing_fields_are_skipped),
	  TEST(malformed_records_end_the_chunk), TEST(depth_is_bounded_across_records),
	  TEST(symbols_come_back_over_several_records), TEST(waits_are_those_of_the_specification),
	  TEST(a_wait_that_contradicts_itself_is_refused))
