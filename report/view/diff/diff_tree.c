/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/diff/diff_tree.h"

#include <string.h>

#include "common/cleanup.h"

void diff_pair_add(struct diff_pair *sum, const struct diff_pair *pair)
{
	for (size_t i = 0; i < DIFF_SIDES; i++) {
		sum->sides[i].halves[0] += pair->sides[i].halves[0];
		sum->sides[i].halves[1] += pair->sides[i].halves[1];
		sum->sides[i].samples += pair->sides[i].samples;
	}
}

/* --- names --- */

int diff_names_init(struct diff_names *names)
{
	*names = (struct diff_names){0};
	return hash_map_init(&names->known);
}

void diff_names_deinit(struct diff_names *names)
{
	for (size_t i = 0; i < names->texts.count; i++)
		free(names->texts.items[i]);
	array_free(&names->texts);
	hash_map_deinit(&names->known);
}

int diff_names_add(struct diff_names *names, const char *text, uint32_t *ret_name)
{
	uint64_t *number;
	char *copy;
	int r = hash_map_add(&names->known, text, strlen(text), names->texts.count, &number);

	if (r < 0)
		return r;
	*ret_name = (uint32_t)*number;
	if (!r)
		return 0;
	copy = strdup(text);
	if (!copy || array_push(&names->texts, copy) < 0) {
		free(copy);
		return -ENOMEM;
	}
	return 0;
}

/* --- paths --- */

int diff_tree_init(struct diff_tree *tree)
{
	*tree = (struct diff_tree){0};
	return hash_map_init(&tree->known) < 0 ? -ENOMEM : array_push(&tree->nodes, (struct diff_node){0});
}

void diff_tree_deinit(struct diff_tree *tree)
{
	hash_map_deinit(&tree->known);
	array_free(&tree->nodes);
}

int diff_tree_enter(struct diff_tree *tree, uint32_t parent, uint32_t name, uint32_t *ret_node)
{
	const uint32_t key[2] = {parent, name};
	uint64_t *number;
	int r = hash_map_add(&tree->known, key, sizeof(key), tree->nodes.count, &number);

	if (r < 0)
		return r;
	*ret_node = (uint32_t)*number;
	return r ? array_push(&tree->nodes, (struct diff_node){.parent = parent, .name = name}) : 0;
}

/* --- totals --- */

struct place { /* of a node, while the tree is traversed */
	struct diff_pair below; /* the node and all below it */
	uint32_t first_child, next; /* 0: none */
};

/* Traverses the tree; `on_way` says which names are on the path from the root. */
static void add_totals(const struct diff_tree *tree, const struct place *places, uint32_t *on_way,
		       struct diff_pair *totals)
{
	uint32_t node = places[0].first_child;

	while (node) {
		uint32_t name = tree->nodes.items[node].name;

		if (!on_way[name]++)
			diff_pair_add(&totals[name], &places[node].below);
		if (places[node].first_child) {
			node = places[node].first_child;
			continue;
		}
		while (node && !places[node].next) {
			on_way[tree->nodes.items[node].name]--;
			node = tree->nodes.items[node].parent;
		}
		if (!node)
			return;
		on_way[tree->nodes.items[node].name]--;
		node = places[node].next;
	}
}

int diff_tree_totals(const struct diff_tree *tree, size_t names, struct diff_pair *totals)
{
	size_t count = tree->nodes.count;
	_cleanup_free_ struct place *places = calloc(count, sizeof(*places));
	_cleanup_free_ uint32_t *on_way = calloc(names + 1, sizeof(*on_way));

	if (!places || !on_way)
		return -ENOMEM;
	for (size_t i = count; i-- > 1;) {
		struct place *parent = &places[tree->nodes.items[i].parent];

		diff_pair_add(&places[i].below, &tree->nodes.items[i].self);
		diff_pair_add(&parent->below, &places[i].below);
		places[i].next = parent->first_child;
		parent->first_child = (uint32_t)i;
	}
	add_totals(tree, places, on_way, totals);
	return 0;
}
