/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/tree/leaf_groups.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"

struct keyed_row {
	uint32_t function, process;
	size_t row;
};

static int compare_keyed(const void *left, const void *right)
{
	const struct keyed_row *l = left, *r = right;

	if (l->function != r->function)
		return l->function < r->function ? -1 : 1;
	if (l->process != r->process)
		return l->process < r->process ? -1 : 1;
	return (l->row > r->row) - (l->row < r->row);
}

static int compare_groups(const void *left, const void *right, void *context)
{
	const struct leaf_group *l = left, *r = right;
	int order;

	if (l->tally.weight != r->tally.weight)
		return l->tally.weight > r->tally.weight ? -1 : 1;
	order = functions_compare(context, l->function, r->function);
	return order ? order : (l->process > r->process) - (l->process < r->process);
}

static int key_rows(struct keyed_row *keyed, const struct rows *rows, struct functions *functions,
		    const struct task_names *names, bool per_process)
{
	for (size_t i = 0; i < rows->count; i++) {
		int r = functions_find_node(functions, rows->items[i].node, &keyed[i].function);

		if (r < 0)
			return r;
		keyed[i].process = per_process ? names->process_of[rows->items[i].task] : 0;
		keyed[i].row = i;
	}
	qsort(keyed, rows->count, sizeof(*keyed), compare_keyed);
	return 0;
}

static void fill(struct leaf_groups *groups, const struct keyed_row *keyed, const struct rows *rows)
{
	struct leaf_group *group = groups->items;

	for (size_t i = 0; i < rows->count; i++) {
		groups->rows[i] = rows->items[keyed[i].row];
		if (!i || keyed[i].function != group->function || keyed[i].process != group->process) {
			group = &groups->items[groups->count++];
			*group = (struct leaf_group){.function = keyed[i].function,
						     .process = keyed[i].process, .first = i};
		}
		tally_add_row(&group->tally, &groups->rows[i]);
		group->count++;
	}
}

int leaf_groups_init(struct leaf_groups *groups, const struct rows *rows, struct functions *functions,
		     const struct task_names *names, bool per_process)
{
	_cleanup_free_ struct keyed_row *keyed = calloc(rows->count + 1, sizeof(*keyed));
	int r;

	*groups = (struct leaf_groups){0};
	groups->items = calloc(rows->count + 1, sizeof(*groups->items));
	groups->rows = calloc(rows->count + 1, sizeof(*groups->rows));
	r = keyed && groups->items && groups->rows ?
	    key_rows(keyed, rows, functions, names, per_process) : -ENOMEM;
	if (r < 0) {
		leaf_groups_deinit(groups);
		return r;
	}
	fill(groups, keyed, rows);
	qsort_r(groups->items, groups->count, sizeof(*groups->items), compare_groups, functions);
	return 0;
}

void leaf_groups_deinit(struct leaf_groups *groups)
{
	free(groups->items);
	free(groups->rows);
	*groups = (struct leaf_groups){0};
}
