/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/columns/merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/index_table.h"

static const uint32_t wanted = UINT32_MAX; /* in readings.as, until the node is read */

static int side_init(struct merge_side *side, struct profile *profile, const char *none)
{
	size_t count;

	*side = (struct merge_side){.profile = profile};
	if (!profile)
		return 0;
	(void)profile_nodes(profile, &count);
	side->nodes = count ? count - 1 : 0;
	(void)profile_frames(profile, &side->frames);
	side->function_of = calloc(side->frames + 2, sizeof(*side->function_of));
	if (!side->function_of)
		return -ENOMEM;
	return functions_create(profile, FUNCTIONS_BY_MODULE, none, &side->functions);
}

/* Nodes of the second profile follow those of the first, so their parents are renumbered, too. */
static void copy_nodes(struct merge *merge, const struct merge_side *side)
{
	size_t count;
	const struct profile_node *nodes = profile_nodes(side->profile, &count);

	for (size_t i = 1; i < count; i++) {
		struct profile_node node = nodes[i];

		if (node.parent)
			node.parent += (uint32_t)side->first;
		merge->nodes[side->first + i] = node;
	}
}

static int join(struct merge *merge)
{
	struct merge_side *sides = merge->sides;
	size_t count;

	if (__builtin_add_overflow(sides[0].nodes + 1, sides[1].nodes, &count) || count >= UINT32_MAX)
		return -ENOMEM;
	merge->readings.count = count;
	merge->readings.as = calloc(count + 1, sizeof(*merge->readings.as));
	merge->function_of = calloc(count + 1, sizeof(*merge->function_of));
	if (!merge->readings.as || !merge->function_of)
		return -ENOMEM;
	merge->readings.nodes = profile_nodes(sides[0].profile, &count);
	if (!sides[1].profile)
		return 0;
	sides[1].first = sides[0].nodes;
	merge->nodes = calloc(merge->readings.count + 1, sizeof(*merge->nodes));
	if (!merge->nodes)
		return -ENOMEM;
	copy_nodes(merge, &sides[0]);
	copy_nodes(merge, &sides[1]);
	merge->readings.nodes = merge->nodes;
	return 0;
}

int merge_init(struct merge *merge, struct profile *profile, struct profile *base, const char *none)
{
	int r;

	*merge = (struct merge){0};
	r = side_init(&merge->sides[0], profile, none);
	if (!r)
		r = side_init(&merge->sides[1], base, none);
	if (!r)
		r = hash_map_init(&merge->known);
	return r < 0 ? r : join(merge);
}

void merge_deinit(struct merge *merge)
{
	for (size_t i = 0; i < MERGE_SIDES; i++) {
		functions_destroy(merge->sides[i].functions);
		free(merge->sides[i].function_of);
	}
	free(merge->readings.as);
	free(merge->nodes);
	free(merge->function_of);
	array_free(&merge->functions);
	hash_map_deinit(&merge->known);
}

/* --- functions --- */

static int add_function(struct merge *merge, size_t side, uint32_t function, uint32_t frame, uint32_t *ret_number)
{
	const struct merge_function row = {merge->sides[side].functions, function, (uint32_t)side, frame};

	*ret_number = (uint32_t)merge->functions.count;
	return array_push(&merge->functions, row);
}

/* With two profiles, functions are identified by their text. */
static int find_shared(struct merge *merge, size_t side, uint32_t function, uint32_t frame, uint32_t *ret_number)
{
	const struct functions *functions = merge->sides[side].functions;
	_cleanup_free_ char *key = NULL;
	uint64_t *number;
	int length = asprintf(&key, "%s\n%s\n%s", functions_name(functions, function),
			      functions_module(functions, function), functions_mark(functions, function));
	int r = length < 0 ? -ENOMEM :
			     hash_map_add(&merge->known, key, (size_t)length, merge->functions.count, &number);

	if (r > 0)
		return add_function(merge, side, function, frame, ret_number);
	if (!r)
		*ret_number = (uint32_t)*number;
	return r;
}

static int find_function(struct merge *merge, size_t number, uint32_t frame, uint32_t *ret_number)
{
	struct merge_side *side = &merge->sides[number];
	uint32_t function, found;
	int r = functions_find(side->functions, frame, &function);

	if (!r && !side->function_of[function]) {
		r = merge->nodes ? find_shared(merge, number, function, frame, &found) :
				   add_function(merge, number, function, frame, &found);
		if (!r)
			side->function_of[function] = found + 1;
	}
	if (!r)
		*ret_number = side->function_of[function] - 1;
	return r;
}

int merge_compare(const struct merge *merge, uint32_t left, uint32_t right)
{
	const struct merge_function *l = &merge->functions.items[left], *r = &merge->functions.items[right];
	int order = strcmp(functions_name(l->functions, l->number), functions_name(r->functions, r->number));

	if (!order)
		order = strcmp(functions_module(l->functions, l->number), functions_module(r->functions, r->number));
	if (!order)
		order = strcmp(functions_mark(l->functions, l->number), functions_mark(r->functions, r->number));
	return order ? order : (left > right) - (left < right);
}

/* --- nodes --- */

struct reader {
	struct merge *merge;
	struct index_table known; /* nodes that represent all with the same reading */
	uint32_t parent, function; /* of the node being read */
};

static void reader_deinit(struct reader *reader)
{
	index_table_deinit(&reader->known);
}

static bool reads_the_same(const void *context, uint32_t number)
{
	const struct reader *reader = context;
	const struct readings *readings = &reader->merge->readings;

	return readings->as[readings->nodes[number].parent] == reader->parent &&
	       reader->merge->function_of[number] == reader->function;
}

/* Its parent was read before: parents have lower numbers. */
static int read_node(struct reader *reader, uint32_t node)
{
	struct merge *merge = reader->merge;
	const struct profile_node *row = &merge->readings.nodes[node];
	size_t side = node > merge->sides[0].nodes;
	uint32_t words[2];
	int r;

	if (row->frame >= merge->sides[side].frames)
		return -EBADMSG;
	r = find_function(merge, side, row->frame, &words[1]);
	if (r < 0)
		return r;
	words[0] = reader->parent = merge->readings.as[row->parent];
	merge->function_of[node] = reader->function = words[1];
	r = index_table_add(&reader->known, index_table_hash_words(&reader->known, words, 2), reads_the_same, reader,
			    node, &merge->readings.as[node]);
	return r < 0 ? r : 0;
}

int merge_read(struct merge *merge)
{
	_cleanup_(reader_deinit) struct reader reader = {.merge = merge};
	int r = index_table_init(&reader.known);

	for (uint32_t node = 1; !r && node < merge->readings.count; node++)
		if (merge->readings.as[node] == wanted)
			r = read_node(&reader, node);
	return r;
}
