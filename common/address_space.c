/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/address_space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"

/*
 * Nodes and processes are identified by their number in an array that never moves; 0 is none. Nodes
 * of a treap are ordered by `start`, and parents above children by `priority`. Every holder of a
 * number (a parent node, a process, a local variable below) holds one of its references. A node
 * with one reference, reached through nodes with one reference each, belongs to one space and is
 * changed in place; any other is copied first (own_node()).
 */
struct node {
	struct mapping mapping;
	uint32_t priority, references;
	uint32_t left, right; /* left of a free node: the next free one */
};

struct process {
	uint32_t tgid;
	uint32_t next; /* next in its bucket's chain, or the next free one */
	uint32_t root;
	uint64_t generation;
};

struct address_spaces {
	struct node *nodes;
	struct process *processes;
	uint32_t *buckets;
	uint32_t bucket_mask;
	/*
	 * Numbers below `fresh` were used before; freed ones are in the list that starts at `free`.
	 * Memory beyond was never touched and so costs nothing.
	 */
	uint32_t node_fresh, node_free, node_end, process_fresh, process_free, process_end;
	uint64_t seed[2]; /* of tgid hashes; of priorities */
	uint64_t generation;
	struct address_spaces_usage usage;
};

/*
 * A change copies at most the two search paths to its ends, so this many nodes beyond those in use
 * are enough for it: twice the depth that a treap of 2^32 nodes does not reach in practice.
 */
enum { SPARE_NODES = 256 };

static const size_t NUMBER_MAX = UINT32_MAX / 2; /* so that references cannot overflow either */

/* --- nodes --- */

static uint32_t alloc_node(struct address_spaces *spaces)
{
	uint32_t number = spaces->node_free;

	if (number)
		spaces->node_free = spaces->nodes[number].left;
	else
		number = spaces->node_fresh++;
	spaces->usage.nodes++;
	return number;
}

static uint32_t make_node(struct address_spaces *spaces, const struct mapping *mapping)
{
	uint32_t number = alloc_node(spaces);

	spaces->nodes[number] = (struct node){
		.mapping = *mapping, .priority = (uint32_t)hash_mix(spaces->seed[1]++), .references = 1};
	return number;
}

static void take_node(struct address_spaces *spaces, uint32_t number)
{
	if (number)
		spaces->nodes[number].references++;
}

/* Drops one reference; recursion is as deep as the treap. */
static void drop_node(struct address_spaces *spaces, uint32_t number)
{
	struct node *node = &spaces->nodes[number];

	if (!number || --node->references)
		return;
	spaces->usage.steps++;
	drop_node(spaces, node->left);
	drop_node(spaces, node->right);
	node->left = spaces->node_free;
	spaces->node_free = number;
	spaces->usage.nodes--;
}

/* Replaces a reference to a node by an unshared one with the same content. */
static uint32_t own_node(struct address_spaces *spaces, uint32_t number)
{
	struct node *node = &spaces->nodes[number];
	uint32_t copy;

	spaces->usage.steps++;
	if (node->references == 1)
		return number;
	copy = alloc_node(spaces);
	spaces->nodes[copy] = *node;
	spaces->nodes[copy].references = 1;
	take_node(spaces, node->left);
	take_node(spaces, node->right);
	node->references--;
	return copy;
}

/*
 * Splits a treap, whose reference it takes over, into what starts below `address` and the rest. The
 * inner edge of both parts consists of owned nodes only, so that joining them again copies nothing.
 */
static void split(struct address_spaces *spaces, uint32_t root, uint64_t address, uint32_t *ret_below,
		  uint32_t *ret_rest)
{
	while (root) {
		struct node *node;

		root = own_node(spaces, root);
		node = &spaces->nodes[root];
		if (node->mapping.start < address) {
			*ret_below = root;
			ret_below = &node->right;
			root = node->right;
		} else {
			*ret_rest = root;
			ret_rest = &node->left;
			root = node->left;
		}
	}
	*ret_below = *ret_rest = 0;
}

/* All of `below` is below all of `above`. */
static uint32_t join(struct address_spaces *spaces, uint32_t below, uint32_t above)
{
	uint32_t root, *slot = &root;

	while (below && above) {
		if (spaces->nodes[below].priority > spaces->nodes[above].priority) {
			*slot = below = own_node(spaces, below);
			slot = &spaces->nodes[below].right;
			below = *slot;
		} else {
			*slot = above = own_node(spaces, above);
			slot = &spaces->nodes[above].left;
			above = *slot;
		}
	}
	*slot = below ? below : above;
	return root;
}

static struct node *last_node(struct address_spaces *spaces, uint32_t root)
{
	while (root && spaces->nodes[root].right) {
		spaces->usage.steps++;
		root = spaces->nodes[root].right;
	}
	return root ? &spaces->nodes[root] : NULL;
}

/* The part of a mapping from `address` on. */
static struct mapping mapping_from(const struct mapping *mapping, uint64_t address)
{
	return (struct mapping){
		.start = address,
		.end = mapping->end,
		.file_offset = mapping->file_offset + (address - mapping->start),
		.module = mapping->module,
		.note = mapping->note,
	};
}

static uint32_t insert(struct address_spaces *spaces, uint32_t root, const struct mapping *mapping)
{
	uint32_t below, covered, above, rest = 0;
	struct node *last;

	split(spaces, root, mapping->start, &below, &covered);
	split(spaces, covered, mapping->end, &covered, &above);
	/* Only the last one that starts before the new end can reach beyond it. */
	last = last_node(spaces, covered ? covered : below);
	if (last && last->mapping.end > mapping->end) {
		struct mapping tail = mapping_from(&last->mapping, mapping->end);

		rest = make_node(spaces, &tail);
	}
	last = last_node(spaces, below);
	if (last && last->mapping.end > mapping->start)
		last->mapping.end = mapping->start;
	drop_node(spaces, covered);
	below = join(spaces, below, make_node(spaces, mapping));
	return join(spaces, join(spaces, below, rest), above);
}

/* The number of nodes of the search path to `address` that split() would copy. */
static size_t count_copies(const struct address_spaces *spaces, uint32_t root, uint64_t address)
{
	bool shared = false;
	size_t copies = 0;

	while (root) {
		const struct node *node = &spaces->nodes[root];

		shared |= node->references > 1;
		copies += shared;
		root = node->mapping.start < address ? node->right : node->left;
	}
	return copies;
}

static bool has_room(const struct address_spaces *spaces, uint32_t root, const struct mapping *mapping)
{
	size_t wanted = count_copies(spaces, root, mapping->start) + count_copies(spaces, root, mapping->end) + 2;

	return wanted < spaces->node_end - spaces->usage.nodes;
}

static const struct mapping *find(const struct address_spaces *spaces, uint32_t root, uint64_t address)
{
	const struct mapping *best = NULL;

	while (root) {
		const struct node *node = &spaces->nodes[root];

		if (node->mapping.start <= address) {
			best = &node->mapping;
			root = node->right;
		} else {
			root = node->left;
		}
	}
	return best && address < best->end ? best : NULL;
}

/* --- processes --- */

/* Neighbouring numbers share a cache line: processes that start together are looked up together. */
static uint32_t *bucket_of(const struct address_spaces *spaces, uint32_t tgid)
{
	uint64_t line = hash_mix(spaces->seed[0] ^ tgid >> 4);

	return &spaces->buckets[(line << 4 | (tgid & 15)) & spaces->bucket_mask];
}

static struct process *find_process(const struct address_spaces *spaces, uint32_t tgid)
{
	uint32_t number = *bucket_of(spaces, tgid);

	while (number && spaces->processes[number].tgid != tgid)
		number = spaces->processes[number].next;
	return number ? &spaces->processes[number] : NULL;
}

static int find_or_add_process(struct address_spaces *spaces, uint32_t tgid, struct process **ret_process)
{
	uint32_t *bucket = bucket_of(spaces, tgid), number = spaces->process_free;
	struct process *process = find_process(spaces, tgid);

	if (!process) {
		if (!number && spaces->process_fresh == spaces->process_end)
			return -ENOSPC;
		if (number)
			spaces->process_free = spaces->processes[number].next;
		else
			number = spaces->process_fresh++;
		process = &spaces->processes[number];
		*process = (struct process){.tgid = tgid, .next = *bucket, .generation = ++spaces->generation};
		*bucket = number;
		spaces->usage.processes++;
	}
	*ret_process = process;
	return 0;
}

/* Sets the process's content; takes over the reference to it. */
static void set_content(struct address_spaces *spaces, struct process *process, uint32_t root, uint64_t generation)
{
	drop_node(spaces, process->root);
	process->root = root;
	process->generation = generation;
}

/* --- the interface --- */

int address_spaces_create(size_t max_processes, size_t max_mappings, struct address_spaces **ret_spaces)
{
	struct address_spaces *spaces;
	size_t buckets = 16;
	int r;

	if (max_processes > NUMBER_MAX || max_mappings > NUMBER_MAX)
		return -EINVAL;
	while (buckets < max_processes)
		buckets *= 2;
	spaces = calloc(1, sizeof(*spaces));
	if (!spaces)
		return -ENOMEM;
	spaces->node_fresh = spaces->process_fresh = 1;
	spaces->node_end = (uint32_t)max_mappings + SPARE_NODES;
	spaces->process_end = (uint32_t)max_processes + 1;
	spaces->bucket_mask = (uint32_t)(buckets - 1);
	spaces->nodes = calloc(spaces->node_end, sizeof(*spaces->nodes));
	spaces->processes = calloc(spaces->process_end, sizeof(*spaces->processes));
	spaces->buckets = calloc(buckets, sizeof(*spaces->buckets));
	r = -ENOMEM;
	if (spaces->nodes && spaces->processes && spaces->buckets)
		r = random_bytes(spaces->seed, sizeof(spaces->seed));
	if (r < 0) {
		address_spaces_destroy(spaces);
		return r;
	}
	*ret_spaces = spaces;
	return 0;
}

size_t address_spaces_memory(size_t max_processes, size_t max_mappings)
{
	/* there are at most twice as many buckets as processes */
	return max_mappings * sizeof(struct node) + max_processes * (sizeof(struct process) + 2 * sizeof(uint32_t));
}

void address_spaces_destroy(struct address_spaces *spaces)
{
	if (!spaces)
		return;
	free(spaces->nodes);
	free(spaces->processes);
	free(spaces->buckets);
	free(spaces);
}

int address_spaces_map(struct address_spaces *spaces, uint32_t tgid, const struct mapping *mapping)
{
	struct process *process = find_process(spaces, tgid);
	uint32_t root = process ? process->root : 0;
	const struct mapping *present = find(spaces, root, mapping->start);
	int r;

	if (mapping->start >= mapping->end)
		return -EINVAL;
	if (present && present->start == mapping->start && present->end == mapping->end &&
	    present->file_offset == mapping->file_offset && present->module == mapping->module &&
	    present->note >= mapping->note)
		return 0; /* traces repeat known facts */
	if (!has_room(spaces, root, mapping))
		return -ENOSPC;
	r = find_or_add_process(spaces, tgid, &process);
	if (r < 0)
		return r;
	process->root = insert(spaces, root, mapping);
	process->generation = ++spaces->generation;
	return 0;
}

int address_spaces_fork(struct address_spaces *spaces, uint32_t parent_tgid, uint32_t child_tgid)
{
	const struct process *parent;
	struct process *child;
	int r;

	if (parent_tgid == child_tgid)
		return 0;
	r = find_or_add_process(spaces, child_tgid, &child);
	if (r < 0)
		return r;
	parent = find_process(spaces, parent_tgid);
	if (!parent) {
		set_content(spaces, child, 0, ++spaces->generation);
		return 0;
	}
	take_node(spaces, parent->root);
	set_content(spaces, child, parent->root, parent->generation);
	return 0;
}

int address_spaces_exec(struct address_spaces *spaces, uint32_t tgid)
{
	struct process *process;
	int r = find_or_add_process(spaces, tgid, &process);

	if (r < 0)
		return r;
	set_content(spaces, process, 0, ++spaces->generation);
	return 0;
}

void address_spaces_exit(struct address_spaces *spaces, uint32_t tgid)
{
	uint32_t *link = bucket_of(spaces, tgid), number;

	while (*link && spaces->processes[*link].tgid != tgid)
		link = &spaces->processes[*link].next;
	number = *link;
	if (!number)
		return;
	drop_node(spaces, spaces->processes[number].root);
	*link = spaces->processes[number].next;
	spaces->processes[number].next = spaces->process_free;
	spaces->process_free = number;
	spaces->usage.processes--;
}

bool address_spaces_find(const struct address_spaces *spaces, uint32_t tgid, uint64_t address,
			 struct mapping *ret_mapping)
{
	const struct process *process = find_process(spaces, tgid);
	const struct mapping *mapping = process ? find(spaces, process->root, address) : NULL;

	if (mapping)
		*ret_mapping = *mapping;
	return mapping;
}

uint64_t address_spaces_generation(const struct address_spaces *spaces, uint32_t tgid)
{
	const struct process *process = find_process(spaces, tgid);

	return process ? process->generation : 0;
}

struct visiting {
	const struct address_spaces *spaces;
	address_spaces_visit *visit;
	void *context;
	uint32_t tgid;
};

static int visit_nodes(const struct visiting *visiting, uint32_t number)
{
	const struct node *node = &visiting->spaces->nodes[number];
	int r = number ? visit_nodes(visiting, node->left) : 0;

	if (!number || r)
		return r;
	r = visiting->visit(visiting->context, visiting->tgid, &node->mapping);
	return r ? r : visit_nodes(visiting, node->right);
}

int address_spaces_each(const struct address_spaces *spaces, address_spaces_visit *visit, void *context)
{
	struct visiting visiting = {.spaces = spaces, .visit = visit, .context = context};
	int r = 0;

	for (uint32_t bucket = 0; bucket <= spaces->bucket_mask && !r; bucket++)
		for (uint32_t number = spaces->buckets[bucket]; number && !r;
		     number = spaces->processes[number].next) {
			visiting.tgid = spaces->processes[number].tgid;
			r = visit_nodes(&visiting, spaces->processes[number].root);
		}
	return r;
}

int address_spaces_keep(struct address_spaces *spaces, struct kept_process *kept, size_t room)
{
	int count = 0;

	if (spaces->usage.processes > room)
		return -ENOSPC;
	for (uint32_t bucket = 0; bucket <= spaces->bucket_mask; bucket++)
		for (uint32_t number = spaces->buckets[bucket]; number; number = spaces->processes[number].next) {
			const struct process *process = &spaces->processes[number];

			take_node(spaces, process->root);
			kept[count++] = (struct kept_process){process->tgid, process->root};
		}
	return count;
}

void address_spaces_drop(struct address_spaces *spaces, const struct kept_process *kept, size_t count)
{
	for (size_t i = 0; i < count; i++)
		drop_node(spaces, kept[i].root);
}

int address_spaces_each_kept(const struct address_spaces *spaces, const struct kept_process *kept, size_t count,
			     address_spaces_visit *visit, void *context)
{
	struct visiting visiting = {.spaces = spaces, .visit = visit, .context = context};
	int r = 0;

	for (size_t i = 0; i < count && !r; i++) {
		visiting.tgid = kept[i].tgid;
		r = visit_nodes(&visiting, kept[i].root);
	}
	return r;
}

void address_spaces_usage(const struct address_spaces *spaces, struct address_spaces_usage *ret_usage)
{
	*ret_usage = spaces->usage;
	ret_usage->most_nodes = spaces->node_end;
}
