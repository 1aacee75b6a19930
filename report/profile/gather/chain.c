/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/gather/chain.h"

#include "report/profile/gather/chain_overhead.h"
#include "report/profile/gather/chain_top.h"
#include "report/profile/gather/chain_unwind.h"
#include "report/profile/tables/profile_intern.h"

/* The number of a section's module in the profile; 0 if the section does not know it. */
static int module_number(const struct chain_context *context, uint32_t id, uint32_t tgid,
			 uint32_t *ret_number)
{
	const struct trace_module *module = trace_model_module(context->model, id);
	struct modules *modules = &context->profile->modules;
	uint32_t *known;
	int r;

	if (!module) {
		*ret_number = 0;
		return 0;
	}
	if (module->kind == MODULE_ANONYMOUS && tgid && trace_model_perf_map(context->model, tgid))
		return modules_add_jit(modules, &context->place, context->model, module, tgid, ret_number);
	known = &context->modules[module - context->model->modules.items];
	if (*known == NO_NUMBER) {
		r = modules_add(modules, &context->place, context->model, module, known);
		if (r < 0)
			return r;
	}
	*ret_number = *known;
	return 0;
}

int chain_section_module(const struct chain_context *context, uint32_t id, uint32_t *ret_number)
{
	return module_number(context, id, 0, ret_number);
}

/* --- user stacks --- */

int chain_mapped_frame(const struct chain_context *context, uint32_t process, const struct mapping *mapping,
		       struct profile_frame *frame)
{
	uint64_t file_offset = mapping->file_offset + (frame->address - mapping->start);
	uint32_t tgid = context->model->timeline.processes.items[process].tgid;
	struct modules *modules = &context->profile->modules;
	const struct module *module;
	int r = module_number(context, mapping->module, tgid, &frame->module);

	if (r < 0)
		return r;
	if (mapping->note)
		context->copied[mapping->note - 1].referred = true;
	module = modules->items.items[frame->module];
	if (module->kind == MODULE_FILE || module->kind == MODULE_VDSO)
		frame->address = modules_address(modules, frame->module, file_offset);
	return 0;
}

int chain_user_frame(const struct chain_context *context, uint32_t process, uint64_t address, bool caller,
		     struct profile_frame *ret_frame)
{
	struct mapping mapping;

	*ret_frame = (struct profile_frame){.address = address, .run_time_address = address,
					    .caller = caller};
	if (!timeline_find(&context->model->timeline, process, address, &mapping))
		return 0;
	return chain_mapped_frame(context, process, &mapping, ret_frame);
}

int chain_leaf_frame(const struct chain_context *context, uint32_t process, uint64_t address,
		     struct profile_frame *ret_frame)
{
	struct mapping mapping;
	int r = chain_user_frame(context, process, address, false, ret_frame);

	if (!r && !ret_frame->module &&
	    timeline_find_before_exec(&context->model->timeline, process, address, &mapping))
		r = chain_mapped_frame(context, process, &mapping, ret_frame);
	return r;
}

/* The process whose stack is read, and the state of its address space. */
struct user_walk {
	uint32_t process;
	uint64_t space;
	bool known; /* there are mappings to judge addresses by */
};

static int add_user_frame(const struct chain_context *context, uint32_t parent,
			  const struct profile_frame *frame, uint32_t *ret_node)
{
	uint32_t number;
	int r = profile_intern_frame(context->profile, frame, &number);

	return r < 0 ? r : profile_intern_node(context->profile, parent, number, ret_node);
}

static const struct cached_user *cached_of(const struct chain_context *context, uint32_t node)
{
	return node < STACK_FIRST_NODE ? NULL : &context->cache->user[node];
}

/* The cache of a node's parent; NULL directly below the root. */
static const struct cached_user *cached_above(const struct chain_context *context, uint32_t node)
{
	return cached_of(context, context->nodes[node].parent);
}

/*
 * In code without frame pointers, what follows the last true frame is garbage: addresses in no
 * mapping. Seen from the root, such frames are left out up to the first better one.
 */
static bool is_rubbish(const struct user_walk *walk, const struct cached_user *cached, uint32_t above,
		       const struct profile_frame *frame)
{
	return !frame->module && above == 0 && !cached->verdict.unwound && walk->known;
}

static int fill_mark(const struct chain_context *context, enum stack_mark mark, uint32_t above,
		     struct cached_user *cached)
{
	enum profile_note note = chain_read_mark(mark, &cached->verdict);

	cached->caller_node = above;
	cached->exact = mark == MARK_EXACT;
	return chain_add_note(context->profile, note, &cached->caller_node);
}

static int fill_user(const struct chain_context *context, const struct user_walk *walk, uint32_t node)
{
	uint64_t address = context->nodes[node].address;
	enum stack_mark mark = stack_mark_of(address);
	struct cached_user *cached = &context->cache->user[node];
	const struct cached_user *parent = cached_above(context, node);
	uint32_t above = parent ? parent->caller_node : 0;
	struct profile_frame frame;
	int r;

	cached->trimmed = parent && parent->trimmed;
	cached->verdict = parent ? parent->verdict : (struct chain_verdict){0};
	cached->exact = false;
	if (mark) {
		r = fill_mark(context, mark, above, cached);
	} else {
		r = chain_user_frame(context, walk->process, address, !parent || !parent->exact, &frame);
		if (!r && is_rubbish(walk, cached, above, &frame)) {
			cached->caller_node = 0;
			cached->trimmed = true;
		} else if (!r) {
			r = add_user_frame(context, above, &frame, &cached->caller_node);
		}
	}
	cached->space = r < 0 ? 0 : walk->space;
	return r;
}

/* Makes the cache for the path to `node` valid for this space. */
static int fill_user_path(const struct chain_context *context, const struct user_walk *walk, uint32_t node)
{
	uint32_t path[RWK_MAX_PATH + 1];
	size_t count = 0;

	while (node >= STACK_FIRST_NODE && context->cache->user[node].space != walk->space &&
	       count <= RWK_MAX_PATH) {
		path[count++] = node;
		node = context->nodes[node].parent;
	}
	while (count) {
		int r = fill_user(context, walk, path[--count]);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Whether only marks are above the leaf. */
static bool is_alone(const struct chain_context *context, uint32_t leaf)
{
	uint32_t node = context->nodes[leaf].parent;

	while (node >= STACK_FIRST_NODE && stack_mark_of(context->nodes[node].address))
		node = context->nodes[node].parent;
	return node < STACK_FIRST_NODE;
}

static int add_user_leaf(const struct chain_context *context, const struct user_walk *walk,
			 uint32_t leaf, uint32_t above, uint32_t *ret_node)
{
	uint64_t address = context->nodes[leaf].address;
	struct profile_frame frame;
	int r = is_alone(context, leaf) ? chain_leaf_frame(context, walk->process, address, &frame) :
					  chain_user_frame(context, walk->process, address, false, &frame);

	return r < 0 ? r : add_user_frame(context, above, &frame, ret_node);
}

/* Puts the callers that have no frame record on top of those that have one. */
static int add_callers(const struct chain_context *context, const struct user_walk *walk,
		       const struct unwind_callers *callers, uint32_t *above)
{
	int r = 0;

	if (callers->joined == UNWIND_JOINED_NEVER)
		*above = 0;
	if (callers->joined != UNWIND_JOINED)
		r = chain_add_note(context->profile, NOTE_CALLER_UNKNOWN, above);
	for (size_t i = callers->count; i-- > 0 && !r;) {
		struct profile_frame frame;

		r = chain_user_frame(context, walk->process, callers->addresses[i], true, &frame);
		if (!r)
			r = add_user_frame(context, *above, &frame, above);
	}
	return r;
}

/* The path above the leaf is already filled. A mark should not be a leaf, but in a trace it may be. */
static int fill_user_leaf(const struct chain_context *context, const struct user_walk *walk, uint32_t leaf)
{
	struct cached_user *cached = &context->cache->user[leaf];
	struct unwind_callers callers = {.joined = UNWIND_JOINED};
	struct unwind_top top;
	uint32_t rest = chain_top_read(context, leaf, &top), above;
	const struct cached_user *parent = cached_of(context, rest);
	int r = 0;

	above = parent ? parent->caller_node : 0;
	if (rest != context->nodes[leaf].parent)
		r = profile_unwinding_callers(context, walk->process, context->nodes[leaf].address, &top, &callers);
	cached->caller_unknown = callers.joined != UNWIND_JOINED;
	if (!r)
		r = add_callers(context, walk, &callers, &above);
	if (r < 0)
		return r;
	if (stack_mark_of(context->nodes[leaf].address))
		cached->leaf_node = above;
	else
		r = add_user_leaf(context, walk, leaf, above, &cached->leaf_node);
	cached->leaf_space = r < 0 ? 0 : walk->space;
	return r;
}

uint64_t chain_name_space(const struct chain_context *context, uint32_t process, uint64_t generation)
{
	uint64_t space = generation + 1;

	return context->model->perf_maps.count ? space ^ ((uint64_t)process + 1) << 40 : space;
}

int chain_user(const struct chain_context *context, uint32_t process, uint32_t leaf,
	       struct user_chain *ret_chain)
{
	uint64_t generation = timeline_touch(context->timeline, process); /* notes there that the process is alive */
	struct user_walk walk = {.process = process,
				 .space = chain_name_space(context, process, generation),
				 .known = generation};
	uint32_t rest = chain_top_read(context, leaf, NULL);
	const struct cached_user *cached = &context->cache->user[leaf], *parent = cached_of(context, rest);
	int r = fill_user_path(context, &walk, rest);

	if (!r && cached->leaf_space != walk.space)
		r = fill_user_leaf(context, &walk, leaf);
	if (r < 0)
		return r;
	*ret_chain = (struct user_chain){
		.node = cached->leaf_node,
		.trimmed = parent && parent->trimmed,
		.known = walk.known,
		.verdict = parent ? parent->verdict : (struct chain_verdict){0},
	};
	ret_chain->verdict.caller_unknown |= cached->caller_unknown;
	return 0;
}

/* --- kernel stacks --- */

static int make_kernel_frame(const struct chain_context *context, uint32_t node, bool caller,
			     struct profile_frame *ret_frame)
{
	uint64_t address = context->nodes[node].address;
	const struct trace_module *module = trace_model_module(context->model, (uint32_t)(address >> 32));

	*ret_frame = (struct profile_frame){.address = (uint32_t)address, .kernel = true, .caller = caller};
	if (module && module->base)
		ret_frame->run_time_address = module->base + ret_frame->address;
	return module_number(context, (uint32_t)(address >> 32), 0, &ret_frame->module);
}

static int kernel_frame(const struct chain_context *context, uint32_t node, bool caller, uint32_t *ret_frame)
{
	struct cached_kernel *cached = &context->cache->kernel[node];
	uint32_t *known = caller ? &cached->caller_frame : &cached->leaf_frame;
	struct profile_frame frame;
	int r = 0;

	if (*known == NO_NUMBER) {
		r = make_kernel_frame(context, node, caller, &frame);
		if (!r)
			r = profile_intern_frame(context->profile, &frame, known);
	}
	*ret_frame = *known;
	return r;
}

/* The frame of a node below `callee`: as a caller, unless the function was interrupted at its first byte. */
static int kernel_caller(const struct chain_context *context, uint32_t node, uint32_t callee, uint32_t *ret_frame)
{
	uint32_t *begins = &context->cache->kernel[node].begins;
	bool interrupted = false;
	struct profile_frame frame;
	int r = 0;

	if (*begins == NO_NUMBER) {
		r = make_kernel_frame(context, node, true, &frame);
		*begins = !r && chain_begins_function(context->profile, &frame);
	}
	if (!r && *begins) {
		r = make_kernel_frame(context, callee, true, &frame);
		interrupted = !r && chain_is_interruption(context->profile, &frame);
	}
	return r < 0 ? r : kernel_frame(context, node, !interrupted, ret_frame);
}

/*
 * The number of frames at the leaf that belong to the recorder. A CPU sample may have hit another
 * BPF program: then only the frames that lead to the stack walker count.
 */
static int count_overhead(const struct chain_context *context, uint32_t leaf, uint32_t *ret_count)
{
	enum { OVERHEAD_MAX = 16 };
	bool walk = context->strip_entry;
	uint32_t run = 0, frame;

	*ret_count = 0;
	for (uint32_t node = leaf; node >= STACK_FIRST_NODE && run < OVERHEAD_MAX;
	     node = context->nodes[node].parent) {
		int r = kernel_frame(context, node, node != leaf, &frame);
		enum overhead overhead = r < 0 ? OVERHEAD_NONE : chain_judge_frame(context->profile, frame);

		if (r < 0)
			return r;
		if (overhead == OVERHEAD_NONE || (overhead == OVERHEAD_PLUMBING && !context->strip_entry) ||
		    (context->traced && chain_is_traced(context->profile, frame, context->traced)))
			break;
		walk |= overhead == OVERHEAD_WALK;
		run++;
	}
	*ret_count = walk ? run : 0;
	return 0;
}

/* Kinds of lookups of a base and a chunk's node. A chunk has fewer than 2^30 nodes. */
enum pair_kind { PAIR_CHAIN, PAIR_CHAIN_STRIPPED, PAIR_PATH };

static uint64_t pair_key(uint32_t base, enum pair_kind kind, uint32_t node)
{
	return (uint64_t)base << 32 | (uint64_t)kind << 30 | node;
}

struct wanted_pair {
	const struct cached_pair *pairs;
	uint64_t key;
};

static bool same_pair(const void *context, uint32_t number)
{
	const struct wanted_pair *wanted = context;

	return wanted->pairs[number].key == wanted->key;
}

static const struct cached_pair *find_pair(const struct chain_cache *cache, uint64_t key)
{
	struct wanted_pair wanted = {.pairs = cache->pairs.items, .key = key};
	const struct index_slot *slot =
		index_table_lookup(&cache->pair_table, index_table_hash(&cache->pair_table, key, 0),
				   same_pair, &wanted);

	return slot ? &cache->pairs.items[slot->number - 1] : NULL;
}

/* The pair must not be there yet. */
static int keep_pair(struct chain_cache *cache, const struct cached_pair *cached)
{
	struct wanted_pair wanted = {.pairs = cache->pairs.items, .key = cached->key};
	uint32_t hash = index_table_hash(&cache->pair_table, cached->key, 0);
	struct index_slot *slot = index_table_find(&cache->pair_table, hash, same_pair, &wanted);

	if (!slot || array_push(&cache->pairs, *cached) < 0)
		return -ENOMEM;
	index_table_set(&cache->pair_table, slot, hash, (uint32_t)(cache->pairs.count - 1));
	return 0;
}

/*
 * The path to the parent of a chunk's node, on top of a base, with all frames as callers. Leaves
 * differ more than their callers, so the path is cached. Every few steps on the way are cached too,
 * to bound the work for long paths.
 */
static int kernel_path(const struct chain_context *context, uint32_t base, uint32_t callee, uint32_t *ret_node)
{
	enum { KEPT_EVERY = 32 };
	uint32_t path[RWK_MAX_FRAMES + 1], frame, node = context->nodes[callee].parent, at = base;
	size_t count = 0;

	for (; node >= STACK_FIRST_NODE && count <= RWK_MAX_FRAMES; node = context->nodes[node].parent) {
		const struct cached_pair *known = find_pair(context->cache, pair_key(base, PAIR_PATH, node));

		if (known) {
			at = known->node;
			break;
		}
		path[count++] = node;
	}
	while (count--) {
		int r = kernel_caller(context, path[count], count ? path[count - 1] : callee, &frame);

		if (!r)
			r = profile_intern_node(context->profile, at, frame, &at);
		if (!r && (!count || context->nodes[path[count]].depth % KEPT_EVERY == 0))
			r = keep_pair(context->cache,
				      &(struct cached_pair){.key = pair_key(base, PAIR_PATH,
									    path[count]),
							    .node = at});
		if (r < 0)
			return r;
	}
	*ret_node = at;
	return 0;
}

static int make_kernel_chain(const struct chain_context *context, uint32_t base, uint32_t leaf,
			     struct cached_pair *cached)
{
	uint32_t strip, frame;
	int r = count_overhead(context, leaf, &strip);

	if (r < 0)
		return r;
	cached->stripped = strip;
	if (strip) {
		for (; strip > 1; strip--)
			leaf = context->nodes[leaf].parent;
		return kernel_path(context, base, leaf, &cached->node);
	}
	r = kernel_path(context, base, leaf, &cached->node);
	if (!r)
		r = kernel_frame(context, leaf, false, &frame);
	return r < 0 ? r : profile_intern_node(context->profile, cached->node, frame, &cached->node);
}

int chain_kernel(const struct chain_context *context, uint32_t base, uint32_t leaf, uint32_t *ret_node,
		 bool *ret_stripped)
{
	enum pair_kind kind = context->strip_entry ? PAIR_CHAIN_STRIPPED : PAIR_CHAIN;
	const struct cached_pair *known = find_pair(context->cache, pair_key(base, kind, leaf));
	struct cached_pair cached = {.key = pair_key(base, kind, leaf)};
	int r = 0;

	if (known) {
		cached = *known;
	} else {
		r = make_kernel_chain(context, base, leaf, &cached);
		if (!r)
			r = keep_pair(context->cache, &cached);
	}
	*ret_node = cached.node;
	*ret_stripped = cached.stripped;
	return r;
}
