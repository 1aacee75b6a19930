/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Any bytes as the payload of a chunk of STATE, EVENTS or EMBED. Everything that the decoder
 * returns is used, so that a bad pointer, number or length shows as a fault here; and the promises
 * of its interface are checked.
 */
#include <stdlib.h>

#include "format/event_decoder.h"
#include "format/event_layout.h"
#include "format/event_lines.h"
#include "format/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void fuzz_require(int good)
{
	if (!good)
		abort();
}

static void fuzz_use_stack(const struct event_decoder *decoder, uint32_t leaf, uint32_t root)
{
	size_t count;
	const struct stack_node *nodes = event_decoder_nodes(decoder, &count);
	uint32_t frames = 0;

	for (fuzz_require(leaf < count); leaf != root; leaf = nodes[leaf].parent, frames++) {
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

/* The decoder is used twice: nothing left behind by one payload may show in the next. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct event_decoder *decoder;
	struct event event;
	uint64_t sums[2] = {0};

	if (event_decoder_create(&decoder) < 0)
		return 0;
	for (int run = 0; run < 2; run++) {
		event_decoder_start(decoder, bytes, length);
		while (event_decoder_next(decoder, &event) == 1)
			sums[run] = sums[run] * 31 + fuzz_use(decoder, &event);
		fuzz_require(event_decoder_next(decoder, &event) <= 0);
	}
	fuzz_require(sums[0] == sums[1]);
	event_decoder_destroy(decoder);
	return 0;
}
