/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/tree/leaf_groups.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/radix_sort.h"

static int compare_groups(const void *left, const void *right, void *context)
{
	const struct leaf_group *l = left, *r = right;
	int order;

	if (l->tally.weight != r->tally.weight)
		return l->tally.weight > r->tally.weight ? -1 : 1;
	order = functions_compare(context, l->function, r->function);
	return order ? order : (l->process > r->process) - (l->process < r->process);
}

/* Sorts by function, then by process. */
static int sort_rows(struct radix_key **keys, const struct rows *rows, struct functions *functions,
		     const struct task_names *names, bool per_process)
{
	for (size_t i = 0; i < rows->count; i++) {
		uint32_t function, process = per_process ? names->process_of[rows->items[i].task] : 0;
		int r = functions_find_node(functions, rows->items[i].node, &function);

		if (r < 0)
			return r;
		(*keys)[i] = (struct radix_key){.key = (uint64_t)function << 32 | process, .number = (uint32_t)i};
	}
	return radix_sort(keys, rows->count);
}

static void fill(struct leaf_groups *groups, const struct radix_key *keys, const struct rows *rows)
{
	struct leaf_group *group = groups->items;

	for (size_t i = 0; i < rows->count; i++) {
		groups->rows[i] = rows->items[keys[i].number];
		if (!i || keys[i].key != keys[i - 1].key) {
			group = &groups->items[groups->count++];
			*group = (struct leaf_group){.function = (uint32_t)(keys[i].key >> 32),
						     .process = (uint32_t)keys[i].key, .first = i};
		}
		tally_add_row(&group->tally, &groups->rows[i]);
		group->count++;
	}
}

int leaf_groups_init(struct leaf_groups *groups, const struct rows *rows, struct functions *functions,
		     const struct task_names *names, bool per_process)
{
	_cleanup_free_ struct radix_key *keys = calloc(rows->count + 1, sizeof(*keys));
	int r;

	*groups = (struct leaf_groups){0};
	groups->items = calloc(rows->count + 1, sizeof(*groups->items));
	groups->rows = calloc(rows->count + 1, sizeof(*groups->rows));
	r = keys && groups->items && groups->rows ?
	    sort_rows(&keys, rows, functions, names, per_process) : -ENOMEM;
	if (r < 0) {
		leaf_groups_deinit(groups);
		return r;
	}
	fill(groups, keys, rows);
	qsort_r(groups->items, groups->count, sizeof(*groups->items), compare_groups, functions);
	return 0;
}

void leaf_groups_deinit(struct leaf_groups *groups)
{
	free(groups->items);
	free(groups->rows);
	*groups = (struct leaf_groups){0};
}
