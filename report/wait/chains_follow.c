/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/wait/chains.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/printable.h"
#include "report/profile/profile_waits.h"

int chains_tree_init(struct chains_tree *tree)
{
	int r = 0;

	*tree = (struct chains_tree){0};
	if (hash_map_init(&tree->known) < 0 || array_push(&tree->steps, (struct step){0}) ||
	    array_push(&tree->counts, 0) || array_push(&tree->nodes, (struct call_tree_node){0}))
		r = -ENOMEM;
	return r;
}

void chains_tree_deinit(struct chains_tree *tree)
{
	array_free(&tree->steps);
	array_free(&tree->counts);
	array_free(&tree->nodes);
	free(tree->children);
	hash_map_deinit(&tree->known);
	*tree = (struct chains_tree){0};
}

static int add_node(struct chains_tree *tree, uint32_t parent, const struct step *step)
{
	if (array_push(&tree->steps, *step) || array_push(&tree->counts, 0) ||
	    array_push(&tree->nodes, (struct call_tree_node){.parent = parent}))
		return -ENOMEM;
	return 0;
}

/* Enters the step below a parent. 0; -ENOSPC: no room, unless it is STEP_TOO_MUCH; -ENOMEM. */
static int chains_tree_enter(struct chains_tree *tree, uint32_t parent, const struct step *step, uint32_t *ret_node)
{
	const struct {
		uint32_t parent;
		struct step step;
	} key = {parent, *step};
	uint64_t *node;

	_Static_assert(sizeof(key) == 11 * sizeof(uint32_t), "the key has no padding");
	if (!tree->room && step->kind != STEP_TOO_MUCH) {
		node = hash_map_find(&tree->known, &key, sizeof(key));
		if (!node)
			return -ENOSPC;
	} else {
		int r = hash_map_add(&tree->known, &key, sizeof(key), tree->nodes.count, &node);

		if (r > 0) {
			tree->room -= tree->room > 0;
			r = add_node(tree, parent, step);
		}
		if (r < 0)
			return r;
	}
	tree->counts.items[*node]++;
	*ret_node = (uint32_t)*node;
	return 0;
}

/* Adds weight that ends in a node. */
static void chains_tree_add(struct chains_tree *tree, uint32_t node, uint64_t weight)
{
	tree->nodes.items[node].self += weight;
	if (tree->steps.items[node].kind == STEP_TOO_MUCH)
		tree->too_much += weight;
}

struct sorting {
	const struct chains_tree *tree;
	const struct places *places;
};

static int compare_steps(const struct places *places, const struct step *left, const struct step *right)
{
	return COMPARE(left->kind, right->kind) ?: COMPARE(left->by, right->by) ?:
	       COMPARE(left->comm, right->comm) ?: COMPARE(left->process, right->process) ?:
	       COMPARE(left->name, right->name) ?: places_compare(places, left->wake, right->wake) ?:
	       places_compare(places, left->at, right->at) ?: COMPARE(left->wait_class, right->wait_class);
}

static int compare_siblings(const void *left, const void *right, void *context)
{
	const struct sorting *sorting = context;
	const struct chains_tree *tree = sorting->tree;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const struct call_tree_node *left_node = &tree->nodes.items[l], *right_node = &tree->nodes.items[r];

	return COMPARE(left_node->parent, right_node->parent) ?: COMPARE(right_node->weight, left_node->weight) ?:
	       compare_steps(sorting->places, &tree->steps.items[l], &tree->steps.items[r]);
}

/* Children have higher numbers than their parents. */
static void sum_up(struct chains_tree *tree)
{
	for (size_t i = tree->nodes.count; i-- > 0;) {
		struct call_tree_node *node = &tree->nodes.items[i];

		node->weight += node->self;
		if (i)
			tree->nodes.items[node->parent].weight += node->weight;
	}
}

int chains_tree_finish(struct chains_tree *tree, const struct places *places, struct call_tree *ret_tree)
{
	struct sorting sorting = {.tree = tree, .places = places};
	size_t count = tree->nodes.count;

	tree->children = calloc(count, sizeof(*tree->children));
	if (!tree->children)
		return -ENOMEM;
	sum_up(tree);
	for (size_t i = 1; i < count; i++)
		tree->children[i - 1] = (uint32_t)i;
	qsort_r(tree->children, count - 1, sizeof(*tree->children), compare_siblings, &sorting);
	for (size_t i = 0; i + 1 < count; i++) {
		struct call_tree_node *parent = &tree->nodes.items[tree->nodes.items[tree->children[i]].parent];

		if (!parent->child_count++)
			parent->first_child = (uint32_t)i;
	}
	*ret_tree = (struct call_tree){.nodes = tree->nodes.items, .count = count,
				       .children = tree->children};
	return 0;
}

/* --- text --- */

/* The text of each kind of step; the task, if any, and the place where it woke the sleeper come in between. */
static const struct step_words {
	const char *begin, *end;
	bool comm;
} words[STEP_KINDS] = {
	[STEP_BLOCKED] = {"woken by ", ", which was blocked", true},
	[STEP_RAN] = {"woken by ", ", which was running", true},
	[STEP_RAN_OR_BRIEF] = {"woken by ", ", unknown: it ran, or its waits were shorter than -m", true},
	[STEP_WAITED_FOR_CPU] = {"woken by ", ", which was waiting for a CPU", true},
	[STEP_WAS_THROTTLED] = {"woken by ", ", which was throttled by the quota of its cgroup", true},
	[STEP_NOT_BORN] = {"woken by ", ", which did not exist yet", true},
	[STEP_UNSEEN] = {"woken by ", ", unknown: nothing is recorded of that time", true},
	[STEP_IDLE] = {"woken by ", ", on an idle CPU", true},
	[STEP_ODD_CONTEXT] = {"woken by ", ", unknown: it, or an interrupt that came upon it", true},
	[STEP_TIMER] = {"woken by a timer", "", false},
	[STEP_SOFTIRQ] = {"woken by softirq", "", false},
	[STEP_IRQ] = {"woken by irq", "", false},
	[STEP_RUN_QUEUE] = {"runnable, waiting for a CPU", "", false},
	[STEP_THROTTLED] = {"runnable, throttled by the quota of its cgroup", "", false},
	[STEP_NO_WAKER] = {"unknown: waker not recorded", "", false},
	[STEP_NOT_ENDED] = {"not ended", "", false},
	[STEP_CYCLE] = {"cycle: this wait is on the way here already", "", false},
	[STEP_TOO_DEEP] = {"not followed: too many hops", "", false},
	[STEP_TOO_MUCH] = {"not followed: too much work", "", false},
};

static void write_owner(const struct step *step, const struct task_names *names, bool per_process, FILE *out)
{
	const char *comm = names->comms[step->comm];

	printable_write(out, comm, strlen(comm));
	if (per_process) {
		(void)fputs(" (", out);
		task_names_write_process(names, step->process, out);
		(void)fputc(')', out);
	}
}

void chains_step_write(const struct step *step, const struct task_names *names, const struct places *places,
		       bool per_process, FILE *out)
{
	static const char *const verbs[WAIT_CLASSES] = {
		[WAIT_BLOCKED] = " blocked", [WAIT_PREEMPTED] = " preempted",
		[WAIT_YIELDED] = " yielded", [WAIT_CANCELLED] = " kept awake by a signal",
		[WAIT_STARTED] = " started", [WAIT_THROTTLED] = " throttled"};
	static const char *const begins[] = {[WAIT_NEXT_OWNER] = "held by ",
					     [WAIT_NEXT_OTHER_END] = "its other end was used by ",
					     [WAIT_NEXT_CHILD] = "waits for "};
	const struct step_words *row = &words[step->kind];
	bool target = step->kind == STEP_TARGET;

	(void)fputs(target ? "" : step->by ? begins[step->by] : row->begin, out);
	if (target || row->comm)
		write_owner(step, names, per_process, out);
	place_write(places, " in ", step->wake, out);
	(void)fputs(target ? verbs[step->wait_class] : row->end, out);
	place_write(places, " in ", step->at, out);
}

/* --- chains follow --- */

struct span { /* [from, to], empty where from >= to */
	uint64_t from, to;
};

static uint64_t span_length(struct span span)
{
	return span.to > span.from ? span.to - span.from : 0;
}

static struct span span_cut(struct span span, uint64_t from, uint64_t to)
{
	return (struct span){.from = span.from > from ? span.from : from, .to = span.to < to ? span.to : to};
}

/* The time when its run queue part began. */
static uint64_t runnable_since(const struct profile_wait *wait)
{
	bool queued_last = wait->wait_class == WAIT_BLOCKED || wait->wait_class == WAIT_THROTTLED;

	return queued_last ? wait->in - wait->run_queue : wait->out;
}

/* The part of the weight for the first `length` ns of the target. */
static uint64_t weight_of(const struct follower *follower, uint64_t length)
{
	return (uint64_t)((unsigned __int128)follower->weight * length / follower->length);
}

/* Ends the path in a step below `parent`; `length` is that of the target. */
static int end_whole(struct follower *follower, uint32_t parent, const struct step *step, uint64_t length)
{
	uint64_t before = weight_of(follower, follower->divided);
	uint32_t node;
	int r;

	if (!length)
		return 0;
	r = chains_tree_enter(follower->tree, parent, step, &node);
	if (r == -ENOSPC)
		r = chains_tree_enter(follower->tree, parent, &(struct step){.kind = STEP_TOO_MUCH}, &node);
	if (r < 0)
		return r;
	follower->divided += length;
	chains_tree_add(follower->tree, node, weight_of(follower, follower->divided) - before);
	return 0;
}

/* The same, but scaled: each ns of `length` stands for `scale` ns of the target. */
static int end(struct follower *follower, uint32_t parent, const struct step *step, uint64_t length)
{
	return end_whole(follower, parent, step, length * follower->scale);
}

static int end_as(struct follower *follower, uint32_t parent, enum step_kind kind, uint64_t length)
{
	return end(follower, parent, &(struct step){.kind = kind}, length);
}

static bool is_on_the_way(const struct follower *follower, uint32_t wait)
{
	for (size_t i = 0; i < follower->hops; i++)
		if (follower->way[i] == wait)
			return true;
	return false;
}

static int follow(struct follower *follower, uint32_t wait, struct span span, uint32_t node);

/* Follows the next hop, from a step that was just entered. */
static int hop(struct follower *follower, uint32_t wait, struct span span, uint32_t node)
{
	int r;

	if (is_on_the_way(follower, wait))
		return end_as(follower, node, STEP_CYCLE, span_length(span));
	if (follower->hops == CHAINS_MAX_HOPS)
		return end_as(follower, node, STEP_TOO_DEEP, span_length(span));
	follower->way[follower->hops++] = wait;
	r = follow(follower, wait, span, node);
	follower->hops--;
	return r;
}

/* Tallies what the wait of a step was for. */
static int add_object(struct follower *follower, uint32_t node, const struct profile_wait *wait, uint64_t length)
{
	if (!follower->objects)
		return 0;
	return object_tally_add(follower->objects, node, wait, weight_of(follower, length * follower->scale));
}

/* Divides a part of a waker's own wait. `woke` has the waker, the sleeper and the place. */
static int divide_own(struct follower *follower, uint32_t number, struct span span, uint32_t node,
		      const struct step *woke)
{
	const struct profile_wait *wait = &follower->waits->items[number];
	uint64_t since = runnable_since(wait);
	struct span blocked = span_cut(span, 0, since), queued = span_cut(span, since, UINT64_MAX);
	struct step step = *woke;
	uint32_t child;
	int r;

	step.kind = STEP_WAITED_FOR_CPU;
	r = end(follower, node, &step, span_length(queued));
	if (r < 0 || !span_length(blocked))
		return r;
	step.kind = STEP_WAS_THROTTLED;
	if (wait->wait_class == WAIT_THROTTLED)
		return end(follower, node, &step, span_length(blocked));
	step.kind = STEP_BLOCKED;
	r = places_find(follower->places, wait->node, &step.at, NULL);
	if (r < 0)
		return r;
	r = chains_tree_enter(follower->tree, node, &step, &child);
	if (r == -ENOSPC)
		return end_as(follower, node, STEP_TOO_MUCH, span_length(blocked));
	if (!r)
		r = add_object(follower, child, wait, span_length(blocked));
	return r < 0 ? r : hop(follower, number, blocked, child);
}

/*
 * The part of `length` that a thread may have spent in waits that were too short; a moment gets its
 * share of the total.
 */
static uint64_t brief_part(const struct follower *follower, const struct wait_thread *thread,
			   uint32_t recording, uint64_t length)
{
	unsigned __int128 brief = thread->brief;

	if (!follower->waits->recordings[recording].least_wait)
		return 0;
	if (!thread->summed)
		return length;
	if (follower->moment_span)
		brief = brief * length / follower->moment_span;
	return brief < length ? (uint64_t)brief : length;
}

/* The part of `length` that nothing explains: all of it that fits, or in proportion to the thread's other such time. */
static uint64_t unknown_part(const struct wait_thread *thread, uint64_t length)
{
	unsigned __int128 unknown = thread->unknown;

	if (!unknown || length >= thread->unknown)
		return thread->unknown;
	return (uint64_t)(unknown * length / (unknown + thread->running));
}

/* The task that is examined for a part of a wait. */
struct subject {
	uint32_t recording, task;
};

/* The time of a waker without a known wait. */
static int divide_running(struct follower *follower, const struct wait_thread *thread,
			  uint32_t recording, uint64_t length, uint32_t node,
			  const struct step *woke)
{
	struct step step = *woke;
	uint64_t brief, unknown;
	int r;

	length *= follower->scale;
	brief = thread ? brief_part(follower, thread, recording, length) : 0;
	unknown = thread ? unknown_part(thread, length - brief) : length;
	step.kind = STEP_RAN;
	r = end_whole(follower, node, &step, length - brief - unknown);
	step.kind = STEP_RAN_OR_BRIEF;
	if (r >= 0)
		r = end_whole(follower, node, &step, brief);
	step.kind = STEP_UNSEEN;
	return r < 0 ? r : end_whole(follower, node, &step, unknown);
}

/* The part of what follows a thread's waits in which it may have ended. A waker was there until it woke somebody. */
static uint64_t part_unseen(const struct wait_thread *thread, struct span gap, const struct step *woke)
{
	if (!thread || !thread->summed || woke->by == WAIT_NEXT_WAKER)
		return 0;
	return span_length(span_cut(gap, thread->to > thread->from ? thread->to : thread->from, UINT64_MAX));
}

/* Between two waits a waker ran, but not before it was created, or was first seen; `own` is the later wait, or NULL. */
static int divide_gap(struct follower *follower, const struct wait_thread *thread, const struct profile_wait *own,
		      struct span gap, uint32_t node, const struct step *woke, uint64_t *running)
{
	const bool starts = own && own->wait_class == WAIT_STARTED;
	const uint64_t before = span_length(starts ? gap : span_cut(gap, 0, thread ? thread->from : 0));
	const uint64_t after = own ? 0 : part_unseen(thread, gap, woke);
	struct step step = *woke;
	int r;

	*running += span_length(gap) - before - after;
	step.kind = starts || (thread && thread->started) ? STEP_NOT_BORN : STEP_UNSEEN;
	r = end(follower, node, &step, before);
	step.kind = STEP_UNSEEN;
	return r < 0 ? r : end(follower, node, &step, after);
}

static int divide_waker(struct follower *follower, const struct subject *subject,
			struct span span, uint32_t node, const struct step *woke);

/* There is not enough work left for all of a span: samples some moments of it. */
static int divide_moments(struct follower *follower, const struct subject *subject,
			  struct span span, uint32_t node, const struct step *woke)
{
	uint64_t length = span_length(span), before = weight_of(follower, follower->divided),
		 from = span.from;
	uint64_t count = (uint64_t)((unsigned __int128)length * follower->moments / follower->length) + 1;
	int r = 0;

	follower->moment_span = length;
	follower->work = follower->moment_work;
	for (uint64_t i = 0; !r && i < count; i++) {
		uint64_t to = span.from + (uint64_t)((unsigned __int128)length * (i + 1) / count),
			 moment = from + (to - from) / 2;

		follower->scale = to - from;
		if (follower->scale)
			r = divide_waker(follower, subject, (struct span){moment, moment + 1}, node, woke);
		from = to;
	}
	follower->moment_work = follower->work;
	follower->work = follower->moment_span = 0;
	follower->scale = 1;
	follower->sampled += weight_of(follower, follower->divided) - before;
	return r;
}

/* The part for which no work is left. */
static int divide_rest(struct follower *follower, const struct subject *subject, struct span span,
		       uint32_t node, const struct step *woke)
{
	if (!span_length(span))
		return 0;
	if (follower->moment_span || !follower->moment_work)
		return end_as(follower, node, STEP_TOO_MUCH, span_length(span));
	return divide_moments(follower, subject, span, node, woke);
}

/* A task ended the wait: what did it do during `span`? */
static int divide_waker(struct follower *follower, const struct subject *subject,
			struct span span, uint32_t node, const struct step *woke)
{
	const struct wait_thread *thread = wait_index_find(follower->index, subject->recording, subject->task);
	uint32_t next = thread ? wait_index_after(follower->index, thread, span.from) : 0;
	uint64_t running = 0, at = span.from;
	bool cut = false;
	int r = 0;

	for (; thread && next < thread->count && !r; next++) {
		const struct profile_wait *own = wait_index_wait(follower->index, thread, next);
		struct span part = span_cut((struct span){at, span.to}, own->out, own->in);

		if (own->out >= span.to)
			break;
		if (!span_length(part))
			continue;
		cut = !follower->work;
		if (cut)
			break;
		follower->work--;
		r = divide_gap(follower, thread, own, (struct span){at, part.from}, node, woke, &running) ?:
		    divide_own(follower, wait_index_number(follower->index, thread, next), part, node, woke);
		at = part.to;
	}
	if (cut) {
		r = divide_rest(follower, subject, (struct span){at, span.to}, node, woke);
		at = span.to;
	}
	if (r >= 0)
		r = divide_gap(follower, thread, NULL, (struct span){at, span.to}, node, woke, &running);
	return r < 0 ? r : divide_running(follower, thread, subject->recording, running, node, woke);
}

static int follow_task(struct follower *follower, const struct profile_wait *wait, struct span span,
		       uint32_t node)
{
	struct step step = {.comm = follower->names->comm_of[wait->waker],
			    .name = follower->names->name_of[wait->waker],
			    .process = follower->per_process ? follower->names->process_of[wait->waker] : 0};
	int r = places_find(follower->places, wait->waker_node, &step.wake, NULL);

	if (r < 0)
		return r;
	if (wait->waker_context == WAKER_UNKNOWN)
		step.kind = STEP_ODD_CONTEXT;
	else if (!follower->waits->tasks[wait->waker].tid)
		step.kind = STEP_IDLE;
	else
		return divide_waker(follower, &(struct subject){wait->recording, wait->waker}, span, node, &step);
	return end(follower, node, &step, span_length(span));
}

static int follow_interrupt(struct follower *follower, const struct profile_wait *wait,
			    struct span span, uint32_t node)
{
	struct step step = {.kind = wait->waker_context == WAKER_IRQ ? STEP_IRQ : STEP_SOFTIRQ};
	bool timer;
	int r = places_find(follower->places, wait->waker_node, &step.wake, &timer);

	if (r < 0)
		return r;
	if (timer)
		step.kind = STEP_TIMER;
	step.wake.user = 0; /* of the interrupted task */
	return end(follower, node, &step, span_length(span));
}

static int follow_next(struct follower *follower, const struct profile_wait *wait, const struct wait_next *next,
		       struct span span, uint32_t node)
{
	const struct step step = {.by = next->by, .comm = follower->names->comm_of[next->task],
				  .name = follower->names->name_of[next->task],
				  .process = follower->per_process ? follower->names->process_of[next->task] : 0};

	return divide_waker(follower, &(struct subject){wait->recording, next->task}, span, node, &step);
}

/* Attributes the blocked part `span` of a wait to its waker. `node` is the step of the wait. */
static int follow(struct follower *follower, uint32_t number, struct span span, uint32_t node)
{
	const struct profile_wait *wait = &follower->waits->items[number];
	struct wait_next next;
	int r = wait_next_find(follower->waits, follower->places, wait, &next);

	if (r < 0)
		return r;
	if (wait->wait_class == WAIT_THROTTLED)
		return end_as(follower, node, STEP_THROTTLED, span_length(span));
	if (next.by != WAIT_NEXT_WAKER)
		return follow_next(follower, wait, &next, span, node);
	if (wait->flags & PROFILE_WAIT_NOT_ENDED)
		return end_as(follower, node, STEP_NOT_ENDED, span_length(span));
	switch (wake_context(wait)) {
	case WAKER_SOFTIRQ:
	case WAKER_IRQ:
		return follow_interrupt(follower, wait, span, node);
	case WAKER_TASK:
	case WAKER_UNKNOWN:
		return follow_task(follower, wait, span, node);
	default:
		return end_as(follower, node, STEP_NO_WAKER, span_length(span));
	}
}

/* The part of a wait within its recording and the requested times; all of it if that would be empty. */
static struct span requested_part(const struct waits *waits, const struct profile_wait *wait)
{
	struct span all = {wait->out, wait->in}, part;
	uint64_t from, to;

	profile_recording_part(waits->profile, wait->recording, &from, &to);
	part = span_cut(all, from, to);
	return span_length(part) ? part : all;
}

int follower_divide(struct follower *follower, uint32_t number, uint64_t weight)
{
	const struct profile_wait *wait = &follower->waits->items[number];
	struct span span = requested_part(follower->waits, wait), blocked, queued;
	struct step step = {.kind = STEP_TARGET,
			    .wait_class = wait->wait_class,
			    .comm = follower->names->comm_of[wait->task],
			    .name = follower->names->name_of[wait->task],
			    .process = follower->per_process ? follower->names->process_of[wait->task] : 0};
	uint32_t node;
	int r;

	follower->length = span_length(span);
	follower->weight = weight;
	follower->divided = follower->hops = 0;
	follower->scale = 1;
	follower->moment_span = 0;
	if (!follower->length)
		return 0;
	r = places_find(follower->places, wait->node, &step.at, NULL) ?:
	    chains_tree_enter(follower->tree, 0, &step, &node);
	if (r == -ENOSPC)
		return end_as(follower, 0, STEP_TOO_MUCH, follower->length);
	if (!r)
		r = add_object(follower, node, wait, follower->length);
	if (r < 0)
		return r;
	blocked = span_cut(span, 0, runnable_since(wait));
	queued = span_cut(span, runnable_since(wait), UINT64_MAX);
	r = end_as(follower, node, STEP_RUN_QUEUE, span_length(queued));
	return r < 0 || !span_length(blocked) ? r : hop(follower, number, blocked, node);
}
