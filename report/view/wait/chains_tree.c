/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/wait/chains_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"
#include "report/profile/seam/profile_waits.h"

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

int chains_tree_enter(struct chains_tree *tree, uint32_t parent, const struct step *step, uint32_t *ret_node)
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

void chains_tree_add(struct chains_tree *tree, uint32_t node, uint64_t weight)
{
	tree->nodes.items[node].self += weight;
	if (tree->steps.items[node].kind == STEP_TOO_MUCH)
		tree->too_much += weight;
}

struct sorting {
	const struct chains_tree *tree;
	const struct places *places;
};

static int compare_numbers(uint32_t left, uint32_t right)
{
	return (left > right) - (left < right);
}

static int compare_steps(const struct places *places, const struct step *left, const struct step *right)
{
	int order = compare_numbers(left->kind, right->kind);

	if (!order)
		order = compare_numbers(left->by, right->by);
	if (!order)
		order = compare_numbers(left->comm, right->comm);
	if (!order)
		order = compare_numbers(left->process, right->process);
	if (!order)
		order = compare_numbers(left->name, right->name);
	if (!order)
		order = places_compare(places, left->wake, right->wake);
	if (!order)
		order = places_compare(places, left->at, right->at);
	return order ? order : compare_numbers(left->wait_class, right->wait_class);
}

static int compare_siblings(const void *left, const void *right, void *context)
{
	const struct sorting *sorting = context;
	const struct chains_tree *tree = sorting->tree;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const struct call_tree_node *left_node = &tree->nodes.items[l], *right_node = &tree->nodes.items[r];

	if (left_node->parent != right_node->parent)
		return compare_numbers(left_node->parent, right_node->parent);
	if (left_node->weight != right_node->weight)
		return left_node->weight > right_node->weight ? -1 : 1;
	return compare_steps(sorting->places, &tree->steps.items[l], &tree->steps.items[r]);
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

/* " in pipe_read (produce)", or nothing. */
static void write_place(const struct places *places, struct place place, FILE *out)
{
	if (!place.kernel && !place.user)
		return;
	(void)fputs(" in ", out);
	place_write(places, place, out);
}

void chains_step_write(const struct step *step, const struct task_names *names, const struct places *places,
		       bool per_process, FILE *out)
{
	static const char *const verbs[WAIT_CLASSES] = {
		[WAIT_BLOCKED] = " blocked", [WAIT_PREEMPTED] = " preempted",
		[WAIT_YIELDED] = " yielded", [WAIT_CANCELLED] = " kept awake by a signal",
		[WAIT_STARTED] = " started", [WAIT_THROTTLED] = " throttled"};
	static const char *const begins[] = {[WAIT_NEXT_OWNER] = "held by ",
					     [WAIT_NEXT_OTHER_END] = "woken from its other end by ",
					     [WAIT_NEXT_AWAITED] = "waits for "};
	const struct step_words *row = &words[step->kind];
	bool target = step->kind == STEP_TARGET;

	(void)fputs(target ? "" : step->by ? begins[step->by] : row->begin, out);
	if (target || row->comm)
		write_owner(step, names, per_process, out);
	write_place(places, step->wake, out);
	(void)fputs(target ? verbs[step->wait_class] : row->end, out);
	write_place(places, step->at, out);
}
