/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/export/table_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/view/export/decimal_text.h"
#include "report/view/text/object_text.h"
#include "report/view/text/page.h"

const char *table_unit(const struct profile_source *source)
{
	return strcmp(source->weight_unit, "samples") ? source->weight_unit : page_unit(source);
}

/* Quotes are doubled. All text is in quotes, so nothing else needs escaping. */
static void csv_escape(FILE *out, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		const char *quote = memchr(text, '"', (size_t)(end - text));

		(void)fwrite_unlocked(text, 1, (size_t)((quote ? quote : end) - text), out);
		if (!quote)
			return;
		(void)putc_unlocked('"', out);
		(void)putc_unlocked('"', out);
		text = quote + 1;
	}
}

int table_text_begin(struct table_text *table, const struct view_context *context, enum table_form form,
		     const struct table_column *columns, size_t count)
{
	text_escape *escape = form == TABLE_CSV ? csv_escape : json_text_escape;

	*table = (struct table_text){.form = form, .columns = columns, .count = count, .out = context->out};
	json_text_init(&table->json, context->out);
	for (size_t i = 0; form == TABLE_CSV && i < count; i++)
		(void)fprintf(table->out, "%s%c", columns[i].name, i + 1 < count ? ',' : '\n');
	return stack_words_init(&table->words, context, escape);
}

void table_text_deinit(struct table_text *table)
{
	stack_words_deinit(&table->words);
}

static int write_object(struct table_text *table, const struct profile_object *object)
{
	_cleanup_free_ char *text = NULL;
	int r = object_to_text(object, &text);

	if (!r)
		table->words.escape(table->out, text, strlen(text));
	return r;
}

static int write_wait(struct table_text *table, const struct table_field *field)
{
	const struct profile_wait wait = field->wait ? *field->wait : profile_walk_wait(field->walked);
	_cleanup_free_ char *text = NULL;
	int r = wait_object_text(field->waits, &wait, &text);

	if (!r && text)
		table->words.escape(table->out, text, strlen(text));
	return r;
}

/* Writes text in quotes. */
static int write_text(struct table_text *table, const struct table_field *field)
{
	int r = 0;

	(void)putc_unlocked('"', table->out);
	if (field->kind == TABLE_NAME)
		name_text_write(table->out, field->text, table->words.escape);
	else if (field->kind == TABLE_OWN)
		name_text_write(table->out, field->own, table->words.escape);
	else if (field->kind == TABLE_STACK)
		r = stack_words_write(&table->words, field->node, field->flags, field->owner, table->out);
	else if (field->kind == TABLE_OBJECT)
		r = write_object(table, field->object);
	else if (field->kind == TABLE_WAIT)
		r = write_wait(table, field);
	else
		(void)fputs_unlocked(field->text, table->out);
	(void)putc_unlocked('"', table->out);
	return r;
}

static int write_field(struct table_text *table, const struct table_field *field)
{
	int64_t number = (int64_t)field->number;

	if (field->kind == TABLE_UINT) {
		decimal_text_write(table->out, field->number);
	} else if (field->kind == TABLE_INT) {
		if (number < 0)
			(void)putc_unlocked('-', table->out);
		decimal_text_write(table->out, number < 0 ? -field->number : field->number);
	} else if (field->kind == TABLE_WORD && table->form == TABLE_CSV) {
		(void)fputs_unlocked(field->text, table->out);
	} else if (field->kind != TABLE_EMPTY) {
		return write_text(table, field);
	}
	return 0;
}

static int write_csv_row(struct table_text *table, const void *row)
{
	int r = 0;

	for (size_t i = 0; !r && i < table->count; i++) {
		struct table_field field = table->columns[i].field(row);

		if (i)
			(void)putc_unlocked(',', table->out);
		r = write_field(table, &field);
	}
	(void)putc_unlocked('\n', table->out);
	return r;
}

static int write_json_row(struct table_text *table, const void *row)
{
	int r = 0;

	json_text_begin_object(&table->json, NULL);
	for (size_t i = 0; !r && i < table->count; i++) {
		struct table_field field = table->columns[i].field(row);

		if (field.kind == TABLE_EMPTY)
			continue;
		json_text_begin_value(&table->json, table->columns[i].name);
		r = write_field(table, &field);
	}
	json_text_end_object(&table->json);
	return r;
}

int table_text_row(struct table_text *table, const void *row)
{
	return table->form == TABLE_CSV ? write_csv_row(table, row) : write_json_row(table, row);
}

void table_text_end(struct table_text *table)
{
	if (table->form == TABLE_NDJSON && table->json.some)
		(void)putc_unlocked('\n', table->out);
}
