/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module/embedded_lines.h"

#include "common/cleanup.h"
#include "common/sorted.h"
#include "report/read/trace_file.h"

struct gathering {
	const struct module_part *part;
	struct event_lines lines;
	struct text_pool *texts;
	struct line_answers *answers;
};

static void gathering_deinit(struct gathering *all)
{
	event_lines_deinit(&all->lines);
}

static int keep_text(struct gathering *all, const struct event_text *text, const char **ret_text)
{
	return text->length ? text_pool_add(all->texts, text->bytes, text->length, ret_text) : 0;
}

/* The index of an address among the requested ones, which ascend. */
static bool find_number(const struct line_answers *answers, uint64_t address, size_t *ret_number)
{
	size_t place = SORTED_FIRST(i, answers->count, answers->addresses[i] >= address);

	*ret_number = place;
	return place < answers->count && answers->addresses[place] == address;
}

static int take_line(struct gathering *all, const struct event_line *line)
{
	struct line_level levels[RWK_MAX_LEVELS];
	size_t number;
	int r = 0;

	if (!line->level_count || !find_number(all->answers, line->address, &number) ||
	    all->answers->places[number].count)
		return 0;
	for (uint32_t i = 0; i < line->level_count && !r; i++) {
		levels[i] = (struct line_level){.line = line->levels[i].line};
		r = keep_text(all, &line->levels[i].function, &levels[i].function);
		if (!r)
			r = keep_text(all, &line->levels[i].file, &levels[i].file);
	}
	return r < 0 ? r : line_answers_put(all->answers, number, levels, line->level_count);
}

static int take_record(struct event *event, void *data)
{
	struct gathering *all = data;
	struct event_line line;
	int r;

	if (event->kind != EVENT_EMBED_LINES || event->embed_lines.module != all->part->module->id)
		return 0;
	r = event_lines_start(&all->lines, event);
	while (r >= 0 && (r = event_lines_next(&all->lines, &line)) > 0)
		r = take_line(all, &line);
	return r == -EBADMSG ? 0 : r;
}

int embedded_lines_add(const struct module *module, struct text_pool *texts, struct line_answers *answers)
{
	_cleanup_(gathering_deinit) struct gathering all = {.texts = texts, .answers = answers};
	int r = 0;

	for (size_t i = 0; i < module->parts.count && !r; i++) {
		all.part = &module->parts.items[i];
		r = trace_file_each_record(all.part->model->file, &all.part->module->line_chunks,
					   take_record, &all);
	}
	return r;
}
