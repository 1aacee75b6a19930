/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/page/columns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/view/page.h"

#define COLUMN_NAME(number, name) [COLUMN_##number] = #name,
const char *const column_names[COLUMNS] = {COLUMN_LIST(COLUMN_NAME)};

int column_text_open(struct column_text *text, char bracket)
{
	int r;

	*text = (struct column_text){.end = bracket == '[' ? ']' : '}'};
	r = hash_map_init(&text->known);
	if (r < 0)
		return r;
	json_init(&text->json, open_memstream(&text->text, &text->length));
	if (text->json.out) {
		(void)putc(bracket, text->json.out);
		return 0;
	}
	hash_map_deinit(&text->known);
	return -ENOMEM;
}

int column_text_close(struct column_text *text, struct column *column)
{
	int r = 0;

	hash_map_deinit(&text->known);
	if (text->json.out) {
		(void)putc(text->end, text->json.out);
		r = fclose(text->json.out) || text->json.failed ? -ENOMEM : 0;
	}
	if (!r)
		column_raw(column, text->text, text->length);
	free(text->text);
	*text = (struct column_text){0};
	return r;
}

int column_text_find(struct column_text *text, const void *key, size_t length, uint64_t *ret_number)
{
	uint64_t *number;
	int r = hash_map_add(&text->known, key, length, text->known.entries.count, &number);

	if (r >= 0)
		*ret_number = *number;
	return r;
}

int column_text_add(struct column_text *text, const char *value, bool is_name, uint64_t *ret_number)
{
	int r = column_text_find(text, value, strlen(value), ret_number);

	if (r > 0 && is_name)
		json_write(&text->json, "%-s", value);
	else if (r > 0)
		json_write(&text->json, "%s", value);
	return r < 0 ? r : 0;
}

void column_move(struct column *to, struct column *from)
{
	column_raw(to, from->bytes.items, from->bytes.count);
	to->count += from->count;
	to->failed |= from->failed;
	array_free(&from->bytes);
	*from = (struct column){0};
}

void columns_clear(struct columns *columns, enum column_number first, enum column_number end)
{
	for (unsigned int i = first; i < end; i++) {
		columns->items[i].bytes.count = columns->items[i].count = 0;
		columns->items[i].failed = false;
	}
}

int columns_status(const struct columns *columns)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (columns->items[i].failed)
			return -ENOMEM;
	return 0;
}

size_t columns_bytes(const struct columns *columns, enum column_number first, enum column_number end)
{
	size_t bytes = 0;

	for (unsigned int i = first; i < end; i++)
		bytes += columns->items[i].bytes.count;
	return bytes;
}

void columns_deinit(struct columns *columns)
{
	for (size_t i = 0; i < COLUMNS; i++)
		array_free(&columns->items[i].bytes);
}

/* --- merge --- */

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

static int merge_init(struct merge *merge, struct profile *profile, struct profile *base, const char *none)
{
	*merge = (struct merge){0};
	return side_init(&merge->sides[0], profile, none) ?:
	       side_init(&merge->sides[1], base, none) ?:
	       hash_map_init(&merge->known) ?:
	       join(merge);
}

static void merge_deinit(struct merge *merge)
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

static int merge_compare(const struct merge *merge, uint32_t left, uint32_t right)
{
	const struct merge_function *l = &merge->functions.items[left], *r = &merge->functions.items[right];

	return strcmp(functions_name(l->functions, l->number), functions_name(r->functions, r->number)) ?:
	       strcmp(functions_module(l->functions, l->number), functions_module(r->functions, r->number)) ?:
	       strcmp(functions_mark(l->functions, l->number), functions_mark(r->functions, r->number)) ?:
	       COMPARE(left, right);
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

static int merge_read(struct merge *merge)
{
	_cleanup_(reader_deinit) struct reader reader = {.merge = merge};
	int r = index_table_init(&reader.known);

	for (uint32_t node = 1; !r && node < merge->readings.count; node++)
		if (merge->readings.as[node] == wanted)
			r = read_node(&reader, node);
	return r;
}

/* --- preorder --- */

/*
 * A tree in preorder, siblings by the number of their function, as two columns: how many levels up
 * from the previous node, and the function. So a subtree is a range of numbers, and neighbours
 * resemble each other, which compresses well.
 */

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

/*
 * `function_of`: by node. Sets place[node], from 1 on, for each node that represents itself.
 * Returns the number of nodes including the root, or 0 if memory ran out.
 */
static size_t preorder_write(const struct readings *readings, const uint32_t *function_of, size_t function_count,
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

/* --- stacks --- */

static int use(struct stacks *stacks, uint32_t node, uint64_t count)
{
	int r = readings_want(&stacks->merge.readings, node);

	if (!r)
		stacks->uses[node] += count;
	return r;
}

/* An entry represents as many events as it has samples. */
static int use_entries(struct stacks *stacks, size_t side)
{
	struct profile *profile = stacks->merge.sides[side].profile;
	const struct profile_entry *entries;
	size_t count = profile ? profile_entries(profile, &entries) : 0;
	int r = 0;

	for (size_t i = 0; i < count && !r; i++)
		r = entries[i].node > stacks->merge.sides[side].nodes ?
			    -EBADMSG :
			    use(stacks, merge_node(&stacks->merge, side, entries[i].node), entries[i].samples + 1);
	return r;
}

static int use_all(struct stacks *stacks, const struct waits *waits)
{
	const struct profile_walk_task *walked;
	size_t count = profile_walk_tasks(waits->profile, &walked);
	int r = use_entries(stacks, 0) ?: use_entries(stacks, 1);

	for (size_t i = 0; i < count && !r; i++)
		r = use(stacks, walked[i].node, 1);
	for (size_t i = 0; i < waits->count && !r; i++) {
		r = use(stacks, waits->items[i].node, 1) ?: use(stacks, waits->items[i].waker_node, 1);
		if (!r)
			stacks->waited[waits->items[i].node] = stacks->waited[waits->items[i].waker_node] = true;
	}
	return r;
}

/* --- functions --- */

static int compare_functions(const void *left, const void *right, void *context)
{
	return merge_compare(context, *(const uint32_t *)left, *(const uint32_t *)right);
}

static int number_functions(struct stacks *stacks)
{
	size_t count = stacks->merge.functions.count;

	stacks->number_of = calloc(count + 1, sizeof(*stacks->number_of));
	stacks->function = calloc(count + 1, sizeof(*stacks->function));
	if (!stacks->number_of || !stacks->function)
		return -ENOMEM;
	for (; stacks->function_count < count; stacks->function_count++)
		stacks->function[stacks->function_count] = (uint32_t)stacks->function_count;
	qsort_r(stacks->function, count, sizeof(*stacks->function), compare_functions, &stacks->merge);
	for (size_t i = 0; i < count; i++)
		stacks->number_of[stacks->function[i]] = (uint32_t)i;
	return 0;
}

/* --- stacks --- */

struct use {
	uint64_t count;
	uint32_t place, node;
};

/* Stacks used about equally often get numbers of about equal length; of these, neighbours in the tree are adjacent. */
static int compare_uses(const void *left, const void *right)
{
	const struct use *l = left, *r = right;
	int l_zeroes = __builtin_clzll(l->count), r_zeroes = __builtin_clzll(r->count);

	return COMPARE(l_zeroes, r_zeroes) ?: COMPARE(l->place, r->place);
}

/* Adds the uses of nodes that read the same to the first of them. */
static size_t gather_uses(struct stacks *stacks)
{
	const struct readings *readings = &stacks->merge.readings;
	size_t count = 0;

	for (size_t node = 1; node < readings->count; node++)
		if (stacks->uses[node] && readings->as[node] != node) {
			stacks->uses[readings->as[node]] += stacks->uses[node];
			stacks->waited[readings->as[node]] |= stacks->waited[node];
			stacks->uses[node] = 0;
		}
	for (size_t node = 1; node < readings->count; node++)
		count += stacks->uses[node] != 0;
	return count;
}

static int number_stacks(struct stacks *stacks)
{
	size_t count = gather_uses(stacks);
	_cleanup_free_ struct use *uses = calloc(count + 1, sizeof(*uses));

	stacks->stack_of = calloc(stacks->merge.readings.count + 1, sizeof(*stacks->stack_of));
	stacks->nodes = calloc(count + 1, sizeof(*stacks->nodes));
	if (!uses || !stacks->stack_of || !stacks->nodes)
		return -ENOMEM;
	count = 0;
	for (uint32_t node = 1; node < stacks->merge.readings.count; node++)
		if (stacks->uses[node])
			uses[count++] = (struct use){stacks->uses[node], stacks->place[node], node};
	qsort(uses, count, sizeof(*uses), compare_uses);
	stacks->count = 1;
	for (size_t i = 0; i < count; i++) {
		stacks->stack_of[uses[i].node] = (uint32_t)stacks->count;
		stacks->nodes[stacks->count++] = uses[i].node;
	}
	free(stacks->uses);
	stacks->uses = NULL;
	return 0;
}

/* Writes the tree, and computes the place of each node. */
static int order_nodes(struct stacks *stacks, struct columns *columns)
{
	const struct readings *readings = &stacks->merge.readings;
	_cleanup_free_ uint32_t *function_of = calloc(readings->count + 1, sizeof(*function_of));

	if (!function_of)
		return -ENOMEM;
	for (uint32_t node = 1; node < readings->count; node++)
		if (readings->as[node] == node)
			function_of[node] = stacks->number_of[stacks->merge.function_of[node]];
	stacks->tree_count = preorder_write(readings, function_of, stacks->function_count, stacks->place, columns);
	return stacks->tree_count ? 0 : -ENOMEM;
}

static void write_nodes(const struct stacks *stacks, struct column *column)
{
	int64_t before = 0;

	for (size_t i = 0; i < stacks->count; i++) {
		int64_t place = stacks->place[stacks->nodes[i]];

		column_add_signed(column, place - before);
		before = place;
	}
}

int stacks_init(struct stacks *stacks, const struct waits *waits, const struct view_context *context,
		struct columns *columns)
{
	int r;

	*stacks = (struct stacks){0};
	r = merge_init(&stacks->merge, context->profile, context->base, page_no_frames(context->settings));
	if (r < 0)
		return r;
	stacks->uses = calloc(stacks->merge.readings.count + 1, sizeof(*stacks->uses));
	stacks->waited = calloc(stacks->merge.readings.count + 1, sizeof(*stacks->waited));
	stacks->place = calloc(stacks->merge.readings.count + 1, sizeof(*stacks->place));
	r = stacks->uses && stacks->waited && stacks->place ? use_all(stacks, waits) : -ENOMEM;
	if (!r)
		r = merge_read(&stacks->merge);
	if (!r)
		r = number_functions(stacks);
	if (!r)
		r = order_nodes(stacks, columns);
	if (!r)
		r = number_stacks(stacks);
	if (!r)
		write_nodes(stacks, &columns->items[COLUMN_STACK_NODE]);
	return r;
}

void stacks_deinit(struct stacks *stacks)
{
	merge_deinit(&stacks->merge);
	free(stacks->number_of);
	free(stacks->function);
	free(stacks->uses);
	free(stacks->waited);
	free(stacks->place);
	free(stacks->stack_of);
	free(stacks->nodes);
}
