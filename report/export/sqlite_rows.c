/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The tables of --export sqlite with stacks, events and walks. */
#include "report/export/sqlite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "report/profile/profile_waits.h"
#include "report/view/event_reader.h"
#include "report/view/groups.h"
#include "report/view/object_text.h"
#include "report/view/page.h"
#include "report/view/wait_text.h"
#include "report/view/waits.h"

static bool next_event(struct sqlite_export *job, struct profile_event *event)
{
	int r = job->error < 0 ? job->error : event_reader_next(&job->reader, event);

	job->error = r < 0 ? r : 0;
	return r > 0;
}

/* --- what is referred to --- */

static void mark(struct sqlite_export *job, uint32_t task, uint32_t node)
{
	job->tasks[task] = true;
	job->error = event_reader_mark(job->profile, node, job->order.wanted);
}

void sqlite_events_mark(struct sqlite_export *job)
{
	struct profile_event event;

	event_reader_rewind(&job->reader);
	while (next_event(job, &event)) {
		mark(job, event.task, event.node);
		if (event.kind == PROFILE_EVENT_WAIT)
			job->objects[event.wait->object] = true;
		else if (event.kind == PROFILE_EVENT_WAKEUP)
			job->tasks[event.wait->task] = true;
	}
}

void sqlite_walks_mark(struct sqlite_export *job)
{
	const struct profile_walk_task *rows;
	const struct profile_task_sums *sums;
	size_t count = profile_task_sums(job->profile, &sums);

	for (size_t i = 0; i < count; i++) {
		if (sums[i].task >= job->reader.task_count)
			job->error = -EBADMSG;
		else if (!sums[i].unasked)
			job->tasks[sums[i].task] = true;
	}
	count = profile_walk_tasks(job->profile, &rows);
	for (size_t i = 0; i < count && !job->error; i++) {
		if (rows[i].task >= job->reader.task_count) {
			job->error = -EBADMSG;
			return;
		}
		mark(job, rows[i].task, rows[i].node);
		job->objects[rows[i].object] = true;
		if (rows[i].held & HELD_BY_OWNER)
			job->tasks[rows[i].owner] = true;
	}
}

/*
 * The number of a node is that of its caller, plus 1, plus the number of chains of its earlier siblings, which are
 * lower nodes; callers have lower numbers. `sizes`: by node, the number of chains that begin with its own, including
 * that; `next`: the number for its next callee.
 */
static int number_stacks(struct stack_order *order)
{
	_cleanup_free_ uint32_t *sizes = calloc(order->node_count + 1, sizeof(*sizes));
	_cleanup_free_ uint32_t *next = calloc(order->node_count + 1, sizeof(*next));

	if (!sizes || !next)
		return -ENOMEM;
	for (size_t node = order->node_count; node-- > 1;)
		if (order->wanted[node])
			sizes[order->nodes[node].parent] += ++sizes[node];
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

void sqlite_stacks_number(struct sqlite_export *job)
{
	job->error = number_stacks(&job->order);
}

/* --- what stacks consist of --- */

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

	for (uint32_t i = 1; i < order->count; i++) {
		uint32_t frame = order->nodes[order->node[i]].frame;
		int r = functions_find(stacks->functions, frame, &stacks->function[frame]);

		if (r < 0)
			return r;
		if (stacks->function[frame] >= stacks->function_count)
			stacks->function_count = stacks->function[frame] + 1;
		if (stacks->frames[frame].module < stacks->module_count)
			stacks->used[stacks->frames[frame].module] = true;
	}
	stacks->active = calloc((size_t)stacks->function_count + 1, sizeof(*stacks->active));
	return stacks->active ? 0 : -ENOMEM;
}

static int stacks_init(struct stacks *stacks, struct sqlite_export *job)
{
	*stacks = (struct stacks){.job = job};
	stacks->frames = profile_frames(job->profile, &stacks->frame_count);
	stacks->modules = profile_modules(job->profile, &stacks->module_count);
	stacks->function = calloc(stacks->frame_count + 1, sizeof(*stacks->function));
	stacks->used = calloc(stacks->module_count + 1, sizeof(*stacks->used));
	if (!stacks->function || !stacks->used)
		return -ENOMEM;
	return functions_create(job->profile, FUNCTIONS_BY_MODULE, page_no_frames(job->context->settings),
				&stacks->functions) ?:
	       find_functions(stacks);
}

static void write_modules(const struct stacks *stacks)
{
	for (uint32_t i = 1; i < stacks->module_count; i++) {
		const struct profile_module *module = &stacks->modules[i];

		if (stacks->used[i])
			SQLITE_ROW(stacks->job, modules, NUMBER(i), TEXT(module->name), TEXT(module->path),
				   TEXT(module->build_id), NUMBER(module->kernel));
	}
}

/* Number 0 is the name of an empty stack. */
static void write_functions(const struct stacks *stacks)
{
	const struct functions *functions = stacks->functions;

	for (uint32_t i = 0; i < stacks->function_count && !stacks->job->error; i++)
		SQLITE_ROW(stacks->job, functions, NUMBER(i), WORD(functions_name(functions, i)),
			   WORD(functions_module(functions, i)), NUMBER(functions_inlined(functions, i)[0] != '\0'));
}

static void write_frames(const struct stacks *stacks)
{
	for (uint32_t i = 0; i < stacks->frame_count && !stacks->job->error; i++) {
		const struct profile_frame *frame = &stacks->frames[i];
		const struct profile_symbol *symbol = stacks->function[i] ? profile_symbol(stacks->job->profile, i) : NULL;

		if (stacks->function[i])
			SQLITE_ROW(stacks->job, frames, NUMBER(i), NUMBER(stacks->function[i]),
				   KNOWN(frame->module && frame->module < stacks->module_count, frame->module),
				   NUMBER(frame->address), TEXT(symbol ? symbol->file : NULL),
				   KNOWN(symbol && symbol->line, symbol ? symbol->line : 0), NUMBER(frame->kernel),
				   NUMBER(frame->caller), NUMBER(frame->inline_depth));
	}
}

/* --- stacks --- */

struct step { /* on the path from the root to the stack being written */
	uint32_t last, function;
};

static void write_stacks(const struct stacks *stacks)
{
	const struct stack_order *order = &stacks->job->order;
	_cleanup_free_ struct step *steps = calloc(order->count, sizeof(*steps));
	size_t depth = 0;

	if (!steps) {
		stacks->job->error = -ENOMEM;
		return;
	}
	SQLITE_ROW(stacks->job, stacks, NUMBER(0), NOTHING, NUMBER(order->last[0]), NUMBER(0), NOTHING,
		   NUMBER(FUNCTION_NONE), NUMBER(0));
	for (uint32_t i = 1; i < order->count && !stacks->job->error; i++) {
		const struct profile_node *node = &order->nodes[order->node[i]];
		uint32_t function = stacks->function[node->frame];

		while (depth && steps[depth - 1].last < i) /* those that are not on its path */
			stacks->active[steps[--depth].function]--;
		steps[depth++] = (struct step){order->last[i], function};
		SQLITE_ROW(stacks->job, stacks, NUMBER(i), NUMBER(order->number[node->parent]), NUMBER(order->last[i]),
			   NUMBER(depth), NUMBER(node->frame), NUMBER(function), NUMBER(!stacks->active[function]));
		stacks->active[function]++;
	}
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

	return COMPARE(l->stack, r->stack) ?: COMPARE(l->source, r->source);
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

static void write_sums(const struct stacks *stacks)
{
	_cleanup_(sums_deinit) struct sums sums = {0};
	struct sqlite_export *job = stacks->job;
	size_t next;

	for (uint32_t i = 0; i < job->reader.source_count && !job->error; i++)
		job->error = job->reader.sources[i].left_out ? 0 : add_sums(&sums, job, i);
	if (sums.items.count)
		qsort(sums.items.items, sums.items.count, sizeof(*sums.items.items), compare_sums);
	for (size_t i = 0; i < sums.items.count && !job->error; i = next) {
		struct sum sum = sums.items.items[i];

		for (next = i + 1; next < sums.items.count && !compare_sums(&sum, &sums.items.items[next]); next++) {
			sum.samples += sums.items.items[next].samples;
			sum.weight += sums.items.items[next].weight;
		}
		SQLITE_ROW(job, sums, NUMBER(sum.stack), NUMBER(sum.source), NUMBER(sum.samples), NUMBER(sum.weight));
	}
}

void sqlite_stacks_write(struct sqlite_export *job)
{
	static void (*const writers[])(const struct stacks *stacks) = {write_modules, write_functions, write_frames,
								       write_stacks, write_sums};
	_cleanup_(stacks_deinit) struct stacks stacks;

	job->error = stacks_init(&stacks, job);
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]) && !job->error; i++)
		writers[i](&stacks);
}

/* --- events --- */

static void write_objects(struct sqlite_export *job)
{
	const struct profile_object *objects;
	size_t count = profile_objects(job->profile, &objects);

	for (size_t i = 1; i < count && !job->error; i++) {
		_cleanup_free_ char *text = NULL;

		if (!job->objects[i])
			continue;
		job->error = object_to_text(&objects[i], &text);
		SQLITE_ROW(job, objects, NUMBER(i), WORD(object_kind_name(objects[i].kind)), WORD(text),
			   TEXT(*objects[i].name ? objects[i].name : NULL));
	}
}

static void write_samples(struct sqlite_export *job)
{
	struct profile_event event;
	uint64_t id = 0;

	event_reader_rewind(&job->reader);
	while (next_event(job, &event))
		if (event.kind == PROFILE_EVENT_SAMPLE)
			SQLITE_ROW(job, samples, NUMBER(++id), NUMBER(event.recording), NUMBER(event.source),
				   KNOWN(event.probe != PROFILE_NO_PROBE, event.probe), NUMBER(event.task),
				   NUMBER(job->order.number[event.node]), NUMBER(event.time),
				   KNOWN(event.cpu != PROFILE_NO_CPU, event.cpu), NUMBER(event.weight));
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

static const char *bound_of(enum wait_bound bound)
{
	static const char *const texts[] = {[WAIT_EXACT] = "=", [WAIT_AT_LEAST] = ">="};

	return bound < sizeof(texts) / sizeof(texts[0]) ? texts[bound] : NULL;
}

static void write_wait(struct sqlite_export *job, uint64_t id, const struct profile_wait *wait, struct state_text *state)
{
	_cleanup_free_ char *what_for = NULL;

	job->error = wait_object_text(&job->reader.waits, wait, &what_for);
	SQLITE_ROW(job, waits, NUMBER(id), NUMBER(wait->recording), NUMBER(wait->task),
		   NUMBER(job->order.number[wait->node]), NUMBER(wait->out), NUMBER(wait->in), NUMBER(wait->run_queue),
		   NUMBER(wait->weight), WORD(wait_class_name(wait->wait_class)), WORD(state_of(state, wait->state)),
		   WORD(wait_length_bound(wait) == WAIT_EXACT ? "=" : ">="), NUMBER(wait_is_open(wait)),
		   NUMBER(!!(wait->flags & PROFILE_WAIT_IOWAIT)), KNOWN(wait->out_cpu < PROFILE_NO_CPU, wait->out_cpu),
		   KNOWN(wait->in_cpu < PROFILE_NO_CPU, wait->in_cpu),
		   TEXT(wait->operation ? job->reader.waits.operations[wait->operation].name : NULL),
		   KNOWN(wait->object != 0, wait->object), WORD(what_for));
}

/* A wake weighs the time until the waker's call, as in reports of wakers. */
static uint64_t weight_of_wake(const struct profile_wait *wait)
{
	uint64_t blocked = wait_length(wait) - wait->run_queue;

	return wait->weight < blocked ? wait->weight : blocked;
}

static void write_wake(struct sqlite_export *job, uint64_t id, const struct profile_wait *wait)
{
	static const char *const contexts[] = {WAKER_CONTEXT_LIST(KIND_TEXT)};

	SQLITE_ROW(job, wakes, NUMBER(id), NUMBER(wait->recording), NUMBER(wait->task), NUMBER(wait->waker),
		   WORD(contexts[wait->waker_context]), NUMBER(job->order.number[wait->waker_node]),
		   NUMBER(wait->woken), NUMBER(weight_of_wake(wait)));
}

/* A wake has the number of the wait that it ended. */
static void write_waits(struct sqlite_export *job)
{
	const struct profile_wait *items = job->reader.waits.items;
	struct state_text state = {0};

	for (size_t i = 0; i < job->reader.waits.count && !job->error; i++) {
		if (!wait_is_shown(&items[i]))
			continue;
		write_wait(job, i + 1, &items[i], &state);
		if (job->wakes && items[i].waker != PROFILE_NO_TASK)
			write_wake(job, i + 1, &items[i]);
	}
}

/* For --source wakers, when there are no waits to refer to. */
static void write_lone_wakes(struct sqlite_export *job)
{
	struct profile_event event;
	uint64_t id = 0;

	event_reader_rewind(&job->reader);
	while (next_event(job, &event))
		if (event.kind == PROFILE_EVENT_WAKEUP)
			write_wake(job, ++id, event.wait);
}

void sqlite_events_write(struct sqlite_export *job)
{
	write_samples(job);
	write_objects(job);
	if (job->reader.waits.count)
		write_waits(job);
	else if (!job->error)
		write_lone_wakes(job);
}

/* --- walks --- */

static void write_walked(struct sqlite_export *job, const struct profile_walk_task *row)
{
	const struct profile_wait wait = profile_walk_wait(row);
	_cleanup_free_ char *what_for = NULL;

	job->error = wait_object_text(&job->reader.waits, &wait, &what_for);
	SQLITE_ROW(job, walked, NUMBER(row->walk), NUMBER(row->task), NUMBER(job->order.number[row->node]),
		   TEXT(row->state), KNOWN(row->bound != WAIT_NONE, row->wait), WORD(bound_of(row->bound)),
		   KNOWN(row->cpu < PROFILE_NO_CPU, row->cpu), NUMBER(row->on_cpu), NUMBER(row->iowait),
		   TEXT(row->operation ? job->reader.waits.operations[row->operation].name : NULL),
		   KNOWN(row->object != 0, row->object), KNOWN(row->held & HELD_BY_OWNER, row->owner), WORD(what_for));
}

static void write_brief(struct sqlite_export *job, const struct profile_task_sums *sums)
{
	static const char *const kinds[WAIT_SUM_KINDS] = {WAIT_SUM_LIST(KIND_TEXT)};

	for (size_t i = 0; i < WAIT_SUM_KINDS; i++)
		if (sums->kinds[i].count)
			SQLITE_ROW(job, brief_waits, NUMBER(sums->recording), NUMBER(sums->task), WORD(kinds[i]),
				   NUMBER(sums->kinds[i].count), NUMBER(sums->kinds[i].total),
				   NUMBER(sums->kinds[i].run_queue), NUMBER(sums->kinds[i].throttled));
}

static void write_task_sums(struct sqlite_export *job)
{
	_cleanup_(wait_index_deinit) struct wait_index index = {0};
	const struct profile_task_sums *sums;
	size_t count = profile_task_sums(job->profile, &sums);

	job->error = wait_index_init(&index, &job->reader.waits);
	for (size_t i = 0; i < count && !job->error; i++) {
		if (sums[i].unasked)
			continue;
		write_brief(job, &sums[i]);
		SQLITE_ROW(job, running, NUMBER(sums[i].recording), NUMBER(sums[i].task), NUMBER(sums[i].from),
			   NUMBER(wait_index_known_until(&index, &sums[i])), NUMBER(wait_index_running(&index, &sums[i])));
	}
}

void sqlite_walks_write(struct sqlite_export *job)
{
	const struct profile_walk_task *rows;
	const struct profile_walk *walks;
	size_t count = profile_walks(job->profile, &walks);

	for (size_t i = 0; i < count; i++)
		SQLITE_ROW(job, walks, NUMBER(i), NUMBER(walks[i].host), NUMBER(walks[i].number), NUMBER(walks[i].time),
			   KNOWN(walks[i].realtime != 0, walks[i].realtime), NUMBER(walks[i].seen), NUMBER(walks[i].kept));
	count = profile_walk_tasks(job->profile, &rows);
	for (size_t i = 0; i < count && !job->error; i++)
		write_walked(job, &rows[i]);
	if (!job->error)
		write_task_sums(job);
}
