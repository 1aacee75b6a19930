/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/embedded_lines.h"

#include "common/cleanup.h"
#include "report/read/trace_file.h"

struct gathering {
	struct event_decoder *decoder;
	struct event_lines lines;
	struct text_pool *texts;
	struct line_answers *answers;
};

static void gathering_deinit(struct gathering *all)
{
	event_decoder_destroy(all->decoder);
	event_lines_deinit(&all->lines);
}

static int keep_text(struct gathering *all, const struct event_text *text, const char **ret_text)
{
	return text->length ? text_pool_add(all->texts, text->bytes, text->length, ret_text) : 0;
}

/* The number of an address among those that were asked for; they ascend, and so do those of a record. */
static bool find_number(const struct line_answers *answers, uint64_t address, size_t *ret_number)
{
	size_t low = 0, high = answers->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (answers->addresses[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_number = low;
	return low < answers->count && answers->addresses[low] == address;
}

static int take_line(struct gathering *all, const struct event_line *line)
{
	struct line_level levels[RWK_MAX_LEVELS];
	size_t number;
	int r = 0;

	if (!line->level_count || !find_number(all->answers, line->address, &number) || all->answers->places[number].count)
		return 0;
	for (uint32_t i = 0; i < line->level_count && r == 0; i++) {
		levels[i] = (struct line_level){.line = line->levels[i].line};
		r = keep_text(all, &line->levels[i].function, &levels[i].function);
		if (r == 0)
			r = keep_text(all, &line->levels[i].file, &levels[i].file);
	}
	return r < 0 ? r : line_answers_put(all->answers, number, levels, line->level_count);
}

static int take_record(struct gathering *all, const struct event *event)
{
	struct event_line line;
	int r = event_lines_start(&all->lines, event);

	while (r >= 0 && (r = event_lines_next(&all->lines, &line)) > 0)
		r = take_line(all, &line);
	return r == -EBADMSG ? 0 : r;
}

static int take_chunk(struct gathering *all, const struct module_part *part, uint32_t chunk)
{
	struct trace_file *file = part->model->file;
	const void *payload;
	struct event event;
	int r = trace_file_load(file, chunk, &payload);

	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	event_decoder_start(all->decoder, payload, file->chunks[chunk].header.raw_size);
	while ((r = event_decoder_next(all->decoder, &event)) > 0)
		if (event.kind == EVENT_EMBED_LINES && event.embed_lines.module == part->module->id) {
			r = take_record(all, &event);
			if (r < 0)
				return r;
		}
	return r == -EBADMSG ? 0 : r;
}

int embedded_lines_add(const struct module *module, struct text_pool *texts, struct line_answers *answers)
{
	_cleanup_(gathering_deinit) struct gathering all = {.texts = texts, .answers = answers};
	int r = event_decoder_create(&all.decoder);

	for (size_t i = 0; i < module->parts.count && r == 0; i++) {
		const struct module_part *part = &module->parts.items[i];

		for (size_t k = 0; k < part->module->line_chunks.count && r == 0; k++)
			r = take_chunk(&all, part, part->module->line_chunks.items[k]);
	}
	return r;
}
