/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/leaf_groups.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "report/view/page.h"
#include "report/view/place.h"

static int compare_groups(const void *left, const void *right, void *context)
{
	const struct leaf_group *l = left, *r = right;

	return COMPARE(r->tally.weight, l->tally.weight) ?: functions_compare(context, l->function, r->function) ?:
	       COMPARE(l->process, r->process);
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

/* --- wake leaves --- */

struct chains {
	const struct profile_node *nodes;
	const struct profile_frame *frames;
	size_t node_count, frame_count;
	struct functions *functions;
};

/* 1: the node's frame belongs to the wakeup; 0: it does not, or is not a kernel frame. */
static int is_of_wakeup(const struct chains *chains, uint32_t node)
{
	uint32_t function;
	int r;

	if (node >= chains->node_count)
		return -EBADMSG;
	if (!node)
		return 0;
	r = functions_find(chains->functions, chains->nodes[node].frame, &function);
	if (r < 0 || !chains->frames[chains->nodes[node].frame].kernel)
		return r;
	return place_is_wakeup(functions_name(chains->functions, function));
}

static bool is_kernel(const struct chains *chains, uint32_t node)
{
	return node && chains->frames[chains->nodes[node].frame].kernel;
}

/* The real function of an inlined frame: only that always has a known name. */
static uint32_t real_node(const struct chains *chains, uint32_t node)
{
	while (node && node < chains->node_count && chains->nodes[node].frame < chains->frame_count &&
	       chains->frames[chains->nodes[node].frame].inline_depth && chains->nodes[node].parent < node)
		node = chains->nodes[node].parent;
	return node;
}

/* The leaf-most node that does not belong to the wakeup. */
static int pass(const struct chains *chains, uint32_t leaf, uint32_t *ret_node)
{
	uint32_t node = leaf, real = real_node(chains, node);
	int r;

	while ((r = is_of_wakeup(chains, real)) > 0) {
		if (chains->nodes[real].parent >= real)
			return -EBADMSG;
		node = chains->nodes[real].parent;
		real = real_node(chains, node);
	}
	if (r < 0)
		return r;
	*ret_node = is_kernel(chains, node) ? node : leaf;
	return 0;
}

/* Rows of one chain are adjacent. */
int wake_leaves_pass(struct rows *rows, const struct profile *profile, struct functions *functions,
		     uint64_t *ret_passed)
{
	struct chains chains = {.functions = functions};
	uint32_t leaf = 0, node = 0;
	uint64_t passed = 0;

	chains.nodes = profile_nodes(profile, &chains.node_count);
	chains.frames = profile_frames(profile, &chains.frame_count);
	for (size_t i = 0; i < rows->count; i++) {
		struct row *row = &rows->items[i];
		int r = row->node == leaf ? 0 : pass(&chains, row->node, &node);

		if (r < 0)
			return r;
		leaf = row->node;
		passed += node != leaf ? row->samples : 0;
		row->node = node;
	}
	*ret_passed = passed;
	return 0;
}

void wake_leaves_write_note(const struct view_context *context, uint64_t passed, uint64_t samples)
{
	page_comment(context, context->out,
		     "the wakeup's own frames (try_to_wake_up ...) are passed over at the leaf, "
		     "in %" PRIu64 " of %" PRIu64 " wait%s; -v shows them",
		     passed, samples, plural(samples));
}
