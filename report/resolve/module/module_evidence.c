/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module/module_evidence.h"

#include <string.h>

#include "common/random_bytes.h"
#include "report/read/trace_file.h"

static const uint64_t prime = (UINT64_C(1) << 61) - 1;

enum { WORD = 7 }; /* bytes, so that a word is below the prime */

int evidence_points_draw(struct evidence_points *points)
{
	int r = random_bytes(points->at, sizeof(points->at));

	for (size_t i = 0; i < 2; i++)
		points->at[i] = points->at[i] % (prime - 2) + 2;
	return r;
}

/* sum · point + word + 1, modulo the prime. */
static void add_word(struct evidence *evidence, const struct evidence_points *points, uint64_t word)
{
	for (size_t i = 0; i < 2; i++) {
		unsigned __int128 product = (unsigned __int128)evidence->sums[i] * points->at[i] + word + 1;
		uint64_t sum = ((uint64_t)product & prime) + (uint64_t)(product >> 61);

		evidence->sums[i] = sum >= prime ? sum - prime : sum;
	}
}

static void add_number(struct evidence *evidence, const struct evidence_points *points, uint64_t number)
{
	add_word(evidence, points, number >> 32);
	add_word(evidence, points, number & UINT32_MAX);
}

void evidence_add(struct evidence *evidence, const struct evidence_points *points, const void *bytes, size_t size)
{
	const uint8_t *next = bytes;

	add_number(evidence, points, size);
	for (; size; next += WORD) {
		size_t length = size < WORD ? size : WORD;
		uint64_t word = 0;

		memcpy(&word, next, length);
		add_word(evidence, points, word);
		size -= length;
	}
}

struct gathering {
	const struct evidence_points *points;
	const struct trace_model *model;
	struct evidence *evidence;
};

/* Begins a record of the module with its numeric fields. NULL: the section has no such module. */
static struct evidence *begin(struct gathering *gathering, uint32_t id, const uint64_t *numbers, size_t count)
{
	const struct trace_module *module = trace_model_module(gathering->model, id);
	struct evidence *evidence = module ? &gathering->evidence[module - gathering->model->modules.items] : NULL;

	for (size_t i = 0; evidence && i < count; i++)
		add_number(evidence, gathering->points, numbers[i]);
	return evidence;
}

static void take_list(struct gathering *gathering, const struct event *event, uint32_t module, uint64_t count)
{
	const uint64_t numbers[] = {event->kind, count};
	struct evidence *evidence = begin(gathering, module, numbers, 2);

	if (evidence)
		evidence_add(evidence, gathering->points, event->symbols.next, byte_cursor_left(&event->symbols));
}

static void take_unwind(struct gathering *gathering, const struct event_embed_unwind *piece)
{
	const uint64_t numbers[] = {EVENT_EMBED_UNWIND, piece->section, piece->address, piece->size,
				    piece->offset, piece->text, piece->data};
	struct evidence *evidence = begin(gathering, piece->module, numbers, sizeof(numbers) / sizeof(numbers[0]));

	if (evidence)
		evidence_add(evidence, gathering->points, piece->bytes.bytes, piece->bytes.length);
}

static int take_record(struct event *event, void *data)
{
	struct gathering *gathering = data;

	if (event->kind == EVENT_EMBED_SYMBOLS)
		take_list(gathering, event, event->embed_symbols.module, event->embed_symbols.count);
	else if (event->kind == EVENT_EMBED_LINES)
		take_list(gathering, event, event->embed_lines.module, event->embed_lines.count);
	else if (event->kind == EVENT_EMBED_UNWIND)
		take_unwind(gathering, &event->embed_unwind);
	return 0;
}

static void take_modules(struct gathering *gathering)
{
	for (size_t i = 0; i < gathering->model->modules.count; i++) {
		const struct trace_module *module = &gathering->model->modules.items[i];
		const uint64_t numbers[] = {EVENT_EMBED_MODULE, module->embed_status, module->machine};

		if (!module->embed_status)
			continue;
		(void)begin(gathering, module->id, numbers, sizeof(numbers) / sizeof(numbers[0]));
		evidence_add(&gathering->evidence[i], gathering->points, module->segments,
			     module->segment_count * sizeof(*module->segments));
	}
}

static void take_kernel_symbols(struct gathering *gathering)
{
	for (size_t i = 0; i < gathering->model->kernel_symbols.count; i++) {
		const struct kernel_symbol *symbol = &gathering->model->kernel_symbols.items[i];
		const uint64_t numbers[] = {EVENT_KERNEL_SYMBOL, symbol->offset, symbol->size};
		struct evidence *evidence = begin(gathering, symbol->module, numbers, 3);

		if (evidence && symbol->name)
			evidence_add(evidence, gathering->points, symbol->name, strlen(symbol->name));
	}
}

int evidence_gather(const struct evidence_points *points, const struct trace_model *model, struct evidence *evidence)
{
	struct gathering gathering = {.points = points, .model = model, .evidence = evidence};
	chunk_list chunks = {0};
	int r = 0;

	memset(evidence, 0, model->modules.count * sizeof(*evidence));
	take_modules(&gathering);
	take_kernel_symbols(&gathering);
	for (uint32_t i = model->first_chunk; i < model->end_chunk && !r; i++)
		if (model->file->chunks[i].section == model->section &&
		    model->file->chunks[i].header.type == RWK_CHUNK_EMBED)
			r = array_push(&chunks, i);
	if (!r)
		r = trace_file_each_record(model->file, &chunks, take_record, &gathering);
	array_free(&chunks);
	return r;
}
