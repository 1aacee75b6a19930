/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/unique_stacks.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/hash_map.h"

struct reading { /* how each node of the profile reads */
	const struct profile_node *nodes;
	size_t count;
	uint32_t *as; /* the first node whose chain reads the same */
	struct hash_map known; /* (parent's reading, function or frame) -> node */
};

static void reading_deinit(struct reading *reading)
{
	free(reading->as);
	hash_map_deinit(&reading->known);
}

/* Its parent was read before. */
static int read_node(struct reading *reading, struct functions *functions, uint32_t node, bool by_frame)
{
	const struct profile_node *row = &reading->nodes[node];
	uint32_t key[2], function;
	uint64_t *first;
	int r;

	if (row->parent >= node)
		return -EBADMSG;
	r = functions_find(functions, row->frame, &function);
	if (r < 0)
		return r;
	key[0] = reading->as[row->parent];
	key[1] = by_frame ? row->frame : function;
	r = hash_map_add(&reading->known, key, sizeof(key), node, &first);
	if (r < 0)
		return r;
	reading->as[node] = (uint32_t)*first;
	return 0;
}

static void mark_ancestors(const struct reading *reading, uint32_t node, bool *needed)
{
	for (; node < reading->count && node && !needed[node]; node = reading->nodes[node].parent)
		needed[node] = true;
}

/* Reads the nodes that the rows pass through; parents have lower numbers. */
static int read_nodes(struct reading *reading, const struct rows *rows, struct functions *functions, bool by_frame)
{
	_cleanup_free_ bool *needed = calloc(reading->count + 1, sizeof(*needed));

	if (!needed)
		return -ENOMEM;
	for (size_t i = 0; i < rows->count; i++) {
		if (rows->items[i].node >= reading->count)
			return -EBADMSG;
		mark_ancestors(reading, rows->items[i].node, needed);
	}
	for (uint32_t node = 1; node < reading->count; node++) {
		int r = needed[node] ? read_node(reading, functions, node, by_frame) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

static int compare_identity(const void *left, const void *right)
{
	const struct unique_stack *l = left, *r = right;

	if (l->comm != r->comm)
		return l->comm < r->comm ? -1 : 1;
	if (l->process != r->process)
		return l->process < r->process ? -1 : 1;
	return (l->node > r->node) - (l->node < r->node);
}

static int compare_weight(const void *left, const void *right)
{
	const struct unique_stack *l = left, *r = right;

	if (l->weight != r->weight)
		return l->weight < r->weight ? -1 : 1;
	return compare_identity(left, right);
}

static void merge(struct unique_stacks *stacks, const struct rows *rows, const struct task_names *names,
		  const uint32_t *as, bool per_process)
{
	size_t merged = 0;

	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->items[i];

		stacks->items[i] = (struct unique_stack){.comm = names->comm_of[row->task],
							 .process = per_process ? names->process_of[row->task] : 0,
							 .node = as[row->node],
							 .samples = row->samples,
							 .weight = row->weight};
	}
	qsort(stacks->items, rows->count, sizeof(*stacks->items), compare_identity);
	for (size_t i = 0; i < rows->count; i++) {
		if (merged && !compare_identity(&stacks->items[merged - 1], &stacks->items[i])) {
			stacks->items[merged - 1].samples += stacks->items[i].samples;
			stacks->items[merged - 1].weight += stacks->items[i].weight;
		} else {
			stacks->items[merged++] = stacks->items[i];
		}
	}
	stacks->count = merged;
	qsort(stacks->items, merged, sizeof(*stacks->items), compare_weight);
}

int unique_stacks_init(struct unique_stacks *stacks, struct profile *profile, const struct rows *rows,
		       struct functions *functions, const struct task_names *names, struct unique_settings settings)
{
	_cleanup_(reading_deinit) struct reading reading = {0};
	int r = hash_map_init(&reading.known);

	*stacks = (struct unique_stacks){0};
	if (r < 0)
		return r;
	reading.nodes = profile_nodes(profile, &reading.count);
	reading.as = calloc(reading.count + 1, sizeof(*reading.as));
	stacks->items = calloc(rows->count + 1, sizeof(*stacks->items));
	r = reading.as && stacks->items ? read_nodes(&reading, rows, functions, settings.by_frame) : -ENOMEM;
	if (r < 0) {
		unique_stacks_deinit(stacks);
		return r;
	}
	merge(stacks, rows, names, reading.as, settings.per_process);
	return 0;
}

void unique_stacks_deinit(struct unique_stacks *stacks)
{
	free(stacks->items);
	*stacks = (struct unique_stacks){0};
}
