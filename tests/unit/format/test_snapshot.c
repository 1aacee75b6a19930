/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Snapshots: bytes written by hand from FORMAT.md §12, round trips through chunks with keys, inconsistent records. */
#include <errno.h>
#include <string.h>

#include "format/event_decoder.h"
#include "format/snapshot_batch.h"
#include "format/snapshot_code.h"
#include "format/snapshot_keys.h"
#include "tests/random.h"
#include "tests/test.h"

enum { THREADS = 7, SNAPSHOTS = 3000, TOP = 0x7fff0000, MOST = 600 /* words */ };

static struct event_text text_of(const void *bytes, size_t length)
{
	return (struct event_text){bytes, (uint32_t)length};
}

static void the_bytes_are_those_of_the_specification(struct test *t)
{
	/* Two words of the key, one zero, one literal, one of the key; the last word is zero. */
	static const uint8_t key_stack[] = {4 << 2 | 2, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
					    3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0};
	static const uint8_t stack[] = {1 << 2 | 0, 2 << 2 | 1, 1 << 2 | 2, 0x88, 0x77, 0, 0, 0, 0,
					0, 0x11, 1 << 2 | 1};
	static const uint8_t key_registers[] = {200, 1}; /* 100 */
	static const uint8_t registers[] = {1, 14};	 /* 100 - 1, 7 */
	struct event_snapshot key = {.known = 1 << 7, .registers = text_of(key_registers, sizeof(key_registers)),
				     .address = 0x1000, .size = 32, .stack = text_of(key_stack, sizeof(key_stack))};
	struct event_snapshot record = {.key = 1, .known = 1 << 7 | 1 << 16,
					.registers = text_of(registers, sizeof(registers)),
					.address = 0xff8, .size = 48, .stack = text_of(stack, sizeof(stack))};
	static const uint64_t expected[6] = {0, 1, 2, UINT64_C(0x1100000000007788), 4, 0};
	static uint64_t words[SNAPSHOT_WORDS], key_words[SNAPSHOT_WORDS];
	struct snapshot snapshot, decoded;

	CHECK_INT(t, snapshot_decode(&key, NULL, key_words, &decoded), 0);
	CHECK_INT(t, snapshot_decode(&record, &decoded, words, &snapshot), 0);
	CHECK_INT(t, snapshot.count, 6);
	CHECK_INT(t, snapshot.address, 0xff8);
	CHECK_INT(t, memcmp(words, expected, sizeof(expected)), 0);
	CHECK_INT(t, snapshot.registers[7], 99);
	CHECK_INT(t, snapshot.registers[16], 7);
	decoded.count = 3; /* the key lacks the words of the last run */
	CHECK_INT(t, snapshot_decode(&record, &decoded, words, &snapshot), -EBADMSG);
	key.size = 24; /* its own run is too long */
	CHECK_INT(t, snapshot_decode(&key, NULL, key_words, &decoded), -EBADMSG);
}

static void what_contradicts_itself_is_refused(struct test *t)
{
	static const uint8_t too_long[] = {3 << 2 | 0}, unknown[] = {1 << 2 | 3}, cut[] = {1 << 2 | 2, 1, 2, 3};
	static const uint8_t keyless[] = {1 << 2 | 1};
	static const struct {
		const uint8_t *bytes;
		size_t length;
		uint32_t size;
	} cases[] = {{too_long, 1, 16}, {unknown, 1, 16}, {cut, 4, 16}, {keyless, 1, 16}, {keyless, 0, 12},
		     {keyless, 0, RWK_MAX_SNAPSHOT + 8}};
	static uint64_t words[SNAPSHOT_WORDS];
	struct event_snapshot record = {0};
	struct snapshot snapshot;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		record.size = cases[i].size;
		record.stack = text_of(cases[i].bytes, cases[i].length);
		CHECK_INT(t, snapshot_decode(&record, NULL, words, &snapshot), -EBADMSG);
	}
	record = (struct event_snapshot){.known = 1};
	CHECK_INT(t, snapshot_decode(&record, NULL, words, &snapshot), -EBADMSG); /* a register that does not exist */
	record = (struct event_snapshot){.address = 4};
	CHECK_INT(t, snapshot_decode(&record, NULL, words, &snapshot), -EBADMSG);
}

struct thread { /* whose stack changes near its end, as stacks do */
	uint64_t words[MOST];
	uint32_t depth;
};

static void change(struct random *state, struct thread *thread)
{
	uint32_t from = (uint32_t)random_below(state, thread->depth + 1);

	thread->depth = from + (uint32_t)random_below(state, MOST - from + 1) / 4;
	for (uint32_t i = from; i < thread->depth; i++)
		thread->words[MOST - 1 - i] = random_below(state, 2) ? 0 : random_next(state);
}

/* The snapshot of a thread, made from its state alone. */
static struct snapshot take(const struct thread *thread, uint32_t number)
{
	struct snapshot snapshot = {.time = number * UINT64_C(1000), .flags = number % 3, .known = 0x1ffff,
				    .address = TOP - thread->depth * 8, .words = thread->words + MOST - thread->depth,
				    .count = thread->depth};

	for (unsigned int i = 0; i < 17; i++)
		snapshot.registers[i] = number % (i + 2) ? i * UINT64_C(0x123456789abcdef) : number;
	return snapshot;
}

/* How many keys are chained. */
static uint32_t chain_of(const struct snapshot_batch *batch, size_t at)
{
	uint32_t length = 0;

	for (; batch->records.items[at].key; length++)
		at -= batch->records.items[at].key;
	return length;
}

/* Compares the records of one payload with the states from which they were made. */
static void check_chunk(struct test *t, struct event_encoder *encoder,
			struct event_decoder *decoder, const struct thread *states,
			uint32_t *next, uint32_t *longest)
{
	static uint64_t words[SNAPSHOT_WORDS];
	struct snapshot_decoder *snapshots = NULL;
	struct snapshot_batch batch = {0};
	uint64_t first, last;
	const void *bytes;
	size_t length = event_encoder_payload(encoder, &bytes, &first, &last);

	REQUIRE(t, !snapshot_decoder_create(&snapshots));
	CHECK_INT(t, snapshot_batch_read(&batch, decoder, bytes, length, *next), 0);
	for (size_t at = 0; at < batch.records.count; at++, (*next)++) {
		struct snapshot wanted = take(&states[*next], *next), snapshot;
		size_t place;

		CHECK(t, snapshot_batch_find(&batch, *next + 1, &place));
		CHECK_INT(t, place, at);
		CHECK_INT(t, snapshot_decoder_get(snapshots, &batch, 1, place, words, &snapshot), 0);
		CHECK_INT(t, snapshot.count, wanted.count);
		CHECK_INT(t, snapshot.address, wanted.address);
		CHECK_INT(t, snapshot.time, wanted.time);
		CHECK_INT(t, snapshot.flags, wanted.flags);
		CHECK_INT(t, memcmp(snapshot.registers, wanted.registers, sizeof(wanted.registers)), 0);
		CHECK_INT(t, memcmp(words, wanted.words, wanted.count * sizeof(*words)), 0);
		*longest = chain_of(&batch, at) > *longest ? chain_of(&batch, at) : *longest;
	}
	snapshot_batch_deinit(&batch);
	snapshot_decoder_destroy(snapshots);
}

static void snapshots_come_back_through_many_chunks(struct test *t)
{
	static struct thread threads[THREADS], states[SNAPSHOTS];
	struct random state = {.state = 42};
	struct event_encoder *encoder = NULL;
	struct event_decoder *decoder = NULL;
	struct snapshot_keys *keys = NULL;
	uint32_t next = 0, chunks = 0, longest = 0;

	CHECK_INT(t, event_encoder_create(EVENT_ENCODER_MIN_ROOM * 2, 0, &encoder), 0);
	CHECK_INT(t, event_decoder_create(&decoder), 0);
	CHECK_INT(t, snapshot_keys_create(&keys), 0);
	for (uint32_t i = 0; i < SNAPSHOTS; i++) {
		uint32_t thread = (uint32_t)random_below(&state, THREADS);
		struct snapshot_owner owner = {100 + thread, thread};
		struct snapshot snapshot;
		const uint64_t *known;

		change(&state, &threads[thread]);
		states[i] = threads[thread];
		snapshot = take(&states[i], i);
		if (snapshot_keys_encode(keys, encoder, owner, i + 1, &snapshot, &known) == -ENOSPC) {
			check_chunk(t, encoder, decoder, states, &next, &longest);
			event_encoder_reset(encoder);
			snapshot_keys_reset(keys);
			chunks++;
			CHECK_INT(t, snapshot_keys_encode(keys, encoder, owner, i + 1, &snapshot, &known), 0);
		}
	}
	check_chunk(t, encoder, decoder, states, &next, &longest);
	CHECK_INT(t, next, SNAPSHOTS);
	CHECK_INT(t, longest, RWK_MAX_SNAPSHOT_CHAIN);
	CHECK(t, chunks > 3);
	event_encoder_destroy(encoder);
	event_decoder_destroy(decoder);
	snapshot_keys_destroy(keys);
}

/* A payload of that many snapshots, each the difference to the one before; the first to `first` records before it. */
static size_t chain_make(struct test *t, struct event_encoder *encoder, uint32_t count,
			 uint32_t first, const void **ret_bytes)
{
	static const uint8_t registers[] = {2}; /* 1 more than the key's */
	uint64_t begin, end;

	event_encoder_reset(encoder);
	for (uint32_t i = 0; i < count; i++) {
		struct event event = {.kind = EVENT_SNAPSHOT};

		event.snapshot = (struct event_snapshot){.number = i + 1, .key = i ? 1 : first, .known = 1,
							 .registers = text_of(registers, sizeof(registers))};
		CHECK_INT(t, event_encode(encoder, &event), 0);
	}
	return event_encoder_payload(encoder, ret_bytes, &begin, &end);
}

/* Each register is the number of differences up to it; beyond the limit they are not followed. */
static void a_chain_of_keys_has_an_end(struct test *t)
{
	static uint64_t words[SNAPSHOT_WORDS];
	struct event_encoder *encoder = NULL;
	struct event_decoder *events = NULL;
	struct snapshot_decoder *snapshots = NULL;
	struct snapshot_batch batch = {0};
	struct snapshot snapshot;
	const void *bytes;
	size_t length;

	CHECK_INT(t, event_encoder_create(EVENT_ENCODER_MIN_ROOM, 0, &encoder), 0);
	CHECK_INT(t, event_decoder_create(&events), 0);
	for (uint32_t count = 1; count <= RWK_MAX_SNAPSHOT_CHAIN + 3; count++) {
		int wanted = count - 1 <= RWK_MAX_SNAPSHOT_CHAIN ? 0 : -EBADMSG;

		REQUIRE(t, !snapshot_decoder_create(&snapshots));
		length = chain_make(t, encoder, count, 0, &bytes);
		CHECK_INT(t, snapshot_batch_read(&batch, events, bytes, length, 0), 0);
		CHECK_INT(t, snapshot_decoder_get(snapshots, &batch, 1, count - 1, words, &snapshot), wanted);
		if (!wanted)
			CHECK_INT(t, snapshot.registers[0], count);
		snapshot_decoder_destroy(snapshots);
	}
	REQUIRE(t, !snapshot_decoder_create(&snapshots));
	length = chain_make(t, encoder, 30, 0, &bytes); /* nor if the preceding ones are already decoded */
	CHECK_INT(t, snapshot_batch_read(&batch, events, bytes, length, 0), 0);
	for (size_t i = 0; i < 30; i++)
		CHECK_INT(t, snapshot_decoder_get(snapshots, &batch, 2, i, words, &snapshot),
			  i <= RWK_MAX_SNAPSHOT_CHAIN ? 0 : -EBADMSG);
	length = chain_make(t, encoder, 3, 1, &bytes); /* the first one's key is before the payload */
	CHECK_INT(t, snapshot_batch_read(&batch, events, bytes, length, 0), 0);
	CHECK_INT(t, snapshot_decoder_get(snapshots, &batch, 3, 2, words, &snapshot), -EBADMSG);
	CHECK_INT(t, snapshot_decoder_get(snapshots, &batch, 3, 0, words, &snapshot), -EBADMSG);
	snapshot_decoder_destroy(snapshots);
	snapshot_batch_deinit(&batch);
	event_decoder_destroy(events);
	event_encoder_destroy(encoder);
}

TEST_MAIN(TEST(the_bytes_are_those_of_the_specification), TEST(what_contradicts_itself_is_refused),
	  TEST(snapshots_come_back_through_many_chunks), TEST(a_chain_of_keys_has_an_end))
