/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The cost of the encoder: samples of 25 frames; many share the outer 23, and nearly every one has
 * a new leaf. They come at 4000 Hz on four CPUs, with the jitter of a real timer. Prints ns and
 * bytes per sample.
 */
#include <stdio.h>
#include <time.h>

#include "format/chunk.h"
#include "format/limits.h"
#include "format/lz4_block.h"
#include "format/event_decoder.h"
#include "format/event_encoder.h"
#include "tests/random.h"

enum { SAMPLES = 400000, FRAMES = 25, PATHS = 64, CPUS = 4 };

struct totals {
	uint64_t raw, stored, chunks, encode_ns, pack_ns, decode_ns, decoded;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void make_stack(struct random *random, uint64_t path, uint64_t *frames)
{
	for (uint32_t i = 2; i < FRAMES; i++) /* the inner half depends on the path, the outer half on its group */
		frames[i] = 0x7f0000000000 + (FRAMES - i) * 0x12340 + (i < 12 ? path : path / 8) * 0x150;
	frames[1] = 0x560000001000 + random_below(random, 40) * 0x30;
	frames[0] = 0x560000100000 + random_below(random, 1 << 16) * 4;
}

static void finish_chunk(struct event_encoder *encoder, struct event_decoder *decoder, struct totals *totals)
{
	static uint8_t stored[RWK_MAX_STORED_CHUNK], scratch[1 << 15];
	struct rwk_chunk_header header = {0};
	uint64_t first, last, start = now(), packed;
	struct event event;
	const void *bytes;
	size_t length = event_encoder_payload(encoder, &bytes, &first, &last);

	rwk_chunk_pack(&header, bytes, length, stored, scratch);
	packed = now();
	event_decoder_start(decoder, bytes, length);
	while (event_decoder_next(decoder, &event) == 1)
		totals->decoded += event.kind == EVENT_SAMPLE;
	totals->decode_ns += now() - packed;
	totals->pack_ns += packed - start;
	totals->raw += length;
	totals->stored += rwk_chunk_length(&header);
	totals->chunks++;
	event_encoder_reset(encoder);
}

static int add(struct event_encoder *encoder, struct random *random, uint64_t *clocks)
{
	uint64_t frames[FRAMES], path = random_below(random, PATHS);
	struct event_task task = {.tgid = 1000, .tid = 1000 + (uint32_t)path % 8,
				  .start = 12345678901234, .comm = "bench"};
	struct event_stacks stacks = {.user = frames, .user_count = FRAMES};
	struct event_sample sample = {.cpu = (uint32_t)random_below(random, CPUS), .source = 1};

	sample.time = clocks[sample.cpu] += 250000 + random_below(random, 3000);
	make_stack(random, path, frames);
	return event_encode_sample(encoder, &sample, &task, &stacks);
}

int main(void)
{
	struct random random = random_make(1);
	uint64_t clocks[CPUS] = {0}, making = 0;
	struct event_encoder *encoder;
	struct event_decoder *decoder;
	struct totals totals = {0};

	if (lz4_block_scratch() > 1 << 15 || event_encoder_create(RWK_TARGET_RAW_CHUNK, CPUS, &encoder) < 0 ||
	    event_decoder_create(&decoder) < 0)
		return 1;
	for (uint32_t i = 0; i < SAMPLES; i += 1000) {
		uint64_t frames[FRAMES], start = now();

		for (uint32_t k = 0; k < 1000; k++) { /* the cost of making the samples */
			make_stack(&random, random_below(&random, PATHS), frames);
			__asm__ volatile("" : : "r"(frames) : "memory");
		}
		making += now() - start;
		start = now();
		for (uint32_t k = 0; k < 1000; k++)
			if (add(encoder, &random, clocks) < 0) {
				totals.encode_ns += now() - start;
				finish_chunk(encoder, decoder, &totals);
				start = now();
				(void)add(encoder, &random, clocks);
			}
		totals.encode_ns += now() - start;
		if (i % 4000 == 0) /* a chunk each 250 ms */
			finish_chunk(encoder, decoder, &totals);
	}
	finish_chunk(encoder, decoder, &totals);
	printf("%u samples of %u frames in %llu chunks\n", SAMPLES, FRAMES, (unsigned long long)totals.chunks);
	printf("encode %.0f ns, LZ4 + CRC %.0f ns, decode %.0f ns a sample\n",
	       (double)(totals.encode_ns - making) / SAMPLES, (double)totals.pack_ns / SAMPLES,
	       (double)totals.decode_ns / SAMPLES);
	printf("%.1f bytes raw, %.1f bytes stored a sample\n", (double)totals.raw / SAMPLES,
	       (double)totals.stored / SAMPLES);
	event_encoder_destroy(encoder);
	event_decoder_destroy(decoder);
	return totals.decoded == SAMPLES ? 0 : 1;
}
