/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/sqlite/stack_order.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/view/look/event_reader.h"

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
