/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/export/sqlite_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/export/sqlite.h"
#include "report/profile/profile_waits.h"
#include "report/view/event_reader.h"
#include "report/view/groups.h"
#include "report/view/object_text.h"
#include "report/view/page.h"
#include "report/view/wait_text.h"
#include "report/view/waits.h"

/* --- stack order --- */

int stack_order_init(struct stack_order *order, const struct profile *profile)
{
	*order = (struct stack_order){0};
	order->nodes = profile_nodes(profile, &order->node_count);
	order->wanted = calloc(order->node_count + 1, sizeof(*order->wanted));
	order->number = calloc(order->node_count + 1, sizeof(*order->number));
	return order->wanted && order->number ? 0 : -ENOMEM;
}

void stack_order_deinit(struct stack_order *order)
{
	free(order->wanted);
	free(order->number);
	free(order->node);
	free(order->last);
}

int stack_order_want(struct stack_order *order, const struct profile *profile, uint32_t node)
{
	return event_reader_mark(profile, node, order->wanted);
}

/* Counts the chains that begin with that of each node, including itself. Callers have lower numbers. */
static void count_chains(const struct stack_order *order, uint32_t *sizes)
{
	for (size_t node = order->node_count; node-- > 1;)
		if (order->wanted[node]) {
			sizes[node]++;
			sizes[order->nodes[node].parent] += sizes[node];
		}
}

/*
 * The number of a node is that of its caller, plus 1, plus the number of chains of its earlier
 * siblings, which are lower nodes. `next`: by node, the number for its next callee.
 */
int stack_order_number(struct stack_order *order)
{
	_cleanup_free_ uint32_t *sizes = calloc(order->node_count + 1, sizeof(*sizes));
	_cleanup_free_ uint32_t *next = calloc(order->node_count + 1, sizeof(*next));

	if (!sizes || !next)
		return -ENOMEM;
	count_chains(order, sizes);
	order->count = sizes[0] + 1;
	order->node = calloc((size_t)order->count, sizeof(*order->node));
	order->last = calloc((size_t)order->count, sizeof(*order->last));
	if (!order->node || !order->last)
		return -ENOMEM;
	next[0] = 1;
	order->last[0] = order->count - 1;
	for (uint32_t node = 1; node < order->node_count; node++) {
		uint32_t parent = order->nodes[node].parent, number;

		if (!order->wanted[node])
			continue;
		number = next[parent];
		next[parent] += sizes[node];
		next[node] = number + 1;
		order->number[node] = number;
		order->node[number] = node;
		order->last[number] = number + sizes[node] - 1;
	}
	return 0;
}

/* --- sqlite stacks --- */

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

/* --- sqlite events --- */

enum { SAMPLE_COLUMNS = 9, WAIT_COLUMNS = 18, WAKE_COLUMNS = 8, OBJECT_COLUMNS = 4 };

/* --- what events refer to --- */

static int mark(struct sqlite_export *job, uint32_t task, uint32_t node)
{
	job->tasks[task] = true;
	return stack_order_want(&job->order, job->profile, node);
}

static bool has_wake(const struct sqlite_export *job, const struct profile_wait *wait)
{
	return job->wakes && wait->waker != PROFILE_NO_TASK;
}

int sqlite_events_mark(struct sqlite_export *job)
{
	struct profile_event event;
	int r;

	event_reader_rewind(&job->reader);
	while ((r = event_reader_next(&job->reader, &event)) > 0) {
		r = mark(job, event.task, event.node);
		if (event.kind == PROFILE_EVENT_WAIT)
			job->objects[event.wait->object] = true;
		if (!r && event.kind == PROFILE_EVENT_WAKEUP)
			r = mark(job, event.wait->task, 0);
		if (r < 0)
			return r;
	}
	return r;
}

/* --- what waits were for --- */

static int write_object(struct database_query *insert, uint64_t id, const struct profile_object *object)
{
	_cleanup_free_ char *text = NULL;
	int r = object_to_text(object, &text);

	if (r < 0)
		return r;
	database_number(insert, id);
	database_word(insert, object_kind_name(object->kind));
	database_word(insert, text); /* stays until the row is written */
	database_text(insert, *object->name ? object->name : NULL);
	return database_row(insert);
}

static int write_objects(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	const struct profile_object *objects;
	size_t count = profile_objects(job->profile, &objects);
	int r = database_insert_create(job->database, "objects", OBJECT_COLUMNS, &insert);

	for (size_t i = 1; i < count && !r; i++)
		r = job->objects[i] ? write_object(insert, i, &objects[i]) : 0;
	return r;
}

/* --- samples --- */

static int write_sample(const struct sqlite_export *job, struct database_query *insert, uint64_t id,
			const struct profile_event *event)
{
	database_number(insert, id);
	database_number(insert, event->recording);
	database_number(insert, event->source);
	database_known(insert, event->probe != PROFILE_NO_PROBE, event->probe);
	database_number(insert, event->task);
	database_number(insert, job->order.number[event->node]);
	database_number(insert, event->time);
	database_known(insert, event->cpu != PROFILE_NO_CPU, event->cpu);
	database_number(insert, event->weight);
	return database_row(insert);
}

static int write_samples(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	struct profile_event event;
	uint64_t id = 0;
	int r = database_insert_create(job->database, "samples", SAMPLE_COLUMNS, &insert);

	event_reader_rewind(&job->reader);
	while (!r && (r = event_reader_next(&job->reader, &event)) > 0)
		r = event.kind == PROFILE_EVENT_SAMPLE ? write_sample(job, insert, ++id, &event) : 0;
	return r;
}

/* --- waits and wakes --- */

int sqlite_write_what_for(const struct sqlite_export *job, struct database_query *insert,
			  const struct profile_wait *wait)
{
	_cleanup_free_ char *text = NULL;
	int r = wait_object_text(&job->reader.waits, wait, &text);

	if (r < 0)
		return r;
	database_word(insert, text); /* stays until the row is written */
	return database_row(insert);
}

static const char *bound_of(const struct profile_wait *wait)
{
	return wait_length_bound(wait) == WAIT_EXACT ? "=" : ">=";
}

struct state_text { /* text of the last state: most waits have the same one */
	uint32_t state;
	char text[PROFILE_STATE_TEXT];
};

static const char *state_of(struct state_text *last, uint32_t state)
{
	if (!last->text[0] || last->state != state) {
		profile_state_text(state, 0, last->text);
		last->state = state;
	}
	return last->text;
}

static int write_wait(const struct sqlite_export *job, struct database_query *insert, uint64_t id,
		      const struct profile_wait *wait, struct state_text *state)
{
	const uint32_t thing = wait->object;

	database_number(insert, id);
	database_number(insert, wait->recording);
	database_number(insert, wait->task);
	database_number(insert, job->order.number[wait->node]);
	database_number(insert, wait->out);
	database_number(insert, wait->in);
	database_number(insert, wait->run_queue);
	database_number(insert, wait->weight);
	database_word(insert, wait_class_name(wait->wait_class));
	database_word(insert, state_of(state, wait->state));
	database_word(insert, bound_of(wait));
	database_number(insert, wait_is_open(wait));
	database_number(insert, !!(wait->flags & PROFILE_WAIT_IOWAIT));
	database_known(insert, wait->out_cpu < PROFILE_NO_CPU, wait->out_cpu);
	database_known(insert, wait->in_cpu < PROFILE_NO_CPU, wait->in_cpu);
	database_text(insert, wait->operation ? job->reader.waits.operations[wait->operation].name : NULL);
	database_known(insert, thing != 0, thing);
	return sqlite_write_what_for(job, insert, wait);
}

/* A wake weighs the time until the waker's call, as in reports of wakers. */
static uint64_t weight_of_wake(const struct profile_wait *wait)
{
	uint64_t blocked = wait_length(wait) - wait->run_queue;

	return wait->weight < blocked ? wait->weight : blocked;
}

static int write_wake(const struct sqlite_export *job, struct database_query *insert, uint64_t id,
		      const struct profile_wait *wait)
{
	static const char *const contexts[] = {WAKER_CONTEXT_LIST(KIND_TEXT)};

	database_number(insert, id);
	database_number(insert, wait->recording);
	database_number(insert, wait->task);
	database_number(insert, wait->waker);
	database_word(insert, contexts[wait->waker_context]);
	database_number(insert, job->order.number[wait->waker_node]);
	database_number(insert, wait->woken);
	database_number(insert, weight_of_wake(wait));
	return database_row(insert);
}

/* A wake has the number of the wait that it ended. */
static int write_waits(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *waits = NULL, *wakes = NULL;
	const struct profile_wait *items = job->reader.waits.items;
	struct state_text state = {0};
	int r = database_insert_create(job->database, "waits", WAIT_COLUMNS, &waits);

	if (!r)
		r = database_insert_create(job->database, "wakes", WAKE_COLUMNS, &wakes);
	for (size_t i = 0; i < job->reader.waits.count && !r; i++) {
		if (!wait_is_shown(&items[i]))
			continue;
		r = write_wait(job, waits, i + 1, &items[i], &state);
		if (!r && has_wake(job, &items[i]))
			r = write_wake(job, wakes, i + 1, &items[i]);
	}
	return r;
}

/* For --source wakers, when there are no waits to refer to. */
static int write_lone_wakes(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	struct profile_event event;
	uint64_t id = 0;
	int r = database_insert_create(job->database, "wakes", WAKE_COLUMNS, &insert);

	event_reader_rewind(&job->reader);
	while (!r && (r = event_reader_next(&job->reader, &event)) > 0)
		r = event.kind == PROFILE_EVENT_WAKEUP ? write_wake(job, insert, ++id, event.wait) : 0;
	return r;
}

int sqlite_events_write(struct sqlite_export *job)
{
	int r = write_samples(job);

	if (!r)
		r = write_objects(job);
	if (r < 0)
		return r;
	return job->reader.waits.count ? write_waits(job) : write_lone_wakes(job);
}

/* --- sqlite walks --- */

enum { WALK_COLUMNS = 7, WALKED_COLUMNS = 13, BRIEF_COLUMNS = 7, RUNNING_COLUMNS = 5 };

static int mark_walked(struct sqlite_export *job)
{
	const struct profile_walk_task *rows;
	size_t count = profile_walk_tasks(job->profile, &rows);
	int r = 0;

	for (size_t i = 0; i < count && !r; i++) {
		if (rows[i].task >= job->reader.task_count)
			return -EBADMSG;
		job->tasks[rows[i].task] = true;
		job->objects[rows[i].object] = true;
		if (rows[i].held & HELD_BY_OWNER)
			job->tasks[rows[i].owner] = true;
		r = stack_order_want(&job->order, job->profile, rows[i].node);
	}
	return r;
}

int sqlite_walks_mark(struct sqlite_export *job)
{
	const struct profile_task_sums *sums;
	size_t count = profile_task_sums(job->profile, &sums);

	for (size_t i = 0; i < count; i++) {
		if (sums[i].task >= job->reader.task_count)
			return -EBADMSG;
		if (!sums[i].unasked)
			job->tasks[sums[i].task] = true;
	}
	return mark_walked(job);
}

static int write_walks(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	const struct profile_walk *walks;
	size_t count = profile_walks(job->profile, &walks);
	int r = database_insert_create(job->database, "walks", WALK_COLUMNS, &insert);

	for (size_t i = 0; i < count && !r; i++) {
		database_number(insert, i);
		database_number(insert, walks[i].host);
		database_number(insert, walks[i].number);
		database_number(insert, walks[i].time);
		database_known(insert, walks[i].realtime != 0, walks[i].realtime);
		database_number(insert, walks[i].seen);
		database_number(insert, walks[i].kept);
		r = database_row(insert);
	}
	return r;
}

static const char *sqlite_walks_bound_of(enum wait_bound bound)
{
	static const char *const texts[] = {[WAIT_EXACT] = "=", [WAIT_AT_LEAST] = ">="};

	return bound < sizeof(texts) / sizeof(texts[0]) ? texts[bound] : NULL;
}

static int write_purpose(const struct sqlite_export *job, struct database_query *insert,
			  const struct profile_walk_task *row)
{
	const struct profile_operation *operations = job->reader.waits.operations;
	const struct profile_wait wait = profile_walk_wait(row);

	database_text(insert, row->operation ? operations[row->operation].name : NULL);
	database_known(insert, row->object != 0, row->object);
	database_known(insert, row->held & HELD_BY_OWNER, row->owner);
	return sqlite_write_what_for(job, insert, &wait);
}

static int write_walked(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *insert = NULL;
	const struct profile_walk_task *rows;
	size_t count = profile_walk_tasks(job->profile, &rows);
	int r = database_insert_create(job->database, "walked", WALKED_COLUMNS, &insert);

	for (size_t i = 0; i < count && !r; i++) {
		const struct profile_walk_task *row = &rows[i];

		database_number(insert, row->walk);
		database_number(insert, row->task);
		database_number(insert, job->order.number[row->node]);
		database_text(insert, row->state);
		database_known(insert, row->bound != WAIT_NONE, row->wait);
		database_word(insert, sqlite_walks_bound_of(row->bound));
		database_known(insert, row->cpu < PROFILE_NO_CPU, row->cpu);
		database_number(insert, row->on_cpu);
		database_number(insert, row->iowait);
		r = write_purpose(job, insert, row);
	}
	return r;
}

static int write_brief(struct database_query *insert, const struct profile_task_sums *sums)
{
	static const char *const kinds[WAIT_SUM_KINDS] = {WAIT_SUM_LIST(KIND_TEXT)};
	int r = 0;

	for (size_t i = 0; i < WAIT_SUM_KINDS && !r; i++) {
		if (!sums->kinds[i].count)
			continue;
		database_number(insert, sums->recording);
		database_number(insert, sums->task);
		database_word(insert, kinds[i]);
		database_number(insert, sums->kinds[i].count);
		database_number(insert, sums->kinds[i].total);
		database_number(insert, sums->kinds[i].run_queue);
		database_number(insert, sums->kinds[i].throttled);
		r = database_row(insert);
	}
	return r;
}

static int write_running(struct database_query *insert, const struct profile_task_sums *sums,
			 const struct wait_index *index)
{
	database_number(insert, sums->recording);
	database_number(insert, sums->task);
	database_number(insert, sums->from);
	database_number(insert, wait_index_known_until(index, sums));
	database_number(insert, wait_index_running(index, sums));
	return database_row(insert);
}

static int sqlite_walks_write_sums(struct sqlite_export *job)
{
	_cleanup_insert_ struct database_query *brief = NULL, *running = NULL;
	_cleanup_(wait_index_deinit) struct wait_index index = {0};
	const struct profile_task_sums *sums;
	size_t count = profile_task_sums(job->profile, &sums);
	int r = database_insert_create(job->database, "brief_waits", BRIEF_COLUMNS, &brief);

	if (!r)
		r = database_insert_create(job->database, "running", RUNNING_COLUMNS, &running);
	if (!r)
		r = wait_index_init(&index, &job->reader.waits);
	for (size_t i = 0; i < count && !r; i++) {
		if (sums[i].unasked)
			continue;
		r = write_brief(brief, &sums[i]);
		if (!r)
			r = write_running(running, &sums[i], &index);
	}
	return r;
}

int sqlite_walks_write(struct sqlite_export *job)
{
	int r = write_walks(job);

	if (!r)
		r = write_walked(job);
	return r < 0 ? r : sqlite_walks_write_sums(job);
}
