/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Any bytes as a trace file, and as the payload of a chunk. Checksums would keep mutations from the code behind them, so a
 * file is read twice: as it is, and with every checksum corrected where a struct begins with its magic. Everything that
 * the decoder returns is used, so that a bad pointer, number or length shows as a fault here; and the promises of its
 * interface are checked.
 */
#include "format/chunk.h"
#include "format/crc32c.h"
#include "format/event_decoder.h"
#include "format/event_layout.h"
#include "format/event_lines.h"
#include "format/limits.h"
#include "format/trace_reader.h"
#include "tests/fault/memory_io.h"
#include "tests/fuzz/fuzz.h"

static void fuzz_use_stack(const struct event_decoder *decoder, uint32_t leaf, uint32_t root)
{
	size_t count;
	const struct stack_node *nodes = event_decoder_nodes(decoder, &count);
	uint32_t frames = 0;

	fuzz_require(leaf < count);
	for (; leaf != root; leaf = nodes[leaf].parent, frames++) {
		fuzz_require(leaf >= STACK_FIRST_NODE && nodes[leaf].parent < leaf && nodes[leaf].root == root);
		fuzz_require(frames < (root ? RWK_MAX_FRAMES : RWK_MAX_PATH));
		fuzz_require(nodes[leaf].depth > nodes[nodes[leaf].parent].depth);
	}
}

static void fuzz_use_task(const struct event_decoder *decoder, uint32_t number)
{
	fuzz_require(!number || event_decoder_task(decoder, number));
}

static void fuzz_use_wait(const struct event_decoder *decoder, const struct event_wait *wait)
{
	fuzz_use_stack(decoder, wait->kernel, STACK_KERNEL_ROOT);
	fuzz_use_stack(decoder, wait->user, STACK_USER_ROOT);
	fuzz_use_task(decoder, wait->task);
	fuzz_use_task(decoder, wait->waker);
	fuzz_require(wait->cpu < RWK_MAX_CPUS && wait->out_cpu < RWK_MAX_CPUS && wait->length <= wait->time);
	fuzz_require(wait->flags & WAIT_HAS_WAKER || (!wait->context && !wait->waker && !wait->woken));
	fuzz_require(wait->flags & WAIT_HAS_RUN_QUEUE || wait->run_queue <= wait->length);
}

/* Records of waits, all of which refer to tasks and stacks. */
static void fuzz_use_waits(const struct event_decoder *decoder, const struct event *event)
{
	switch (event->kind) {
	case EVENT_WAIT:
		fuzz_use_wait(decoder, &event->wait);
		break;
	case EVENT_WAKE:
		fuzz_use_stack(decoder, event->wake.kernel, STACK_KERNEL_ROOT);
		fuzz_use_stack(decoder, event->wake.user, STACK_USER_ROOT);
		fuzz_use_task(decoder, event->wake.task);
		fuzz_use_task(decoder, event->wake.target);
		fuzz_require(event->wake.cpu < RWK_MAX_CPUS);
		break;
	case EVENT_USER_STACK:
		fuzz_use_stack(decoder, event->user_stack.user, STACK_USER_ROOT);
		fuzz_use_task(decoder, event->user_stack.task);
		fuzz_require(event->user_stack.cpu < RWK_MAX_CPUS);
		break;
	case EVENT_WAIT_SUMS:
		fuzz_use_task(decoder, event->wait_sums.task);
		break;
	default:
		break;
	}
}

static uint64_t fuzz_touch(const char *bytes, uint32_t length)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < length; i++)
		sum = sum * 31 + (uint8_t)bytes[i];
	return sum;
}

static uint64_t fuzz_use_fields(struct event *event)
{
	const struct event_layout *layout = event_layout_find(event->kind);
	uint64_t sum = 0;

	fuzz_require(layout != NULL);
	for (const struct event_field *field = layout->fields; field->type; field++) {
		const struct event_text *text = event_field_text(field, event_record(event));

		if (field->type == FIELD_TEXT || field->type == FIELD_BYTES) {
			fuzz_require(text->length <= field->limit);
			sum += fuzz_touch(text->bytes, text->length);
		} else if (field->type != FIELD_COMM) {
			sum += event_field_value(field, event_record(event));
		}
	}
	return sum;
}

static uint64_t fuzz_use_symbols(struct event *event)
{
	struct event_symbol symbol;
	uint64_t address = 0, previous = 0, sum = 0;

	while (event_next_symbol(event, &address, &symbol) == 1) {
		fuzz_require(symbol.address >= previous && symbol.address == address);
		previous = symbol.address;
		sum += fuzz_touch(symbol.name.bytes, symbol.name.length);
	}
	return sum;
}

static uint64_t fuzz_use_lines(const struct event *event)
{
	struct event_lines lines = {0};
	struct event_line line;
	uint64_t previous = 0, sum = 0;
	int r = event_lines_start(&lines, event);

	while (r >= 0 && (r = event_lines_next(&lines, &line)) == 1) {
		fuzz_require(line.address >= previous && line.level_count <= RWK_MAX_LEVELS);
		previous = line.address;
		for (uint32_t i = 0; i < line.level_count; i++)
			sum += fuzz_touch(line.levels[i].function.bytes, line.levels[i].function.length) +
			       fuzz_touch(line.levels[i].file.bytes, line.levels[i].file.length) + line.levels[i].line;
	}
	fuzz_require(r != -EBADMSG || event_lines_next(&lines, &line) == -EBADMSG);
	event_lines_deinit(&lines);
	return sum;
}

static uint64_t fuzz_use(const struct event_decoder *decoder, struct event *event)
{
	uint64_t sum = fuzz_use_fields(event);

	switch (event->kind) {
	case EVENT_SAMPLE:
		fuzz_use_stack(decoder, event->sample.kernel, STACK_KERNEL_ROOT);
		fuzz_use_stack(decoder, event->sample.user, STACK_USER_ROOT);
		fuzz_require(event->sample.cpu < RWK_MAX_CPUS && event->sample.probe <= RWK_MAX_PROBES);
		fuzz_use_task(decoder, event->sample.task);
		break;
	case EVENT_WALK_TASK:
		fuzz_use_stack(decoder, event->walk_task.kernel, STACK_KERNEL_ROOT);
		break;
	case EVENT_EMBED_MODULE:
		for (uint32_t i = 0; i < event->embed_module.segment_count; i++)
			sum += event->embed_module.segments[i].address;
		break;
	case EVENT_EMBED_SYMBOLS:
	case EVENT_PERF_MAP:
		sum += fuzz_use_symbols(event);
		break;
	case EVENT_EMBED_LINES:
		sum += fuzz_use_lines(event);
		break;
	default:
		fuzz_use_waits(decoder, event);
	}
	return sum;
}

/* Returns a sum of all that the payload holds. */
static uint64_t decode(struct event_decoder *decoder, const void *payload, size_t length)
{
	struct event event;
	uint64_t sum = 0;

	event_decoder_start(decoder, payload, length);
	while (event_decoder_next(decoder, &event) == 1)
		sum = sum * 31 + fuzz_use(decoder, &event);
	fuzz_require(event_decoder_next(decoder, &event) <= 0);
	return sum;
}

static void read_all(struct trace_reader *reader, struct event_decoder *decoder)
{
	const struct trace_chunk *chunks;
	size_t count = trace_reader_chunks(reader, &chunks);
	struct trace_damage damage;

	for (size_t i = 0; i < count; i++) {
		uint8_t *payload = malloc(chunks[i].header.raw_size + 1);

		if (payload && trace_reader_load(reader, &chunks[i], payload) >= 0)
			(void)decode(decoder, payload, chunks[i].header.raw_size);
		free(payload);
	}
	trace_reader_damage(reader, &damage);
}

static void read_trace(uint8_t *bytes, size_t length)
{
	struct memory_io m = memory_io_over(bytes, length);
	struct event_decoder *decoder = NULL;
	struct trace_reader *reader = NULL;

	memory_io_open(&m);
	if (trace_reader_create(&m.io, 3, &reader) >= 0 && event_decoder_create(&decoder) >= 0)
		read_all(reader, decoder);
	event_decoder_destroy(decoder);
	trace_reader_destroy(reader);
}

/*
 * Corrects the checksums of everything that begins with a magic, in order, with the seed of the
 * preceding file header.
 */
static void make_right(uint8_t *bytes, size_t length)
{
	uint32_t seed = 0;

	for (size_t at = 0; at + sizeof(struct rwk_file_header) <= length; at++) {
		struct rwk_file_header file;
		struct rwk_chunk_header chunk;
		size_t left = length - at;

		memcpy(&file, bytes + at, sizeof(file));
		memcpy(&chunk, bytes + at, sizeof(chunk));
		if (!memcmp(file.magic, RWK_MAGIC, 8)) {
			seed = file.crc = crc32c(0, &file, offsetof(struct rwk_file_header, crc));
			memcpy(bytes + at, &file, sizeof(file));
		} else if (!memcmp(chunk.magic, RWK_CHUNK_MAGIC, 4)) {
			size_t stored = (chunk.stored_size + (size_t)7) & ~(size_t)7;

			if (stored <= left - sizeof(chunk))
				chunk.payload_crc = crc32c(0, bytes + at + sizeof(chunk), stored);
			rwk_chunk_header_seal(&chunk, seed);
			memcpy(bytes + at, &chunk, sizeof(chunk));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct event_decoder *decoder;
	uint8_t *copy = fuzz_copy(bytes, length);

	fuzz_require(!event_decoder_create(&decoder));
	/* Nothing left behind by one payload may show in the next. */
	fuzz_require(decode(decoder, copy, length) == decode(decoder, copy, length));
	event_decoder_destroy(decoder);
	read_trace(copy, length);
	make_right(copy, length);
	read_trace(copy, length);
	free(copy);
	return 0;
}
