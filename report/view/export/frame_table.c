/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/export/frame_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

int frame_table_init(struct frame_table *table, frame_table_write *write)
{
	FILE *stream;
	int r;

	*table = (struct frame_table){.write = write};
	r = hash_map_init(&table->numbers);
	if (r < 0)
		return r;
	stream = open_memstream(&table->text, &table->size);
	if (!stream)
		return -ENOMEM;
	json_text_init(&table->json, stream);
	json_text_begin_rows(&table->json, NULL);
	return 0;
}

void frame_table_deinit(struct frame_table *table)
{
	if (table->json.out)
		(void)fclose(table->json.out);
	free(table->text);
	hash_map_deinit(&table->numbers);
	*table = (struct frame_table){0};
}

static int find(struct frame_table *table, const char *name, const char *module, uint32_t *ret_number)
{
	_cleanup_free_ char *key = NULL;
	int length = asprintf(&key, "%s\n%s", name, module), r;
	uint64_t *number;

	if (length < 0) {
		key = NULL;
		return -ENOMEM;
	}
	r = hash_map_add(&table->numbers, key, (size_t)length, table->numbers.count, &number);
	if (r < 0)
		return r;
	*ret_number = (uint32_t)*number;
	if (r > 0)
		table->write(&table->json, name, module);
	return 0;
}

int frame_table_function(struct frame_table *table, const struct functions *functions, uint32_t function,
			 uint32_t *ret_number)
{
	_cleanup_free_ char *name = NULL;

	if (asprintf(&name, "%s%s", functions_name(functions, function), functions_mark(functions, function)) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	return find(table, name, functions_module(functions, function), ret_number);
}

int frame_table_word(struct frame_table *table, const char *name, uint32_t *ret_number)
{
	return find(table, name, "", ret_number);
}

int frame_table_finish(struct frame_table *table, FILE *out)
{
	FILE *stream = table->json.out;

	json_text_end_array(&table->json);
	table->json.out = NULL;
	if (fclose(stream) != 0)
		return -ENOMEM;
	(void)fwrite_unlocked(table->text, 1, table->size, out);
	return 0;
}
