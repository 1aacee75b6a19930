/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/stack/unique_stacks.h"

#include <errno.h>
#include <stdlib.h>

static int compare_identity(const void *left, const void *right)
{
	const struct unique_stack *l = left, *r = right;

	if (l->group != r->group)
		return l->group < r->group ? -1 : 1;
	if (l->comm != r->comm)
		return l->comm < r->comm ? -1 : 1;
	if (l->process != r->process)
		return l->process < r->process ? -1 : 1;
	if (l->node != r->node)
		return l->node < r->node ? -1 : 1;
	return l->user_missing - r->user_missing;
}

static int compare_weight(const void *left, const void *right)
{
	const struct unique_stack *l = left, *r = right;

	if (l->weight != r->weight)
		return l->weight < r->weight ? -1 : 1;
	return compare_identity(left, right);
}

static struct unique_stack stack_of(const struct row *row, const struct task_names *names,
				    const struct readings *readings,
				    struct unique_settings settings)
{
	return (struct unique_stack){
		.group = settings.groups ? groups_find(settings.groups, row->task, row->cpu) : 0,
		.comm = names->comm_of[row->task],
		.process = settings.per_process ? names->process_of[row->task] : 0,
		.node = readings->as[row->node],
		.user_missing = settings.by_missing && row->flags & CHAIN_USER_MISSING,
		.samples = row->samples,
		.weight = row->weight,
	};
}

static void merge(struct unique_stacks *stacks)
{
	size_t merged = 0;

	qsort(stacks->items, stacks->count, sizeof(*stacks->items), compare_identity);
	for (size_t i = 0; i < stacks->count; i++) {
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

int unique_stacks_init(struct unique_stacks *stacks, const struct rows *rows, const struct readings *readings,
		       const struct task_names *names, struct unique_settings settings)
{
	*stacks = (struct unique_stacks){.items = calloc(rows->count + 1, sizeof(*stacks->items))};
	if (!stacks->items)
		return -ENOMEM;
	for (; stacks->count < rows->count; stacks->count++)
		stacks->items[stacks->count] = stack_of(&rows->items[stacks->count], names,
							readings, settings);
	merge(stacks);
	return 0;
}

void unique_stacks_deinit(struct unique_stacks *stacks)
{
	free(stacks->items);
	*stacks = (struct unique_stacks){0};
}
