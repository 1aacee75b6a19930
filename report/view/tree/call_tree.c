/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/tree/call_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/hash_map.h"

struct offset_weight { /* weight of one frame in one node */
	uint64_t offset, weight;
	uint32_t node, frame;
};

struct node_sums {
	uint64_t weight, self, samples, run_queue, throttled;
};

struct call_tree_builder {
	struct profile *profile;
	struct functions *functions;
	const struct profile_node *source; /* the profile's nodes */
	const struct profile_frame *frames;
	size_t source_count, frame_count;
	/* By profile node; zero except for nodes touched while a tree is built. */
	struct node_sums *sums;
	uint32_t *tree_node; /* + 1; 0: not touched */
	ARRAY(uint32_t) touched;
	struct hash_map children; /* (node, function) -> node */
	ARRAY(struct call_tree_node) nodes;
	ARRAY(uint32_t) order;
	ARRAY(struct offset_weight) offsets;
};

int call_tree_builder_create(struct profile *profile, struct functions *functions,
			     struct call_tree_builder **ret_builder)
{
	struct call_tree_builder *builder = calloc(1, sizeof(*builder));
	size_t room;

	if (!builder)
		return -ENOMEM;
	builder->profile = profile;
	builder->functions = functions;
	builder->source = profile_nodes(profile, &builder->source_count);
	builder->frames = profile_frames(profile, &builder->frame_count);
	room = builder->source_count + 1;
	builder->sums = calloc(room, sizeof(*builder->sums));
	builder->tree_node = calloc(room, sizeof(*builder->tree_node));
	if (!builder->sums || !builder->tree_node || hash_map_init(&builder->children) < 0) {
		call_tree_builder_destroy(builder);
		return -ENOMEM;
	}
	*ret_builder = builder;
	return 0;
}

void call_tree_builder_destroy(struct call_tree_builder *builder)
{
	if (!builder)
		return;
	free(builder->sums);
	free(builder->tree_node);
	array_free(&builder->touched);
	hash_map_deinit(&builder->children);
	array_free(&builder->nodes);
	array_free(&builder->order);
	array_free(&builder->offsets);
	free(builder);
}

static int compare_numbers(const void *left, const void *right)
{
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;

	return (l > r) - (l < r);
}

static void forget(struct call_tree_builder *builder)
{
	for (size_t i = 0; i < builder->touched.count; i++) {
		uint32_t node = builder->touched.items[i];

		builder->sums[node] = (struct node_sums){0};
		builder->tree_node[node] = 0;
	}
	builder->touched.count = 0;
}

/* Marks a node and its ancestors, up to the first that is already marked. */
static int touch(struct call_tree_builder *builder, uint32_t node)
{
	while (node < builder->source_count && !builder->tree_node[node]) {
		builder->tree_node[node] = 1;
		if (array_push(&builder->touched, node) < 0)
			return -ENOMEM;
		if (!node)
			return 0;
		if (builder->source[node].parent >= node)
			return -EBADMSG;
		node = builder->source[node].parent;
	}
	return node < builder->source_count ? 0 : -EBADMSG;
}

static void add_leaf(struct node_sums *sums, const struct call_tree_leaf *leaf)
{
	sums->weight += leaf->weight;
	sums->self += leaf->weight;
	sums->samples += leaf->samples;
	sums->run_queue += leaf->run_queue;
	sums->throttled += leaf->throttled;
}

/* Gathers all profile nodes that the chains pass through, ascending, each with the weight of these chains. */
static int gather(struct call_tree_builder *builder, const struct call_tree_leaf *leaves, size_t count)
{
	forget(builder);
	for (size_t i = 0; i < count; i++) {
		int r = touch(builder, leaves[i].node);

		if (r < 0)
			return r;
		add_leaf(&builder->sums[leaves[i].node], &leaves[i]);
	}
	if (builder->touched.count)
		qsort(builder->touched.items, builder->touched.count, sizeof(uint32_t), compare_numbers);
	for (size_t i = builder->touched.count; i-- > 1;) {
		const struct node_sums *sums = &builder->sums[builder->touched.items[i]];
		struct node_sums *parent = &builder->sums[builder->source[builder->touched.items[i]].parent];

		parent->weight += sums->weight;
		parent->samples += sums->samples;
		parent->run_queue += sums->run_queue;
		parent->throttled += sums->throttled;
	}
	return 0;
}

static int find_child(struct call_tree_builder *builder, uint32_t parent, uint32_t function,
		      uint32_t *ret_node)
{
	const uint32_t key[2] = {parent, function};
	uint64_t *value;
	int r = hash_map_add(&builder->children, key, sizeof(key), builder->nodes.count, &value);

	if (r < 0)
		return r;
	*ret_node = (uint32_t)*value;
	if (!r)
		return 0;
	return array_push(&builder->nodes, (struct call_tree_node){.parent = parent, .function = function});
}

/* What distinguishes the frames of one function. */
static uint64_t offset_of(const struct call_tree_builder *builder, uint32_t frame)
{
	const struct profile_symbol *symbol = profile_symbol(builder->profile, frame);

	return symbol && (symbol->name || symbol->placed) ? symbol->offset : builder->frames[frame].address;
}

static void add_sums(struct call_tree_node *node, const struct node_sums *sums)
{
	node->weight += sums->weight;
	node->self += sums->self;
	node->samples += sums->samples;
	node->run_queue += sums->run_queue;
	node->throttled += sums->throttled;
}

/* Adds one profile node to the tree; its parent is already there. */
static int place(struct call_tree_builder *builder, uint32_t source)
{
	uint32_t frame = builder->source[source].frame, parent, function, node;
	int r = functions_find(builder->functions, frame, &function);

	if (r < 0)
		return r;
	parent = builder->tree_node[builder->source[source].parent] - 1;
	r = find_child(builder, parent, function, &node);
	if (r < 0)
		return r;
	builder->tree_node[source] = node + 1;
	add_sums(&builder->nodes.items[node], &builder->sums[source]);
	return array_push(&builder->offsets, (struct offset_weight){.node = node,
								    .frame = frame,
								    .offset = offset_of(builder, frame),
								    .weight = builder->sums[source].weight});
}

/* Clearing a table costs its capacity: a large one is not kept for the small trees that follow. */
static int empty_children(struct call_tree_builder *builder)
{
	enum { SPARSE = 64 };

	if (builder->children.capacity / SPARSE <= builder->touched.count + SPARSE) {
		hash_map_clear(&builder->children);
		return 0;
	}
	hash_map_deinit(&builder->children);
	return hash_map_init(&builder->children);
}

static int place_all(struct call_tree_builder *builder)
{
	int r = empty_children(builder);

	if (r < 0)
		return r;
	builder->nodes.count = builder->offsets.count = 0;
	if (array_push(&builder->nodes, (struct call_tree_node){0}) < 0)
		return -ENOMEM;
	add_sums(&builder->nodes.items[0], &builder->sums[0]);
	for (size_t i = 1; i < builder->touched.count && !r; i++)
		r = place(builder, builder->touched.items[i]);
	return r;
}

static int compare_offsets(const void *left, const void *right)
{
	const struct offset_weight *l = left, *r = right;

	if (l->node != r->node)
		return l->node < r->node ? -1 : 1;
	if (l->offset != r->offset)
		return l->offset < r->offset ? -1 : 1;
	return (l->frame > r->frame) - (l->frame < r->frame);
}

struct offset_run { /* the rows of one node and offset */
	uint32_t frame; /* the heaviest: the same code has different addresses in different processes */
	uint64_t weight;
	size_t end;
};

static struct offset_run read_run(const struct offset_weight *rows, size_t first, size_t count)
{
	struct offset_run run = {.frame = rows[first].frame, .end = first};
	uint64_t most = 0, weight = 0;

	for (size_t i = first;
	     i < count && rows[i].node == rows[first].node && rows[i].offset == rows[first].offset;
	     i++) {
		weight = (i > first && rows[i].frame == rows[i - 1].frame ? weight : 0) + rows[i].weight;
		if (weight > most) {
			most = weight;
			run.frame = rows[i].frame;
		}
		run.weight += rows[i].weight;
		run.end = i + 1;
	}
	return run;
}

/* Sets each node's frame to the one with the heaviest offset; of equal ones the lower offset. */
static void choose_frames(struct call_tree_builder *builder)
{
	struct offset_weight *rows = builder->offsets.items;
	size_t count = builder->offsets.count;
	uint64_t most = 0;

	if (count)
		qsort(rows, count, sizeof(*rows), compare_offsets);
	for (size_t i = 0; i < count;) {
		struct offset_run run = read_run(rows, i, count);
		struct call_tree_node *node = &builder->nodes.items[rows[i].node];

		if (!i || rows[i].node != rows[i - 1].node) {
			most = 0;
			node->frame = rows[i].frame;
		}
		if (run.weight > most) {
			most = run.weight;
			node->frame = run.frame;
		}
		i = run.end;
	}
}

static int compare_siblings(const void *left, const void *right, void *context)
{
	const struct call_tree_builder *builder = context;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const struct call_tree_node *left_node = &builder->nodes.items[l],
				    *right_node = &builder->nodes.items[r];

	if (left_node->parent != right_node->parent)
		return left_node->parent < right_node->parent ? -1 : 1;
	if (left_node->weight != right_node->weight)
		return left_node->weight > right_node->weight ? -1 : 1;
	return functions_compare(builder->functions, left_node->function, right_node->function);
}

static int order_children(struct call_tree_builder *builder)
{
	struct call_tree_node *nodes = builder->nodes.items;
	size_t count = builder->nodes.count;
	uint32_t *order;

	if (array_reserve(&builder->order, count) < 0)
		return -ENOMEM;
	order = builder->order.items;
	for (size_t i = 1; i < count; i++)
		order[i - 1] = (uint32_t)i;
	qsort_r(order, count - 1, sizeof(*order), compare_siblings, builder);
	for (size_t i = 0; i + 1 < count; i++) {
		struct call_tree_node *parent = &nodes[nodes[order[i]].parent];

		if (!parent->child_count++)
			parent->first_child = (uint32_t)i;
	}
	return 0;
}

int call_tree_build(struct call_tree_builder *builder, const struct call_tree_leaf *leaves, size_t count,
		    struct call_tree *ret_tree)
{
	int r = gather(builder, leaves, count);

	if (!r)
		r = place_all(builder);
	if (r < 0)
		return r;
	choose_frames(builder);
	r = order_children(builder);
	if (r < 0)
		return r;
	*ret_tree = (struct call_tree){
		.nodes = builder->nodes.items,
		.count = builder->nodes.count,
		.children = builder->order.items,
	};
	return 0;
}

uint32_t call_tree_end(const struct call_tree_builder *builder, uint32_t profile_node)
{
	const uint32_t node = profile_node < builder->source_count ? builder->tree_node[profile_node] : 0;

	return node && profile_node ? node - 1 : 0;
}

int call_tree_find_functions(struct call_tree_builder *builder, const struct call_tree_leaf *leaves,
			     size_t count)
{
	forget(builder);
	for (size_t i = 0; i < count; i++) {
		int r = touch(builder, leaves[i].node);

		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < builder->touched.count; i++) {
		uint32_t function;
		int r = functions_find_node(builder->functions, builder->touched.items[i], &function);

		if (r < 0)
			return r;
	}
	return 0;
}
