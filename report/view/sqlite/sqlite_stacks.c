/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/sqlite/sqlite_export.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/view/look/rows.h"
#include "report/view/text/page.h"

enum { MODULE_COLUMNS = 5, FUNCTION_COLUMNS = 4, FRAME_COLUMNS = 9, STACK_COLUMNS = 7, SUM_COLUMNS = 4 };

struct stacks {
	struct sqlite_export *job;
	struct functions *functions;
	const struct profile_frame *frames;
	const struct profile_module *modules;
	size_t frame_count, module_count;
	uint32_t *function; /* by frame; FUNCTION_NONE if it is in no stack */
	uint32_t *active;   /* by function: number of its frames on the current path */
	bool *used;	    /* by module */
	uint32_t function_count; /* all numbers of functions are below it */
};

static void stacks_deinit(struct stacks *stacks)
{
	functions_destroy(stacks->functions);
	free(stacks->function);
	free(stacks->active);
	free(stacks->used);
}

/* Finds the functions of all frames that are in stacks. */
static int find_functions(struct stacks *stacks)
{
	const struct stack_order *order = &stacks->job->order;
	int r = 0;

	for (uint32_t i = 1; i < order->count && !r; i++) {
		uint32_t frame = order->nodes[order->node[i]].frame;

		r = functions_find(stacks->functions, frame, &stacks->function[frame]);
		if (r < 0)
			return r;
		if (stacks->function[frame] >= stacks->function_count)
			stacks->function_count = stacks->function[frame] + 1;
		if (stacks->frames[frame].module < stacks->module_count)
			stacks->used[stacks->frames[frame].module] = true;
	}
	stacks->active = calloc((size_t)stacks->function_count + 1, sizeof(*stacks->active));
	return r < 0 ? r : stacks->active ? 0 : -ENOMEM;
}

static int stacks_init(struct stacks *stacks, struct sqlite_export *job)
{
	int r;

	*stacks = (struct stacks){.job = job};
	stacks->frames = profile_frames(job->profile, &stacks->frame_count);
	stacks->modules = profile_modules(job->profile, &stacks->module_count);
	stacks->function = calloc(stacks->frame_count + 1, sizeof(*stacks->function));
	stacks->used = calloc(stacks->module_count + 1, sizeof(*stacks->used));
	if (!stacks->function || !stacks->used)
		return -ENOMEM;
	r = functions_create(job->profile, FUNCTIONS_BY_MODULE, page_no_frames(job->context->settings),
			     &stacks->functions);
	return r < 0 ? r : find_functions(stacks);
}

static int write_modules(const struct stacks *stacks)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	int r = database_insert_create(stacks->job->database, "modules", MODULE_COLUMNS, &insert);

	for (uint32_t i = 1; i < stacks->module_count && !r; i++) {
		const struct profile_module *module = &stacks->modules[i];

		if (!stacks->used[i])
			continue;
		database_number(insert, i);
		database_text(insert, module->name);
		database_text(insert, module->path);
		database_text(insert, module->build_id);
		database_number(insert, module->kernel);
		r = database_row(insert);
	}
	return r;
}

/* Number 0 is the name of an empty stack. */
static int write_functions(const struct stacks *stacks)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	int r = database_insert_create(stacks->job->database, "functions", FUNCTION_COLUMNS, &insert);

	for (uint32_t i = 0; i < stacks->function_count && !r; i++) {
		database_number(insert, i);
		database_word(insert, functions_name(stacks->functions, i));
		database_word(insert, functions_module(stacks->functions, i));
		database_number(insert, functions_inlined(stacks->functions, i)[0] != '\0');
		r = database_row(insert);
	}
	return r;
}

static int write_frame(const struct stacks *stacks, struct database_query *insert, uint32_t number)
{
	const struct profile_frame *frame = &stacks->frames[number];
	const struct profile_symbol *symbol = profile_symbol(stacks->job->profile, number);

	database_number(insert, number);
	database_number(insert, stacks->function[number]);
	database_known(insert, frame->module && frame->module < stacks->module_count, frame->module);
	database_number(insert, frame->address);
	database_text(insert, symbol ? symbol->file : NULL);
	database_known(insert, symbol && symbol->line, symbol ? symbol->line : 0);
	database_number(insert, frame->kernel);
	database_number(insert, frame->caller);
	database_number(insert, frame->inline_depth);
	return database_row(insert);
}

static int write_frames(const struct stacks *stacks)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	int r = database_insert_create(stacks->job->database, "frames", FRAME_COLUMNS, &insert);

	for (uint32_t i = 0; i < stacks->frame_count && !r; i++)
		r = stacks->function[i] ? write_frame(stacks, insert, i) : 0;
	return r;
}

/* --- stacks --- */

struct step { /* on the path from the root to the stack being written */
	uint32_t last, function;
};

struct walk {
	struct step *steps;
	size_t depth;
};

/* Leaves the functions that are not on the path to stack `number`. */
static void leave(const struct stacks *stacks, struct walk *walk, uint32_t number)
{
	while (walk->depth && walk->steps[walk->depth - 1].last < number)
		stacks->active[walk->steps[--walk->depth].function]--;
}

static int write_root(const struct stacks *stacks, struct database_query *insert)
{
	database_number(insert, 0);
	database_nothing(insert);
	database_number(insert, stacks->job->order.last[0]);
	database_number(insert, 0);
	database_nothing(insert);
	database_number(insert, FUNCTION_NONE);
	database_number(insert, 0);
	return database_row(insert);
}

static int write_stack(const struct stacks *stacks, struct database_query *insert, struct walk *walk, uint32_t number)
{
	const struct stack_order *order = &stacks->job->order;
	const struct profile_node *node = &order->nodes[order->node[number]];
	uint32_t function = stacks->function[node->frame];

	leave(stacks, walk, number);
	database_number(insert, number);
	database_number(insert, order->number[node->parent]);
	database_number(insert, order->last[number]);
	database_number(insert, walk->depth + 1);
	database_number(insert, node->frame);
	database_number(insert, function);
	database_number(insert, !stacks->active[function]);
	stacks->active[function]++;
	walk->steps[walk->depth++] = (struct step){order->last[number], function};
	return database_row(insert);
}

static int write_stacks(const struct stacks *stacks)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	_cleanup_free_ struct step *steps = calloc(stacks->job->order.count, sizeof(*steps));
	struct walk walk = {.steps = steps};
	int r = database_insert_create(stacks->job->database, "stacks", STACK_COLUMNS, &insert);

	if (!r && !steps)
		r = -ENOMEM;
	if (!r)
		r = write_root(stacks, insert);
	for (uint32_t i = 1; i < stacks->job->order.count && !r; i++)
		r = write_stack(stacks, insert, &walk, i);
	return r;
}

/* --- sums --- */

struct sum {
	uint32_t stack, source;
	uint64_t samples, weight;
};

struct sums {
	ARRAY(struct sum) items;
};

static void sums_deinit(struct sums *sums)
{
	array_free(&sums->items);
}

static int compare_sums(const void *left, const void *right)
{
	const struct sum *l = left, *r = right;

	if (l->stack != r->stack)
		return l->stack < r->stack ? -1 : 1;
	return (l->source > r->source) - (l->source < r->source);
}

static int add_sums(struct sums *sums, const struct sqlite_export *job, uint32_t source)
{
	_cleanup_(rows_deinit) struct rows rows;
	int r = rows_init(&rows, job->profile, source, NULL);

	for (size_t i = 0; i < rows.count && !r; i++)
		r = array_push(&sums->items, (struct sum){.stack = job->order.number[rows.items[i].node],
							  .source = source, .samples = rows.items[i].samples,
							  .weight = rows.items[i].weight});
	return r;
}

static int write_sums(const struct stacks *stacks)
{
	_cleanup_(sums_deinit) struct sums sums = {0};
	_cleanup_insert_ struct database_query *insert = NULL;
	const struct profile_source *sources;
	size_t count = profile_sources(stacks->job->profile, &sources), next;
	int r = database_insert_create(stacks->job->database, "sums", SUM_COLUMNS, &insert);

	for (uint32_t i = 0; i < count && !r; i++)
		r = sources[i].left_out ? 0 : add_sums(&sums, stacks->job, i);
	if (sums.items.count)
		qsort(sums.items.items, sums.items.count, sizeof(*sums.items.items), compare_sums);
	for (size_t i = 0; i < sums.items.count && !r; i = next) {
		struct sum sum = sums.items.items[i];

		for (next = i + 1; next < sums.items.count && !compare_sums(&sum, &sums.items.items[next]); next++) {
			sum.samples += sums.items.items[next].samples;
			sum.weight += sums.items.items[next].weight;
		}
		database_number(insert, sum.stack);
		database_number(insert, sum.source);
		database_number(insert, sum.samples);
		database_number(insert, sum.weight);
		r = database_row(insert);
	}
	return r;
}

int sqlite_stacks_write(struct sqlite_export *job)
{
	static int (*const writers[])(const struct stacks *stacks) = {write_modules, write_functions, write_frames,
								      write_stacks, write_sums};
	_cleanup_(stacks_deinit) struct stacks stacks;
	int r = stacks_init(&stacks, job);

	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]) && !r; i++)
		r = writers[i](&stacks);
	return r;
}
