/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/columns/stacks.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/view/columns/preorder.h"
#include "report/view/text/page.h"

static int use(struct stacks *stacks, uint32_t node, uint64_t count)
{
	int r = readings_want(&stacks->merge.readings, node);

	if (!r)
		stacks->uses[node] += count;
	return r;
}

/* An entry represents as many events as it has samples. */
static int use_entries(struct stacks *stacks, size_t side)
{
	struct profile *profile = stacks->merge.sides[side].profile;
	const struct profile_entry *entries;
	size_t count = profile ? profile_entries(profile, &entries) : 0;
	int r = 0;

	for (size_t i = 0; i < count && !r; i++)
		r = entries[i].node > stacks->merge.sides[side].nodes ?
			    -EBADMSG :
			    use(stacks, merge_node(&stacks->merge, side, entries[i].node), entries[i].samples + 1);
	return r;
}

static int use_all(struct stacks *stacks, const struct waits *waits)
{
	const struct profile_walk_task *walked;
	size_t count = profile_walk_tasks(waits->profile, &walked);
	int r = use_entries(stacks, 0);

	if (!r)
		r = use_entries(stacks, 1);
	for (size_t i = 0; i < count && !r; i++)
		r = use(stacks, walked[i].node, 1);
	for (size_t i = 0; i < waits->count && !r; i++) {
		r = use(stacks, waits->items[i].node, 1);
		if (!r)
			r = use(stacks, waits->items[i].waker_node, 1);
		if (!r)
			stacks->waited[waits->items[i].node] = stacks->waited[waits->items[i].waker_node] = true;
	}
	return r;
}

/* --- functions --- */

static int compare_functions(const void *left, const void *right, void *context)
{
	return merge_compare(context, *(const uint32_t *)left, *(const uint32_t *)right);
}

static int number_functions(struct stacks *stacks)
{
	size_t count = stacks->merge.functions.count;

	stacks->number_of = calloc(count + 1, sizeof(*stacks->number_of));
	stacks->function = calloc(count + 1, sizeof(*stacks->function));
	if (!stacks->number_of || !stacks->function)
		return -ENOMEM;
	for (; stacks->function_count < count; stacks->function_count++)
		stacks->function[stacks->function_count] = (uint32_t)stacks->function_count;
	qsort_r(stacks->function, count, sizeof(*stacks->function), compare_functions, &stacks->merge);
	for (size_t i = 0; i < count; i++)
		stacks->number_of[stacks->function[i]] = (uint32_t)i;
	return 0;
}

/* --- stacks --- */

struct use {
	uint64_t count;
	uint32_t place, node;
};

/* Stacks used about equally often get numbers of about equal length; of these, neighbours in the tree are adjacent. */
static int compare_uses(const void *left, const void *right)
{
	const struct use *l = left, *r = right;
	int l_zeroes = __builtin_clzll(l->count), r_zeroes = __builtin_clzll(r->count);

	if (l_zeroes != r_zeroes)
		return l_zeroes < r_zeroes ? -1 : 1;
	return (l->place > r->place) - (l->place < r->place);
}

/* Adds the uses of nodes that read the same to the first of them. */
static size_t gather_uses(struct stacks *stacks)
{
	const struct readings *readings = &stacks->merge.readings;
	size_t count = 0;

	for (size_t node = 1; node < readings->count; node++)
		if (stacks->uses[node] && readings->as[node] != node) {
			stacks->uses[readings->as[node]] += stacks->uses[node];
			stacks->waited[readings->as[node]] |= stacks->waited[node];
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

	stacks->stack_of = calloc(stacks->merge.readings.count + 1, sizeof(*stacks->stack_of));
	stacks->nodes = calloc(count + 1, sizeof(*stacks->nodes));
	if (!uses || !stacks->stack_of || !stacks->nodes)
		return -ENOMEM;
	count = 0;
	for (uint32_t node = 1; node < stacks->merge.readings.count; node++)
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

/* Writes the tree, and computes the place of each node. */
static int order_nodes(struct stacks *stacks, struct columns *columns)
{
	const struct readings *readings = &stacks->merge.readings;
	_cleanup_free_ uint32_t *function_of = calloc(readings->count + 1, sizeof(*function_of));

	if (!function_of)
		return -ENOMEM;
	for (uint32_t node = 1; node < readings->count; node++)
		if (readings->as[node] == node)
			function_of[node] = stacks->number_of[stacks->merge.function_of[node]];
	stacks->tree_count = preorder_write(readings, function_of, stacks->function_count, stacks->place, columns);
	return stacks->tree_count ? 0 : -ENOMEM;
}

static void write_nodes(const struct stacks *stacks, struct column *column)
{
	int64_t before = 0;

	for (size_t i = 0; i < stacks->count; i++) {
		int64_t place = stacks->place[stacks->nodes[i]];

		column_add_signed(column, place - before);
		before = place;
	}
}

int stacks_init(struct stacks *stacks, const struct waits *waits, const struct view_context *context,
		struct columns *columns)
{
	int r;

	*stacks = (struct stacks){0};
	r = merge_init(&stacks->merge, context->profile, context->base, page_no_frames(context->settings));
	if (r < 0)
		return r;
	stacks->uses = calloc(stacks->merge.readings.count + 1, sizeof(*stacks->uses));
	stacks->waited = calloc(stacks->merge.readings.count + 1, sizeof(*stacks->waited));
	stacks->place = calloc(stacks->merge.readings.count + 1, sizeof(*stacks->place));
	r = stacks->uses && stacks->waited && stacks->place ? use_all(stacks, waits) : -ENOMEM;
	if (!r)
		r = merge_read(&stacks->merge);
	if (!r)
		r = number_functions(stacks);
	if (!r)
		r = order_nodes(stacks, columns);
	if (!r)
		r = number_stacks(stacks);
	if (!r)
		write_nodes(stacks, &columns->items[COLUMN_STACK_NODE]);
	return r;
}

void stacks_deinit(struct stacks *stacks)
{
	merge_deinit(&stacks->merge);
	free(stacks->number_of);
	free(stacks->function);
	free(stacks->uses);
	free(stacks->waited);
	free(stacks->place);
	free(stacks->stack_of);
	free(stacks->nodes);
}
