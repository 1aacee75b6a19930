/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Copies the source lines of addresses from one trace to another. */
#include <errno.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "format/event_lines.h"
#include "report/tool/condense_parts.h"

struct gathered_lines { /* of one record */
	struct event_lines reader;
	ARRAY(struct event_line) lines;
	ARRAY(struct event_line_level) levels; /* of all lines, concatenated */
};

static void cleanup_lines(struct gathered_lines *gathered)
{
	event_lines_deinit(&gathered->reader);
	array_free(&gathered->lines);
	array_free(&gathered->levels);
}

/* The reader's levels are valid only for the current line. */
static int keep_line(struct gathered_lines *gathered, const struct event_line *line)
{
	for (uint32_t i = 0; i < line->level_count; i++)
		if (array_push(&gathered->levels, line->levels[i]) < 0)
			return -ENOMEM;
	return array_push(&gathered->lines, *line);
}

static int gather(struct event *event, struct gathered_lines *gathered)
{
	const struct event_line_level *next;
	struct event_line line;
	int r = event_lines_start(&gathered->reader, event);

	while (r >= 0 && (r = event_lines_next(&gathered->reader, &line)) > 0)
		r = keep_line(gathered, &line);
	next = gathered->levels.items;
	for (size_t i = 0; i < gathered->lines.count; i++) {
		gathered->lines.items[i].levels = next;
		if (next) /* lines without levels have none */
			next += gathered->lines.items[i].level_count;
	}
	return r;
}

int condense_take_lines(struct condensing *condensing, struct event *event)
{
	_cleanup_(cleanup_lines) struct gathered_lines gathered = {0};
	int r = gather(event, &gathered);

	if (r < 0)
		return r == -EBADMSG ? -EINVAL : r;
	return condense_write_lines(condensing, event->embed_lines.module, gathered.lines.items, gathered.lines.count,
				    gathered.levels.items, gathered.levels.count);
}
