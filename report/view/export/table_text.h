/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A table as CSV (a line of names, then a line for each row; text is in quotes, and quotes within
 * it are doubled, as in RFC 4180) or as NDJSON (an object for each row, without the empty fields).
 */
#ifndef RWALKER_REPORT_VIEW_EXPORT_TABLE_TEXT_H
#define RWALKER_REPORT_VIEW_EXPORT_TABLE_TEXT_H

#include "report/profile/seam/profile_objects.h"
#include "report/view/export/json_text.h"
#include "report/view/export/stack_words.h"
#include "report/view/look/waits.h"

enum table_form { TABLE_CSV, TABLE_NDJSON };

enum table_field_kind {
	TABLE_EMPTY,
	TABLE_UINT,
	TABLE_INT,
	TABLE_NAME,
	TABLE_WORD,
	TABLE_OWN,
	TABLE_STACK,
	TABLE_OBJECT,
	TABLE_WAIT,
};

struct table_field {
	enum table_field_kind kind;
	uint64_t number;   /* TABLE_UINT; TABLE_INT in two's complement */
	const char *text;  /* TABLE_NAME: of a trace; TABLE_WORD: ours, without quotes and commas */
	char own[24];	   /* TABLE_OWN: a short name, ends with a NUL */
	uint32_t node, flags; /* TABLE_STACK */
	enum stack_owner owner;
	const struct profile_object *object; /* TABLE_OBJECT: as reports write it */
	const struct waits *waits; /* TABLE_WAIT: what it was for, as reports write it */
	const struct profile_wait *wait; /* one of `waits`; NULL: use `walked` */
	const struct profile_walk_task *walked;
};

static inline struct table_field table_uint(uint64_t number)
{
	return (struct table_field){.kind = TABLE_UINT, .number = number};
}

static inline struct table_field table_int(int64_t number)
{
	return (struct table_field){.kind = TABLE_INT, .number = (uint64_t)number};
}

static inline struct table_field table_name(const char *name)
{
	return (struct table_field){.kind = TABLE_NAME, .text = name};
}

/* Empty if `word` is NULL. */
static inline struct table_field table_word(const char *word)
{
	return (struct table_field){.kind = word ? TABLE_WORD : TABLE_EMPTY, .text = word};
}

/* The unit of the weights of a source: "ns", "cycles", or what it counts. */
const char *table_unit(const struct profile_source *source);

/* A column. `row` is what was passed to table_text_row(). */
struct table_column {
	const char *name;
	struct table_field (*field)(const void *row);
};

struct table_text {
	enum table_form form;
	const struct table_column *columns;
	size_t count;
	struct json_text json;
	struct stack_words words;
	FILE *out;
};

/* Writes the line of names. */
int table_text_begin(struct table_text *table, const struct view_context *context, enum table_form form,
		     const struct table_column *columns, size_t count);
int table_text_row(struct table_text *table, const void *row);
void table_text_end(struct table_text *table);
void table_text_deinit(struct table_text *table);

#endif
