/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The keys of call chains: equal for equal chains, different if a frame, the order, the length, the
 * kind or the owner differs; and which callers the encoder recognizes by that key, compared with a
 * list of what it was given.
 */
#include "common/chain_key.h"

#include "format/event_encoder.h"
#include "tests/test.h"

enum { FRAMES = 40 };

static void a_difference_shows(struct test *t)
{
	struct chain_factors factors;
	uint64_t frames[FRAMES] = {0x401000, 0x401000, 0};
	struct chain_key base, other;

	REQUIRE(t, chain_factors_draw(&factors) == 0);
	for (uint64_t i = 3; i < FRAMES; i++)
		frames[i] = 0xffffffff81000000 + i * 16;
	base = chain_key(&factors, frames, FRAMES, 0, 0);
	for (uint32_t i = 0; i < FRAMES; i++)
		for (unsigned int bit = 0; bit < 64; bit++) {
			frames[i] ^= UINT64_C(1) << bit;
			other = chain_key(&factors, frames, FRAMES, 0, 0);
			CHECK(t, !chain_key_equal(&base, &other));
			frames[i] ^= UINT64_C(1) << bit;
		}
	other = chain_key(&factors, frames, FRAMES - 1, 0, 0);
	CHECK(t, !chain_key_equal(&base, &other));
	other = chain_key(&factors, frames, FRAMES, 1, 0);
	CHECK(t, !chain_key_equal(&base, &other));
	other = chain_key(&factors, frames, FRAMES, 0, 1);
	CHECK(t, !chain_key_equal(&base, &other));
	frames[1] = frames[3];
	frames[3] = 0x401000;
	other = chain_key(&factors, frames, FRAMES, 0, 0);
	CHECK(t, !chain_key_equal(&base, &other));
}

static int put(struct event_encoder *encoder, const uint64_t *frames, uint32_t count, uint64_t owner, bool *ret_known)
{
	struct event_sample sample = {.time = 1, .source = 1};
	struct event_task task = {.tgid = 1, .tid = 1, .comm = "one"};
	struct event_stacks stacks = {.user = frames, .user_count = count, .user_owner = owner};
	int r = event_encode_sample(encoder, &sample, &task, &stacks);

	*ret_known = sample.callers_known;
	return r;
}

static void callers_are_known_from_the_second_time(struct test *t)
{
	struct event_encoder *encoder;
	uint64_t frames[FRAMES];
	bool known = true;

	for (uint64_t i = 0; i < FRAMES; i++)
		frames[i] = 0x401000 + i * 0x40;
	REQUIRE(t, event_encoder_create(1 << 16, 1, &encoder) == 0);
	CHECK(t, !put(encoder, frames, FRAMES, 5, &known) && !known);
	CHECK(t, !put(encoder, frames, FRAMES, 5, &known) && known);
	frames[0]++; /* another leaf */
	CHECK(t, !put(encoder, frames, FRAMES, 5, &known) && known);
	CHECK(t, !put(encoder, frames, FRAMES, 6, &known) && !known);
	CHECK(t, !put(encoder, frames, FRAMES - 1, 5, &known) && !known);
	CHECK(t, !put(encoder, frames + 1, FRAMES - 1, 5, &known) && !known);
	frames[FRAMES - 1]++; /* another root */
	CHECK(t, !put(encoder, frames, FRAMES, 5, &known) && !known);
	CHECK(t, !put(encoder, frames, 1, 5, &known) && !known); /* no callers, nothing to know */
	event_encoder_reset(encoder);
	CHECK(t, !put(encoder, frames, FRAMES, 5, &known) && !known);
	event_encoder_destroy(encoder);
}

TEST_MAIN(TEST(a_difference_shows), TEST(callers_are_known_from_the_second_time))
