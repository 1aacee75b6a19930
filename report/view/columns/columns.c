/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/columns/columns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMN_NAME(number, name) [COLUMN_##number] = #name,
const char *const column_names[COLUMNS] = {COLUMN_LIST(COLUMN_NAME)};

int column_text_open(struct column_text *text, char bracket)
{
	int r;

	*text = (struct column_text){.end = bracket == '[' ? ']' : '}'};
	r = hash_map_init(&text->known);
	if (r < 0)
		return r;
	json_init(&text->json, open_memstream(&text->text, &text->length));
	if (text->json.out) {
		(void)putc(bracket, text->json.out);
		return 0;
	}
	hash_map_deinit(&text->known);
	return -ENOMEM;
}

int column_text_close(struct column_text *text, struct column *column)
{
	int r = 0;

	hash_map_deinit(&text->known);
	if (text->json.out) {
		(void)putc(text->end, text->json.out);
		r = fclose(text->json.out) || text->json.failed ? -ENOMEM : 0;
	}
	if (!r)
		column_raw(column, text->text, text->length);
	free(text->text);
	*text = (struct column_text){0};
	return r;
}

int column_text_find(struct column_text *text, const void *key, size_t length, uint64_t *ret_number)
{
	uint64_t *number;
	int r = hash_map_add(&text->known, key, length, text->known.count, &number);

	if (r >= 0)
		*ret_number = *number;
	return r;
}

int column_text_add(struct column_text *text, const char *value, bool is_name, uint64_t *ret_number)
{
	int r = column_text_find(text, value, strlen(value), ret_number);

	if (r > 0 && is_name)
		json_write(&text->json, "%-s", value);
	else if (r > 0)
		json_write(&text->json, "%s", value);
	return r < 0 ? r : 0;
}

void column_take(struct column *to, struct column *from)
{
	column_raw(to, from->bytes.items, from->bytes.count);
	to->count += from->count;
	to->failed |= from->failed;
	array_free(&from->bytes);
	*from = (struct column){0};
}

void columns_clear(struct columns *columns, enum column_number first, enum column_number end)
{
	for (unsigned int i = first; i < end; i++) {
		columns->items[i].bytes.count = columns->items[i].count = 0;
		columns->items[i].failed = false;
	}
}

int columns_status(const struct columns *columns)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (columns->items[i].failed)
			return -ENOMEM;
	return 0;
}

size_t columns_bytes(const struct columns *columns, enum column_number first, enum column_number end)
{
	size_t bytes = 0;

	for (unsigned int i = first; i < end; i++)
		bytes += columns->items[i].bytes.count;
	return bytes;
}

void columns_deinit(struct columns *columns)
{
	for (size_t i = 0; i < COLUMNS; i++)
		array_free(&columns->items[i].bytes);
}
