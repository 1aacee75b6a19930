/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/event_lines.h"

#include "format/limits.h"

int event_lines_start(struct event_lines *lines, const struct event *event)
{
	lines->record = event->symbols;
	lines->left = event->embed_lines.count;
	lines->address = 0;
	lines->texts.count = 0;
	return array_push(&lines->texts, (struct event_text){"", 0});
}

void event_lines_deinit(struct event_lines *lines)
{
	array_free(&lines->texts);
	array_free(&lines->levels);
}

/* A number, followed by the text itself if it is new. -ENOMEM. */
static int take_text(struct event_lines *lines, struct event_text *ret_text)
{
	uint64_t number = byte_cursor_varint(&lines->record), length;
	const uint8_t *bytes;

	if (number < lines->texts.count) {
		*ret_text = lines->texts.items[number];
		return 0;
	}
	length = byte_cursor_varint(&lines->record);
	lines->record.bad |= number > lines->texts.count || length > RWK_MAX_STRING;
	bytes = byte_cursor_bytes(&lines->record, length);
	*ret_text = bytes ? (struct event_text){(const char *)bytes, (uint32_t)length} : (struct event_text){"", 0};
	return array_push(&lines->texts, *ret_text);
}

static int take_level(struct event_lines *lines)
{
	struct event_line_level level = {0};
	uint64_t line;
	int r = take_text(lines, &level.function);

	if (!r)
		r = take_text(lines, &level.file);
	line = byte_cursor_varint(&lines->record);
	lines->record.bad |= line > UINT32_MAX;
	level.line = (uint32_t)line;
	return r < 0 ? r : array_push(&lines->levels, level);
}

int event_lines_next(struct event_lines *lines, struct event_line *ret_line)
{
	uint64_t levels;
	int r = 0;

	if (!lines->left)
		return lines->record.bad ? -EBADMSG : 0;
	lines->record.bad |= __builtin_add_overflow(lines->address,
						    byte_cursor_varint(&lines->record),
						    &lines->address);
	levels = byte_cursor_varint(&lines->record);
	lines->record.bad |= levels > RWK_MAX_LEVELS;
	lines->levels.count = 0;
	for (uint64_t i = 0; i < levels && !r && !lines->record.bad; i++)
		r = take_level(lines);
	lines->left = lines->record.bad ? 0 : lines->left - 1;
	if (r < 0 || lines->record.bad)
		return r < 0 ? r : -EBADMSG;
	*ret_line = (struct event_line){lines->address, lines->levels.items, (uint32_t)levels};
	return 1;
}
