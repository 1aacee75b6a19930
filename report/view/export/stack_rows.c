/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/export/stack_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "report/view/look/groups.h"
#include "report/view/text/object_text.h"
#include "report/view/text/object_texts.h"

struct reader {
	const struct view_context *context;
	enum functions_mode mode;
	stack_row_do *each, *done;
	void *owner;
	bool by_object;
	struct waits waits; /* if by_object */
	struct object_texts texts;
};

static int do_stacks(const struct reader *reader, struct stack_row *row)
{
	int r = 0;

	for (size_t i = 0; !r && i < row->table->stacks.count; i++) {
		row->stack = &row->table->stacks.items[i];
		r = reader->each(reader->owner, row);
	}
	return r;
}

/* --- by what waits were for --- */

struct part {
	uint32_t object; /* number of a text, or the kind */
	uint8_t kind;	 /* enum profile_object_kind */
	struct row row;
};

struct parts {
	ARRAY(struct part) items;
	bool are_texts;
};

static void parts_deinit(struct parts *parts) { array_free(&parts->items); }

static int add_part(struct reader *reader, struct parts *parts, uint32_t object, struct row row)
{
	const uint8_t kind = reader->waits.objects[object].kind;
	struct part part = {.object = kind, .kind = kind, .row = row};
	int r = parts->are_texts ? object_texts_find(&reader->texts, object, &part.object) : 0;

	return r < 0 ? r : array_push(&parts->items, part);
}

static int add_waits(struct reader *reader, struct parts *parts, uint32_t source)
{
	int r = 0;

	for (size_t i = 0; !r && i < reader->waits.count; i++) {
		const struct profile_wait *wait = &reader->waits.items[i];
		const struct row row = {.node = wait->node, .task = wait->task, .flags = wait->chain_flags,
					.samples = 1, .weight = wait->weight};

		if (wait->source == source && wait_is_shown(wait))
			r = add_part(reader, parts, wait->object, row);
	}
	return r;
}

/* The rows of a walk are its tasks. */
static int add_walked(struct reader *reader, struct parts *parts, const struct rows *rows)
{
	const struct profile_walk_task *walked;
	size_t count = profile_walk_tasks(reader->context->profile, &walked);
	int r = 0;

	for (size_t i = 0; !r && i < count && i < rows->count; i++)
		r = add_part(reader, parts, walked[i].object, rows->items[i]);
	return r;
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *left = a, *right = b;

	return (left->object > right->object) - (left->object < right->object);
}

static int name_part(const struct reader *reader, const struct parts *parts, const struct part *part, char **ret_text)
{
	const char *text = parts->are_texts ? object_text(&reader->texts, part->object) :
			   part->kind	    ? object_kind_name(part->kind) :
					      "";
	bool is_thing = part->kind && part->kind != PROFILE_OBJECT_CHILD && part->kind != PROFILE_OBJECT_SLEEP;

	return asprintf(ret_text, "%s%s", is_thing ? "on " : "", text) < 0 ? -ENOMEM : 0;
}

/* Does the items from `first` on that are for the same object. *ret_next: the first item of the next object. */
static int do_part(const struct reader *reader, struct stack_row *row, struct stack_table *table,
		   const struct parts *parts, size_t first, size_t *ret_next)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_(rows_deinit) struct rows rows = {0};
	const struct part *part = &parts->items.items[first];
	size_t count = 1;
	int r = name_part(reader, parts, part, &text);

	while (first + count < parts->items.count && part[count].object == part->object)
		count++;
	*ret_next = first + count;
	rows.items = calloc(count, sizeof(*rows.items));
	if (r < 0 || !rows.items)
		return -ENOMEM;
	for (; rows.count < count; rows.count++)
		rows.items[rows.count] = part[rows.count].row;
	r = stack_table_fill(table, &rows);
	row->object = text;
	if (!r)
		r = do_stacks(reader, row);
	row->object = "";
	return r;
}

static int do_by_object(struct reader *reader, struct stack_row *row, struct stack_table *table, uint32_t source)
{
	_cleanup_(parts_deinit) struct parts parts = {0};
	int r;

	parts.are_texts = object_texts_are_few(&reader->texts);
	r = row->source->kind == PROFILE_OFFCPU ? add_waits(reader, &parts, source) :
						  add_walked(reader, &parts, &table->rows);
	if (parts.items.count)
		qsort(parts.items.items, parts.items.count, sizeof(*parts.items.items), compare_parts);
	for (size_t i = 0; !r && i < parts.items.count;)
		r = do_part(reader, row, table, &parts, i, &i);
	return r;
}

/* --- a source --- */

/* Always splits by process and cgroup. Waits keep stacks apart by what is missing from them. */
static int read_source(struct reader *reader, uint32_t number, const struct profile_source *source)
{
	struct view_settings settings = *reader->context->settings;
	struct profile *profile = reader->context->profile;
	const struct view_context apart = {.profile = profile, .settings = &settings, .out = reader->context->out};
	bool by_missing = source->kind == PROFILE_OFFCPU && !settings.kernel_only;
	_cleanup_(stack_table_deinit) struct stack_table table;
	struct stack_row row = {.table = &table, .source = source, .profile = profile, .object = ""};
	int r;

	settings.per_process = true;
	settings.by = group_field_find("cgroup");
	r = stack_table_init(&table, &apart, number, reader->mode, by_missing);
	if (r < 0 || !table.rows.count)
		return r;
	if (reader->by_object && (source->kind == PROFILE_OFFCPU || source->kind == PROFILE_TASKS)) {
		r = do_by_object(reader, &row, &table, number);
	} else {
		r = stack_table_fill(&table, &table.rows);
		if (!r)
			r = do_stacks(reader, &row);
	}
	return r < 0 || !reader->done ? r : reader->done(reader->owner, &row);
}

const struct profile_cgroup *stack_row_cgroup(const struct stack_row *row)
{
	const struct groups *groups = &row->table->groups;

	return groups->tasks[groups->example[row->stack->group]].cgroup;
}

static int read_sources(struct reader *reader)
{
	const struct profile_source *sources;
	size_t count = profile_sources(reader->context->profile, &sources);
	int r = 0;

	if (reader->by_object)
		r = waits_init(&reader->waits, reader->context->profile);
	if (!r && reader->by_object)
		r = object_texts_init(&reader->texts, &reader->waits);
	for (size_t i = 0; !r && i < count; i++)
		if (!sources[i].left_out && sources[i].samples)
			r = read_source(reader, (uint32_t)i, &sources[i]);
	return r;
}

int stack_rows_read(const struct view_context *context, enum functions_mode mode, bool by_object, stack_row_do *each,
		    stack_row_do *done, void *owner)
{
	struct reader reader = {.context = context, .mode = mode, .by_object = by_object, .each = each, .done = done,
				.owner = owner};
	int r = read_sources(&reader);

	object_texts_deinit(&reader.texts);
	return r;
}
