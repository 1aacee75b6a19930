/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Any bytes as a chunk's payload. Everything that the decoder returns is used, so that a bad
 * pointer, number or length shows as a fault here; and the promises of its interface are checked.
 */
#pragma once

#include "format/event_layout.h"
#include "format/event_lines.h"
#include "tests/fuzz/decode_waits.h"

static inline uint64_t fuzz_touch(const char *bytes, uint32_t length)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < length; i++)
		sum = sum * 31 + (uint8_t)bytes[i];
	return sum;
}

static inline uint64_t fuzz_use_fields(struct event *event)
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

static inline uint64_t fuzz_use_symbols(struct event *event)
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

static inline uint64_t fuzz_use_lines(const struct event *event)
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

static inline uint64_t fuzz_use(const struct event_decoder *decoder, struct event *event)
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
static inline void fuzz_decode(const uint8_t *bytes, size_t length)
{
	struct event_decoder *decoder;
	struct event event;
	uint64_t sums[2] = {0};

	if (event_decoder_create(&decoder) < 0)
		return;
	for (int run = 0; run < 2; run++) {
		event_decoder_start(decoder, bytes, length);
		while (event_decoder_next(decoder, &event) == 1)
			sums[run] = sums[run] * 31 + fuzz_use(decoder, &event);
		fuzz_require(event_decoder_next(decoder, &event) <= 0);
	}
	fuzz_require(sums[0] == sums[1]);
	event_decoder_destroy(decoder);
}
