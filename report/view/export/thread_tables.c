/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/export/thread_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int thread_tables_init(struct thread_tables *tables, struct profile *profile, const char *no_frames)
{
	*tables = (struct thread_tables){.profile = profile};
	tables->nodes = profile_nodes(profile, &tables->node_count);
	tables->stack_of = calloc(tables->node_count + 1, sizeof(*tables->stack_of));
	if (!tables->stack_of)
		return -ENOMEM;
	return functions_create(profile, FUNCTIONS_BY_MODULE, no_frames, &tables->functions);
}

void thread_tables_deinit(struct thread_tables *tables)
{
	free(tables->stack_of);
	array_free(&tables->used);
	array_free(&tables->stacks);
	array_free(&tables->functions_used);
	array_free(&tables->number_of);
	array_free(&tables->names);
	functions_destroy(tables->functions);
	*tables = (struct thread_tables){0};
}

void thread_tables_begin(struct thread_tables *tables)
{
	for (size_t i = 0; i < tables->used.count; i++)
		tables->stack_of[tables->used.items[i]] = 0;
	for (size_t i = 0; i < tables->functions_used.count; i++)
		tables->number_of.items[tables->functions_used.items[i]] = 0;
	tables->used.count = tables->stacks.count = tables->functions_used.count = tables->names.count = 0;
}

static int find_function(struct thread_tables *tables, uint32_t node, uint32_t *ret_number)
{
	uint32_t function;
	int r = functions_find_node(tables->functions, node, &function);

	while (!r && tables->number_of.count <= function)
		r = array_push(&tables->number_of, 0);
	if (r < 0)
		return r;
	if (!tables->number_of.items[function]) {
		r = array_push(&tables->functions_used, function);
		if (r < 0)
			return r;
		tables->number_of.items[function] = (uint32_t)tables->functions_used.count;
	}
	*ret_number = tables->number_of.items[function] - 1;
	return 0;
}

/* All callers of the node must have been added. */
static int add_stack(struct thread_tables *tables, uint32_t node)
{
	uint32_t parent = tables->nodes[node].parent;
	struct thread_stack stack = {.prefix = parent ? tables->stack_of[parent] - 1 : THREAD_NO_STACK};
	int r = find_function(tables, node, &stack.function);

	if (!r)
		r = array_push(&tables->stacks, stack);
	if (!r)
		r = array_push(&tables->used, node);
	if (!r)
		tables->stack_of[node] = (uint32_t)tables->stacks.count;
	return r;
}

int thread_tables_stack(struct thread_tables *tables, uint32_t node, uint32_t *ret_stack)
{
	ARRAY(uint32_t) missing = {0};
	int r = node < tables->node_count ? 0 : -EBADMSG;

	for (uint32_t at = node; !r && at && !tables->stack_of[at]; at = tables->nodes[at].parent)
		r = tables->nodes[at].parent < at ? array_push(&missing, at) : -EBADMSG;
	while (!r && missing.count)
		r = add_stack(tables, missing.items[--missing.count]);
	array_free(&missing);
	if (!r)
		*ret_stack = node ? tables->stack_of[node] - 1 : THREAD_NO_STACK;
	return r;
}

int thread_tables_name(struct thread_tables *tables, const char *name, uint32_t *ret_name)
{
	size_t i = 0;

	while (i < tables->names.count && strcmp(tables->names.items[i], name) != 0)
		i++;
	*ret_name = (uint32_t)i;
	return i < tables->names.count ? 0 : array_push(&tables->names, name);
}

/* --- writing; a table is an object of columns --- */

enum column_value { VALUE_NULL, VALUE_ZERO, VALUE_MINUS_ONE, VALUE_FALSE, VALUE_TRUE, VALUE_SELF, VALUE_FUNCTION,
		    VALUE_PREFIX, VALUE_NAME, VALUE_MODULE, VALUE_CATEGORY };

enum { CATEGORY_KERNEL = 1, CATEGORY_USER = 2 };

struct value_column {
	const char *name;
	enum column_value value;
};

/* The texts are the names of markers, then a name and a module for each function. */
static size_t text_of(const struct thread_tables *tables, size_t function)
{
	return tables->names.count + 2 * function;
}

static bool has_module(const struct thread_tables *tables, size_t i)
{
	return functions_module(tables->functions, tables->functions_used.items[i])[0];
}

static uint64_t category_of(const struct thread_tables *tables, size_t i)
{
	size_t count;
	const struct profile_frame *frames = profile_frames(tables->profile, &count);
	uint32_t frame = tables->nodes[tables->used.items[i]].frame;

	return frame < count && frames[frame].kernel ? CATEGORY_KERNEL : CATEGORY_USER;
}

static void write_value(const struct thread_tables *tables, struct json_text *json, enum column_value value, size_t i)
{
	if (value == VALUE_NULL || (value == VALUE_MODULE && !has_module(tables, i)) ||
	    (value == VALUE_PREFIX && tables->stacks.items[i].prefix == THREAD_NO_STACK))
		json_text_null(json, NULL);
	else if (value == VALUE_FALSE || value == VALUE_TRUE)
		json_text_bool(json, NULL, value == VALUE_TRUE);
	else if (value == VALUE_MINUS_ONE)
		json_text_int(json, NULL, -1);
	else if (value == VALUE_PREFIX)
		json_text_uint(json, NULL, tables->stacks.items[i].prefix);
	else if (value == VALUE_FUNCTION)
		json_text_uint(json, NULL, tables->stacks.items[i].function);
	else if (value == VALUE_CATEGORY)
		json_text_uint(json, NULL, category_of(tables, i));
	else if (value == VALUE_NAME || value == VALUE_MODULE)
		json_text_uint(json, NULL, text_of(tables, i) + (value == VALUE_MODULE));
	else
		json_text_uint(json, NULL, value == VALUE_SELF ? i : 0);
}

static void write_table(const struct thread_tables *tables, struct json_text *json, const char *name,
			const struct value_column *columns, size_t length)
{
	json_text_begin_object(json, name);
	for (; columns->name; columns++) {
		json_text_begin_array(json, columns->name);
		for (size_t i = 0; i < length; i++)
			write_value(tables, json, columns->value, i);
		json_text_end_array(json);
	}
	json_text_uint(json, "length", length);
	json_text_end_object(json);
}

static void write_texts(const struct thread_tables *tables, struct json_text *json)
{
	json_text_begin_array(json, "stringArray");
	for (size_t i = 0; i < tables->names.count; i++)
		json_text_name(json, NULL, tables->names.items[i]);
	for (size_t i = 0; i < tables->functions_used.count; i++) {
		uint32_t function = tables->functions_used.items[i];
		const char *name = functions_name(tables->functions, function);
		const char *mark = functions_mark(tables->functions, function);

		json_text_begin_value(json, NULL);
		(void)putc_unlocked('"', json->out);
		json_text_escape(json->out, name, strlen(name));
		json_text_escape(json->out, mark, strlen(mark));
		(void)putc_unlocked('"', json->out);
		json_text_printable(json, NULL, functions_module(tables->functions, function));
	}
	json_text_end_array(json);
}

void thread_tables_write(const struct thread_tables *tables, struct json_text *json)
{
	static const struct value_column stacks[] = {
		{"frame", VALUE_FUNCTION}, {"category", VALUE_CATEGORY}, {"subcategory", VALUE_ZERO},
		{"prefix", VALUE_PREFIX}, {0}};
	static const struct value_column frames[] = {
		{"address", VALUE_MINUS_ONE}, {"inlineDepth", VALUE_ZERO}, {"category", VALUE_NULL},
		{"subcategory", VALUE_NULL}, {"func", VALUE_SELF}, {"nativeSymbol", VALUE_NULL},
		{"innerWindowID", VALUE_NULL}, {"implementation", VALUE_NULL}, {"line", VALUE_NULL},
		{"column", VALUE_NULL}, {0}};
	static const struct value_column functions[] = {
		{"isJS", VALUE_FALSE}, {"relevantForJS", VALUE_FALSE}, {"name", VALUE_NAME},
		{"resource", VALUE_MINUS_ONE}, {"fileName", VALUE_MODULE}, {"lineNumber", VALUE_NULL},
		{"columnNumber", VALUE_NULL}, {0}};
	static const struct value_column resources[] = {
		{"lib", VALUE_NULL}, {"name", VALUE_NULL}, {"host", VALUE_NULL}, {"type", VALUE_NULL}, {0}};
	static const struct value_column symbols[] = {
		{"libIndex", VALUE_NULL}, {"address", VALUE_NULL}, {"name", VALUE_NULL}, {"functionSize", VALUE_NULL},
		{0}};

	write_table(tables, json, "stackTable", stacks, tables->stacks.count);
	write_table(tables, json, "frameTable", frames, tables->functions_used.count);
	write_table(tables, json, "funcTable", functions, tables->functions_used.count);
	write_table(tables, json, "resourceTable", resources, 0);
	write_table(tables, json, "nativeSymbols", symbols, 0);
	write_texts(tables, json);
}
