/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/columns/preorder.h"

#include <stdlib.h>

struct links { /* by node; 0: none */
	uint32_t *first, *next;
};

static bool is_part(const struct readings *readings, uint32_t node)
{
	return readings->as[node] == node;
}

static uint32_t parent_of(const struct readings *readings, uint32_t node)
{
	return readings->as[readings->nodes[node].parent];
}

/* Puts each node before its siblings, starting with the last function. `by_function` has room for all nodes. */
static void link_nodes(const struct readings *readings, const uint32_t *function_of, size_t function_count,
		       size_t *starts, uint32_t *by_function, const struct links *links)
{
	size_t count = 0;

	for (uint32_t node = 1; node < readings->count; node++)
		if (is_part(readings, node))
			starts[function_of[node] + 1]++;
	for (size_t i = 1; i <= function_count; i++)
		starts[i] += starts[i - 1];
	for (uint32_t node = 1; node < readings->count; node++)
		if (is_part(readings, node)) {
			by_function[starts[function_of[node]]++] = node;
			count++;
		}
	while (count--) {
		uint32_t node = by_function[count], parent = parent_of(readings, node);

		links->next[node] = links->first[parent];
		links->first[parent] = node;
	}
}

/* The node after `node`, or 0 at the end; *ret_up: how many levels up it is. */
static uint32_t step(const struct readings *readings, const struct links *links, uint32_t node, size_t *ret_up)
{
	size_t up = 0;

	*ret_up = 0;
	if (links->first[node])
		return links->first[node];
	for (; node; node = parent_of(readings, node)) {
		up++;
		if (links->next[node])
			break;
	}
	*ret_up = up;
	return node ? links->next[node] : 0;
}

static size_t number_nodes(const struct readings *readings, const uint32_t *function_of, const struct links *links,
			   uint32_t *place, struct columns *columns)
{
	uint32_t number = 1, node;
	size_t up;

	for (node = step(readings, links, 0, &up); node; node = step(readings, links, node, &up)) {
		column_add(&columns->items[COLUMN_NODE_UP], up);
		column_add(&columns->items[COLUMN_NODE_FUNCTION], function_of[node]);
		place[node] = number++;
	}
	return number;
}

size_t preorder_write(const struct readings *readings, const uint32_t *function_of, size_t function_count,
		      uint32_t *place, struct columns *columns)
{
	struct links links = {.first = calloc(readings->count + 1, sizeof(*links.first)),
			      .next = calloc(readings->count + 1, sizeof(*links.next))};
	uint32_t *by_function = calloc(readings->count + 1, sizeof(*by_function));
	size_t *starts = calloc(function_count + 2, sizeof(*starts)), count = 0;

	if (links.first && links.next && by_function && starts) {
		link_nodes(readings, function_of, function_count, starts, by_function, &links);
		count = number_nodes(readings, function_of, &links, place, columns);
	}
	free(links.first);
	free(links.next);
	free(by_function);
	free(starts);
	return count;
}
