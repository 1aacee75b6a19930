/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "report/profile/seam/profile_origin.h"
#include "report/view/export/frame_table.h"
#include "report/view/export/name_text.h"
#include "report/view/export/stack_rows.h"
#include "report/view/look/chain.h"
#include "report/view/look/container_text.h"
#include "report/view/text/page.h"

/*
 * --export speedscope: a "sampled" profile for each source and host. A sample is a stack, from the comm to the leaf as
 * in --folded, with the sum of its weights. In a container, the stack begins with the container; for waits and walked
 * tasks, it ends with what they were for. The unit is ns if that is the unit of the source's weight, else none.
 */

static const char schema[] = "https://www.speedscope.app/file-format-schema.json";

struct scope_stack {
	struct unique_stack stack;
	uint32_t object; /* number of the frame for what it waited for, plus 1; 0: none */
};

struct scope {
	const struct view_context *context;
	struct json_text json;
	struct frame_table frames;
	ARRAY(struct scope_stack) stacks; /* of one source */
	uint32_t *numbers;		   /* by function of the source: number of its frame, plus 1 */
	size_t number_count;
	struct chain chain;
};

static void scope_deinit(struct scope *scope)
{
	frame_table_deinit(&scope->frames);
	array_free(&scope->stacks);
	free(scope->numbers);
	chain_deinit(&scope->chain);
}

static void write_frame(struct json_text *json, const char *name, const char *module)
{
	json_text_begin_object(json, NULL);
	json_text_printable(json, "name", name);
	if (module[0])
		json_text_printable(json, "file", module);
	json_text_end_object(json);
}

/* --- a stack --- */

static int write_word(struct scope *scope, const char *word)
{
	uint32_t number;
	int r = frame_table_word(&scope->frames, word, &number);

	if (!r)
		json_text_uint(&scope->json, NULL, number);
	return r;
}

/* "comm", or "comm-123" if split by process, as in --folded. */
static int write_owner(struct scope *scope, const struct stack_row *row)
{
	const struct task_names *names = &row->table->names;
	const char *comm = names->comms[row->stack->comm];
	char text[128];
	size_t length = printable_escape(text, sizeof(text) / 2, comm, strlen(comm));

	if (scope->context->settings->per_process)
		(void)snprintf(text + length, sizeof(text) - length, "-%" PRIu32,
			       names->processes[row->stack->process].tgid);
	return write_word(scope, text);
}

/* "container web (docker 3f4e5d6c7b8a)"; nothing outside of containers. */
static int write_container(struct scope *scope, const struct stack_row *row)
{
	const struct profile_cgroup *cgroup = stack_row_cgroup(row);
	_cleanup_free_ char *text = NULL;
	int r = *profile_container(cgroup) ? container_text(cgroup, "container ", &text) : 0;

	return r < 0 || !text ? r : write_word(scope, text);
}

/* The number of a frame, cached by function. */
static int frame_number(struct scope *scope, struct functions *functions, uint32_t frame, uint32_t *ret_number)
{
	uint32_t function;
	int r = functions_find(functions, frame, &function);

	if (r < 0)
		return r;
	if (function >= scope->number_count) {
		size_t count = 2 * ((size_t)function + 1);
		uint32_t *numbers = realloc(scope->numbers, count * sizeof(*numbers));

		if (!numbers)
			return -ENOMEM;
		memset(numbers + scope->number_count, 0, (count - scope->number_count) * sizeof(*numbers));
		scope->numbers = numbers;
		scope->number_count = count;
	}
	if (!scope->numbers[function]) {
		r = frame_table_function(&scope->frames, functions, function, ret_number);
		if (r < 0)
			return r;
		scope->numbers[function] = *ret_number + 1;
	}
	*ret_number = scope->numbers[function] - 1;
	return 0;
}

static int write_frames(struct scope *scope, const struct stack_row *row)
{
	uint32_t number;
	int r = 0;

	for (size_t i = scope->chain.frames.count; !r && i--;) {
		r = frame_number(scope, row->table->functions, scope->chain.frames.items[i], &number);
		if (!r)
			json_text_uint(&scope->json, NULL, number);
	}
	return r;
}

static int write_stack(struct scope *scope, const struct stack_row *row, uint32_t object)
{
	const struct view_settings *settings = scope->context->settings;
	bool waits = row->source->kind == PROFILE_OFFCPU;
	int r = chain_read(&scope->chain, row->profile, row->stack->node);
	size_t kernel = scope->chain.kernel_count, count = scope->chain.frames.count;

	json_text_begin_array(&scope->json, NULL);
	if (!r)
		r = write_container(scope, row);
	if (!r)
		r = write_owner(scope, row);
	if (!r && !waits && !count)
		r = write_word(scope, functions_name(row->table->functions, FUNCTION_NONE));
	if (!r && waits && row->stack->user_missing && kernel == count)
		r = write_word(scope, "[Missed User Stack]");
	if (!r)
		r = write_frames(scope, row);
	if (!r && waits && !kernel && !settings->user_only)
		r = write_word(scope, "[Missed Kernel Stack]");
	if (object)
		json_text_uint(&scope->json, NULL, object - 1);
	json_text_end_array(&scope->json);
	return r;
}

/* --- a profile --- */

static void write_title(struct scope *scope, const struct stack_row *row, uint32_t host)
{
	const struct profile_source *source = row->source;
	const char *kind = page_kind_name(source->kind), *name = profile_host_name(row->profile, host);
	FILE *out = scope->json.out;

	json_text_begin_value(&scope->json, "name");
	(void)putc_unlocked('"', out);
	(void)fputs(kind, out);
	if (source->name[0] && strcmp(source->name, kind) != 0) {
		(void)putc_unlocked(' ', out);
		name_text_write(out, source->name, json_text_escape);
	}
	(void)fputs(name[0] ? ", " : "", out);
	name_text_write(out, name, json_text_escape);
	if (row->table->names.host_count > 1)
		(void)fprintf(out, " (host %" PRIu32 ")", host);
	(void)putc_unlocked('"', out);
}

static uint32_t host_of(const struct stack_row *row, const struct unique_stack *stack)
{
	return row->table->names.processes[stack->process].host;
}

static int write_samples(struct scope *scope, struct stack_row *row, uint32_t host)
{
	int r = 0;

	json_text_begin_rows(&scope->json, "samples");
	for (size_t i = 0; !r && i < scope->stacks.count; i++) {
		const struct scope_stack *kept = &scope->stacks.items[i];

		row->stack = &kept->stack;
		if (host_of(row, row->stack) == host)
			r = write_stack(scope, row, kept->object);
	}
	json_text_end_array(&scope->json);
	return r;
}

static int write_profile(struct scope *scope, struct stack_row *row, uint32_t host, uint64_t total)
{
	bool is_time = !strcmp(row->source->weight_unit, "ns");
	int r;

	json_text_begin_object(&scope->json, NULL);
	json_text_printable(&scope->json, "type", "sampled");
	write_title(scope, row, host);
	json_text_printable(&scope->json, "unit", is_time ? "nanoseconds" : "none");
	json_text_uint(&scope->json, "startValue", 0);
	json_text_uint(&scope->json, "endValue", total);
	r = write_samples(scope, row, host);
	json_text_begin_array(&scope->json, "weights");
	for (size_t i = 0; !r && i < scope->stacks.count; i++)
		if (host_of(row, &scope->stacks.items[i].stack) == host)
			json_text_uint(&scope->json, NULL, scope->stacks.items[i].stack.weight);
	json_text_end_array(&scope->json);
	json_text_end_object(&scope->json);
	return r;
}

static int keep_stack(void *owner, const struct stack_row *row)
{
	struct scope *scope = owner;
	struct scope_stack kept = {.stack = *row->stack};
	int r = row->object[0] ? frame_table_word(&scope->frames, row->object, &kept.object) : 0;

	kept.object += row->object[0] != '\0';
	return r < 0 ? r : array_push(&scope->stacks, kept);
}

/* The first host from `least` on, and its weight; UINT32_MAX: there is none. */
static uint32_t find_host(const struct scope *scope, const struct stack_row *row, uint32_t least, uint64_t *ret_total)
{
	uint32_t host = UINT32_MAX;
	uint64_t total = 0;

	for (size_t i = 0; i < scope->stacks.count; i++) {
		uint32_t found = host_of(row, &scope->stacks.items[i].stack);

		if (found >= least && found < host) {
			host = found;
			total = 0;
		}
		total += found == host ? scope->stacks.items[i].stack.weight : 0;
	}
	*ret_total = total;
	return host;
}

/* Writes a profile for each host of the source. */
static int write_source(void *owner, const struct stack_row *last)
{
	struct scope *scope = owner;
	struct stack_row row = *last;
	uint64_t total;
	int r = 0;

	for (uint32_t host = find_host(scope, &row, 0, &total); !r && host != UINT32_MAX;
	     host = find_host(scope, &row, host + 1, &total))
		r = write_profile(scope, &row, host, total);
	scope->stacks.count = 0;
	free(scope->numbers);
	scope->numbers = NULL;
	scope->number_count = 0;
	return r;
}

int speedscope_view(const struct view_context *context, uint32_t number, const struct profile_source *all)
{
	_cleanup_(scope_deinit) struct scope scope = {.context = context};
	int r = frame_table_init(&scope.frames, write_frame);

	(void)number;
	(void)all;
	if (r < 0)
		return r;
	json_text_init(&scope.json, context->out);
	json_text_begin_object(&scope.json, NULL);
	json_text_printable(&scope.json, "$schema", schema);
	json_text_printable(&scope.json, "exporter", "rwalker-report");
	json_text_begin_rows(&scope.json, "profiles");
	r = stack_rows_read(context, FUNCTIONS_BY_MODULE, true, keep_stack, write_source, &scope);
	json_text_end_array(&scope.json);
	json_text_begin_object(&scope.json, "shared");
	json_text_begin_value(&scope.json, "frames");
	if (!r)
		r = frame_table_finish(&scope.frames, context->out);
	json_text_end_object(&scope.json);
	json_text_end_object(&scope.json);
	(void)fputc('\n', context->out);
	return r;
}
