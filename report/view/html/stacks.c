/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/html/stacks.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/view/html/preorder.h"
#include "report/view/page/page.h"

static int use(struct stacks *stacks, uint32_t node, uint64_t count)
{
	int r = readings_want(&stacks->readings, node);

	if (!r)
		stacks->uses[node] += count;
	return r;
}

/* An entry stands for as many events as it has samples. */
static int use_all(struct stacks *stacks, const struct waits *waits)
{
	const struct profile_entry *entries;
	const struct profile_walk_task *walked;
	size_t count = profile_entries(stacks->profile, &entries), walked_count;
	int r = 0;

	walked_count = profile_walk_tasks(stacks->profile, &walked);
	for (size_t i = 0; i < count && !r; i++)
		r = use(stacks, entries[i].node, entries[i].samples + 1);
	for (size_t i = 0; i < walked_count && !r; i++)
		r = use(stacks, walked[i].node, 1);
	for (size_t i = 0; i < waits->count && !r; i++) {
		r = use(stacks, waits->items[i].node, 1);
		if (!r)
			r = use(stacks, waits->items[i].waker_node, 1);
	}
	return r;
}

/* --- functions --- */

static int compare_functions(const void *left, const void *right, void *context)
{
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	int order = functions_compare(context, l, r);

	return order ? order : (l > r) - (l < r);
}

/* Each function that a node of the tree has, once, with a frame as an example. */
static int list_functions(struct stacks *stacks, uint32_t *examples)
{
	const struct readings *readings = &stacks->readings;

	for (uint32_t node = 1; node < readings->count; node++) {
		uint32_t function;

		if (readings->as[node] != node)
			continue;
		if (functions_find_node(stacks->functions, node, &function) < 0)
			return -EBADMSG;
		if (examples[function])
			continue;
		examples[function] = readings->nodes[node].frame + 1;
		stacks->function[stacks->function_count++] = function;
	}
	return 0;
}

static int number_functions(struct stacks *stacks)
{
	size_t most = stacks->readings.frame_count + 1; /* beside that of an empty chain, which is no frame */
	_cleanup_free_ uint32_t *examples = calloc(most, sizeof(*examples));
	int r;

	stacks->number_of = calloc(most, sizeof(*stacks->number_of));
	stacks->function = calloc(most, sizeof(*stacks->function));
	stacks->example = calloc(most, sizeof(*stacks->example));
	if (!examples || !stacks->number_of || !stacks->function || !stacks->example)
		return -ENOMEM;
	r = list_functions(stacks, examples);
	if (r < 0)
		return r;
	qsort_r(stacks->function, stacks->function_count, sizeof(*stacks->function), compare_functions,
		stacks->functions);
	for (size_t i = 0; i < stacks->function_count; i++) {
		stacks->number_of[stacks->function[i]] = (uint32_t)i;
		stacks->example[i] = examples[stacks->function[i]] - 1;
	}
	return 0;
}

/* --- stacks --- */

struct use {
	uint64_t count;
	uint32_t place, node;
};

static int compare_uses(const void *left, const void *right)
{
	const struct use *l = left, *r = right;

	if (l->count != r->count)
		return l->count > r->count ? -1 : 1;
	return (l->place > r->place) - (l->place < r->place);
}

/* Uses of nodes that read the same are those of the first of them. */
static size_t gather_uses(struct stacks *stacks)
{
	const struct readings *readings = &stacks->readings;
	size_t count = 0;

	for (size_t node = 1; node < readings->count; node++)
		if (stacks->uses[node] && readings->as[node] != node) {
			stacks->uses[readings->as[node]] += stacks->uses[node];
			stacks->uses[node] = 0;
		}
	for (size_t node = 1; node < readings->count; node++)
		count += stacks->uses[node] != 0;
	return count;
}

static int number_stacks(struct stacks *stacks)
{
	size_t count = gather_uses(stacks);
	_cleanup_free_ struct use *uses = calloc(count + 1, sizeof(*uses));

	stacks->stack_of = calloc(stacks->readings.count + 1, sizeof(*stacks->stack_of));
	stacks->nodes = calloc(count + 1, sizeof(*stacks->nodes));
	if (!uses || !stacks->stack_of || !stacks->nodes)
		return -ENOMEM;
	count = 0;
	for (uint32_t node = 1; node < stacks->readings.count; node++)
		if (stacks->uses[node])
			uses[count++] = (struct use){stacks->uses[node], stacks->place[node], node};
	qsort(uses, count, sizeof(*uses), compare_uses);
	stacks->count = 1;
	for (size_t i = 0; i < count; i++) {
		stacks->stack_of[uses[i].node] = (uint32_t)stacks->count;
		stacks->nodes[stacks->count++] = uses[i].node;
	}
	free(stacks->uses);
	stacks->uses = NULL;
	return 0;
}

/* The tree, and with it the place of each node. */
static int order_nodes(struct stacks *stacks, struct columns *columns)
{
	const struct readings *readings = &stacks->readings;
	_cleanup_free_ uint32_t *function_of = calloc(readings->count + 1, sizeof(*function_of));

	if (!function_of)
		return -ENOMEM;
	for (uint32_t node = 1; node < readings->count; node++) {
		uint32_t function;

		if (readings->as[node] != node)
			continue;
		if (functions_find_node(stacks->functions, node, &function) < 0)
			return -EBADMSG;
		function_of[node] = stacks->number_of[function];
	}
	stacks->tree_count = preorder_write(readings, function_of, stacks->function_count, stacks->place, columns);
	return stacks->tree_count ? 0 : -ENOMEM;
}

int stacks_init(struct stacks *stacks, const struct waits *waits, const struct view_context *context,
		struct columns *columns)
{
	int r;

	*stacks = (struct stacks){.profile = context->profile};
	r = functions_create(context->profile, FUNCTIONS_BY_MODULE, page_no_frames(context->settings),
			     &stacks->functions);
	if (!r)
		r = readings_init(&stacks->readings, context->profile);
	if (r < 0)
		return r;
	stacks->uses = calloc(stacks->readings.count + 1, sizeof(*stacks->uses));
	stacks->place = calloc(stacks->readings.count + 1, sizeof(*stacks->place));
	r = stacks->uses && stacks->place ? use_all(stacks, waits) : -ENOMEM;
	if (!r)
		r = readings_read(&stacks->readings, stacks->functions, (struct frame_style){0});
	if (!r)
		r = number_functions(stacks);
	if (!r)
		r = order_nodes(stacks, columns);
	if (!r)
		r = number_stacks(stacks);
	for (size_t i = 0; i < stacks->count && !r; i++)
		column_add(&columns->items[COLUMN_STACK_NODE], stacks->place[stacks->nodes[i]]);
	return r;
}

void stacks_deinit(struct stacks *stacks)
{
	functions_destroy(stacks->functions);
	readings_deinit(&stacks->readings);
	free(stacks->number_of);
	free(stacks->function);
	free(stacks->example);
	free(stacks->uses);
	free(stacks->place);
	free(stacks->stack_of);
	free(stacks->nodes);
}
