/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/look/function_totals.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/cleanup.h"

struct spot { /* a node of the profile that chains pass through */
	struct tally tally;
	uint32_t first_child, next; /* 0: none */
	uint32_t function;
	bool touched;
};

struct found { /* by function */
	struct function_total total;
	uint32_t on_path; /* how often it is on the current chain */
	bool present;
};

struct counting {
	struct functions *functions;
	const struct profile_node *nodes;
	size_t count;
	struct spot *spots; /* by node */
	ARRAY(uint32_t) touched;
	ARRAY(struct found) found;
};

static void counting_deinit(struct counting *counting)
{
	free(counting->spots);
	array_free(&counting->touched);
	array_free(&counting->found);
}

/* Functions are numbered as they are found. */
static int make_room(struct counting *counting, uint32_t function)
{
	while (counting->found.count <= function) {
		uint32_t number = (uint32_t)counting->found.count;

		if (array_push(&counting->found, (struct found){.total.function = number}) < 0)
			return -ENOMEM;
	}
	counting->found.items[function].present = true;
	return 0;
}

/* Adds a node and its ancestors, up to the first that is already known. */
static int touch(struct counting *counting, uint32_t node)
{
	while (node < counting->count && !counting->spots[node].touched) {
		struct spot *spot = &counting->spots[node];
		int r = functions_find_node(counting->functions, node, &spot->function);

		if (!r && node)
			r = make_room(counting, spot->function);
		if (r < 0 || array_push(&counting->touched, node) < 0)
			return r < 0 ? r : -ENOMEM;
		spot->touched = true;
		if (!node)
			return 0;
		if (counting->nodes[node].parent >= node)
			return -EBADMSG;
		node = counting->nodes[node].parent;
	}
	return node < counting->count ? 0 : -EBADMSG;
}

static int add_rows(struct counting *counting, const struct rows *rows)
{
	for (const struct row *row = rows->items; row < rows->items + rows->count; row++) {
		int r = touch(counting, row->node);

		if (!r)
			r = make_room(counting, counting->spots[row->node].function);
		if (r < 0)
			return r;
		tally_add_row(&counting->spots[row->node].tally, row);
		tally_add_row(&counting->found.items[counting->spots[row->node].function].total.self, row);
	}
	return 0;
}

static int compare_numbers(const void *left, const void *right)
{
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;

	return (l > r) - (l < r);
}

/* Adds children to their parents, which have lower numbers, and links them. */
static void link_nodes(struct counting *counting)
{
	qsort(counting->touched.items, counting->touched.count, sizeof(uint32_t), compare_numbers);
	for (size_t i = counting->touched.count; i-- > 1;) {
		uint32_t node = counting->touched.items[i];
		struct spot *spot = &counting->spots[node], *parent = &counting->spots[counting->nodes[node].parent];

		tally_add(&parent->tally, &spot->tally);
		spot->next = parent->first_child;
		parent->first_child = node;
	}
}

static void enter(struct counting *counting, const struct spot *spot)
{
	struct found *found = &counting->found.items[spot->function];

	if (!found->on_path++)
		tally_add(&found->total.total, &spot->tally);
}

/* The next node after `node` and all nodes below it; 0 if there is none. */
static uint32_t leave(struct counting *counting, uint32_t node)
{
	while (node && !counting->spots[node].next) {
		counting->found.items[counting->spots[node].function].on_path--;
		node = counting->nodes[node].parent;
	}
	if (!node)
		return 0;
	counting->found.items[counting->spots[node].function].on_path--;
	return counting->spots[node].next;
}

/* Traverses the tree depth first; at each node it is known which functions are on the path from the root. */
static void add_totals(struct counting *counting)
{
	uint32_t node = counting->spots[0].first_child;

	while (node) {
		const struct spot *spot = &counting->spots[node];

		enter(counting, spot);
		node = spot->first_child ? spot->first_child : leave(counting, node);
	}
}

static int take_results(struct counting *counting, struct function_totals *totals)
{
	struct found *none = counting->found.items;

	totals->items = calloc(counting->found.count + 1, sizeof(*totals->items));
	if (!totals->items)
		return -ENOMEM;
	if (counting->found.count)
		none[FUNCTION_NONE].total.total = none[FUNCTION_NONE].total.self;
	for (size_t i = 0; i < counting->found.count; i++)
		if (counting->found.items[i].present)
			totals->items[totals->count++] = counting->found.items[i].total;
	return 0;
}

int function_totals_init(struct function_totals *totals, const struct rows *rows, struct functions *functions)
{
	_cleanup_(counting_deinit) struct counting counting = {.functions = functions};
	int r;

	*totals = (struct function_totals){0};
	counting.nodes = profile_nodes(functions_profile(functions), &counting.count);
	counting.spots = calloc(counting.count + 1, sizeof(*counting.spots));
	if (!counting.spots)
		return -ENOMEM;
	r = add_rows(&counting, rows);
	if (r < 0)
		return r;
	if (counting.touched.count)
		link_nodes(&counting);
	add_totals(&counting);
	return take_results(&counting, totals);
}

void function_totals_deinit(struct function_totals *totals)
{
	free(totals->items);
	*totals = (struct function_totals){0};
}
