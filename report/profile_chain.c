/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile_chain.h"

#include <string.h>

int chain_cache_init(struct chain_cache *cache)
{
	*cache = (struct chain_cache){0};
	return index_table_init(&cache->pair_table);
}

void chain_cache_deinit(struct chain_cache *cache)
{
	free(cache->user);
	free(cache->kernel);
	array_free(&cache->pairs);
	index_table_deinit(&cache->pair_table);
}

int chain_cache_reset(struct chain_cache *cache, size_t nodes)
{
	if (array_reserve_raw((void **)&cache->user, &cache->user_room, nodes, sizeof(*cache->user)) < 0 ||
	    array_reserve_raw((void **)&cache->kernel, &cache->kernel_room, nodes, sizeof(*cache->kernel)) < 0)
		return -ENOMEM;
	memset(cache->user, 0, nodes * sizeof(*cache->user));
	memset(cache->kernel, 0xff, nodes * sizeof(*cache->kernel)); /* NO_NUMBER */
	cache->pairs.count = 0;
	index_table_clear(&cache->pair_table);
	return 0;
}

/* The number of a section's module in the profile; 0 where the section does not know it. */
static int module_number(const struct chain_context *context, uint32_t id, uint32_t tgid, uint32_t *ret_number)
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
		return modules_add_jit(modules, context->model, module, context->host, tgid, ret_number);
	known = &context->modules[module - context->model->modules.items];
	if (*known == NO_NUMBER) {
		r = modules_add(modules, context->model, module, context->host, known);
		if (r < 0)
			return r;
	}
	*ret_number = *known;
	return 0;
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
	module = modules->items.items[frame->module];
	if (module->kind == MODULE_FILE || module->kind == MODULE_VDSO)
		frame->address = modules_address(modules, frame->module, file_offset);
	return 0;
}

int chain_user_frame(const struct chain_context *context, uint32_t process, uint64_t address, bool caller,
		     struct profile_frame *ret_frame)
{
	struct mapping mapping;

	*ret_frame = (struct profile_frame){.address = address, .run_time_address = address, .caller = caller};
	if (!timeline_find(&context->model->timeline, process, address, &mapping))
		return 0;
	return chain_mapped_frame(context, process, &mapping, ret_frame);
}

/* Whose stack is walked, and in which state of its address space. */
struct user_walk {
	uint32_t process;
	uint64_t space;
	bool known; /* there are mappings to judge addresses by */
};

static int add_user_frame(const struct chain_context *context, uint32_t parent, const struct profile_frame *frame,
			  uint32_t *ret_node)
{
	uint32_t number;
	int r = profile_intern_frame(context->profile, frame, &number);

	return r < 0 ? r : profile_intern_node(context->profile, parent, number, ret_node);
}

/* The place above a node, NULL below the root. */
static const struct user_place *place_above(const struct chain_context *context, uint32_t node)
{
	uint32_t parent = context->nodes[node].parent;

	return parent < STACK_FIRST_NODE ? NULL : &context->cache->user[parent];
}

/*
 * What a walk by frame pointers finds behind the last true frame, in code that has none, is rubbish: addresses in no mapping.
 * They are left out as long as nothing better stood before them (seen from the root).
 */
static bool is_rubbish(const struct chain_context *context, const struct user_walk *walk, const struct user_place *place,
		       uint32_t above, const struct profile_frame *frame)
{
	return !frame->module && above == 0 && !place->verdict.unwound && walk->known &&
	       !context->profile->filter->raw_frames;
}

static int fill_mark(const struct chain_context *context, enum stack_mark mark, uint32_t above, struct user_place *place)
{
	enum profile_note note = chain_read_mark(mark, &place->verdict);

	place->caller_node = above;
	place->exact = mark == MARK_EXACT;
	return chain_add_note(context->profile, note, &place->caller_node);
}

static int fill_user_place(const struct chain_context *context, const struct user_walk *walk, uint32_t node)
{
	uint64_t address = context->nodes[node].address;
	enum stack_mark mark = stack_mark_of(address);
	struct user_place *place = &context->cache->user[node];
	const struct user_place *parent = place_above(context, node);
	uint32_t above = parent ? parent->caller_node : 0;
	struct profile_frame frame;
	int r;

	place->trimmed = parent && parent->trimmed;
	place->verdict = parent ? parent->verdict : (struct chain_verdict){0};
	place->exact = false;
	if (mark) {
		r = fill_mark(context, mark, above, place);
	} else {
		r = chain_user_frame(context, walk->process, address, !parent || !parent->exact, &frame);
		if (r == 0 && is_rubbish(context, walk, place, above, &frame)) {
			place->caller_node = 0;
			place->trimmed = true;
		} else if (r == 0) {
			r = add_user_frame(context, above, &frame, &place->caller_node);
		}
	}
	place->space = r < 0 ? 0 : walk->space;
	return r;
}

/* Makes the places on the path to `node` hold for this space. */
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
		int r = fill_user_place(context, walk, path[--count]);

		if (r < 0)
			return r;
	}
	return 0;
}

static int add_user_leaf(const struct chain_context *context, const struct user_walk *walk, uint32_t leaf, uint32_t above,
			 uint32_t *ret_node)
{
	struct profile_frame frame;
	struct mapping mapping;
	int r = chain_user_frame(context, walk->process, context->nodes[leaf].address, false, &frame);

	/* Of a task in execve only the call is left of the user stack, and that is in the program it came from. */
	if (r == 0 && !frame.module && !place_above(context, leaf) &&
	    timeline_find_before_exec(&context->model->timeline, walk->process, frame.address, &mapping))
		r = chain_mapped_frame(context, walk->process, &mapping, &frame);
	return r < 0 ? r : add_user_frame(context, above, &frame, ret_node);
}

/* The path above the leaf is filled. A mark is no leaf, but nothing keeps a trace from having it there. */
static int fill_user_leaf(const struct chain_context *context, const struct user_walk *walk, uint32_t leaf)
{
	struct user_place *place = &context->cache->user[leaf];
	const struct user_place *parent = place_above(context, leaf);
	uint32_t above = parent ? parent->caller_node : 0;
	int r = 0;

	if (stack_mark_of(context->nodes[leaf].address))
		place->leaf_node = above;
	else
		r = add_user_leaf(context, walk, leaf, above, &place->leaf_node);
	place->leaf_space = r < 0 ? 0 : walk->space;
	return r;
}

uint64_t chain_name_space(const struct chain_context *context, uint32_t process, uint64_t generation)
{
	uint64_t space = generation + 1;

	return context->model->perf_maps.count ? space ^ ((uint64_t)process + 1) << 40 : space;
}

int chain_user(const struct chain_context *context, uint32_t process, uint32_t leaf, struct user_chain *ret_chain)
{
	/* The timeline is the model's, but "this process is alive" is noted in it. */
	uint64_t generation = timeline_touch((struct timeline *)&context->model->timeline, process);
	struct user_walk walk = {
		.process = process, .space = chain_name_space(context, process, generation), .known = generation};
	const struct user_place *place = &context->cache->user[leaf], *parent = place_above(context, leaf);
	int r = fill_user_path(context, &walk, context->nodes[leaf].parent);

	if (r == 0 && place->leaf_space != walk.space)
		r = fill_user_leaf(context, &walk, leaf);
	if (r < 0)
		return r;
	*ret_chain = (struct user_chain){
		.node = place->leaf_node,
		.trimmed = parent && parent->trimmed,
		.known = walk.known,
		.verdict = parent ? parent->verdict : (struct chain_verdict){0},
	};
	return 0;
}

/* --- kernel stacks --- */

static int kernel_frame(const struct chain_context *context, uint32_t node, bool caller, uint32_t *ret_frame)
{
	struct kernel_place *place = &context->cache->kernel[node];
	uint32_t *known = caller ? &place->caller_frame : &place->leaf_frame;
	uint64_t address = context->nodes[node].address;
	struct profile_frame frame = {.address = (uint32_t)address, .kernel = true, .caller = caller};
	const struct trace_module *module = trace_model_module(context->model, (uint32_t)(address >> 32));
	int r = 0;

	if (*known == NO_NUMBER) {
		r = module_number(context, (uint32_t)(address >> 32), 0, &frame.module);
		if (module && module->base)
			frame.run_time_address = module->base + frame.address;
		if (r == 0)
			r = profile_intern_frame(context->profile, &frame, known);
	}
	*ret_frame = *known;
	return r;
}

/* "bpf_prog_" and the program's tag, which the kernel's own bpf_prog_load() and the like do not have. */
static bool is_program(const char *name)
{
	static const char prefix[] = "bpf_prog_";
	enum { TAG_DIGITS = 16 };

	return !strncmp(name, prefix, sizeof(prefix) - 1) &&
	       strspn(name + sizeof(prefix) - 1, "0123456789abcdef") >= TAG_DIGITS;
}

/*
 * How a stack gets into a BPF program and from there to the stack walker. Seen at the leaf, that is how the
 * recording was made and not what the task was doing.
 */
static enum overhead judge_name(const char *name)
{
	static const struct {
		const char *prefix;
		enum overhead overhead;
	} prefixes[] = {
		{"__bpf_get_stack", OVERHEAD_WALK},
		{"bpf_get_stack", OVERHEAD_WALK},
		{"__bpf_get_task_stack", OVERHEAD_WALK},
		{"bpf_get_task_stack", OVERHEAD_WALK},
		/* fentry and raw tracepoints */
		{"bpf_trampoline_", OVERHEAD_ENTRY},
		{"bpf_trace_run", OVERHEAD_ENTRY},
		{"__bpf_trace_", OVERHEAD_ENTRY},
		{"bpf_dispatcher_", OVERHEAD_PLUMBING},
		{"__traceiter_", OVERHEAD_PLUMBING},
		{"__do_trace_", OVERHEAD_PLUMBING},
		/* trace events, of system calls too */
		{"trace_call_bpf", OVERHEAD_PLUMBING},
		{"perf_trace_", OVERHEAD_PLUMBING},
		{"perf_call_bpf_", OVERHEAD_PLUMBING},
		{"perf_syscall_", OVERHEAD_PLUMBING},
		/* kprobes: by breakpoint, jump or ftrace */
		{"kprobe_", OVERHEAD_PLUMBING},
		{"aggr_pre_handler", OVERHEAD_PLUMBING},
		{"opt_pre_handler", OVERHEAD_PLUMBING},
		{"optimized_callback", OVERHEAD_PLUMBING},
		{"optprobe_", OVERHEAD_PLUMBING},
		{"do_int3", OVERHEAD_PLUMBING},
		{"exc_int3", OVERHEAD_PLUMBING},
		{"asm_exc_int3", OVERHEAD_PLUMBING},
		{"ftrace_", OVERHEAD_PLUMBING},
		{"arch_ftrace_", OVERHEAD_PLUMBING},
		{"__ftrace_", OVERHEAD_PLUMBING},
		{"function_graph_enter", OVERHEAD_PLUMBING},
		{"fprobe_", OVERHEAD_PLUMBING},
		{"__fprobe_", OVERHEAD_PLUMBING},
		{"rethook_", OVERHEAD_PLUMBING},
		{"arch_rethook_", OVERHEAD_PLUMBING},
	};

	if (is_program(name))
		return OVERHEAD_ENTRY;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i].prefix, strlen(prefixes[i].prefix)))
			return prefixes[i].overhead;
	return OVERHEAD_NONE;
}

static enum overhead judge_frame(struct profile *profile, uint32_t number)
{
	const struct profile_frame *frame = &profile->frames.items[number];
	struct module_symbol symbol;

	if (profile->overhead.items[number] != OVERHEAD_UNKNOWN)
		return profile->overhead.items[number];
	profile->overhead.items[number] = OVERHEAD_NONE;
	if (profile->modules.items.items[frame->module]->kind == MODULE_BPF)
		profile->overhead.items[number] = OVERHEAD_ENTRY;
	else if (modules_find_symbol(&profile->modules, frame->module, frame->address, frame->caller, &symbol) > 0)
		profile->overhead.items[number] = judge_name(symbol_index_name(symbol.index, symbol.symbol));
	return profile->overhead.items[number];
}

/* "tcp_sendmsg" is the name of "tcp_sendmsg.isra.0", too, and may stand behind that of a module. */
static bool is_traced(struct profile *profile, uint32_t number, const char *traced)
{
	const struct profile_frame *frame = &profile->frames.items[number];
	const char *colon = strrchr(traced, ':'), *name;
	struct module_symbol symbol;
	size_t length;

	traced = colon ? colon + 1 : traced;
	length = strlen(traced);
	if (modules_find_symbol(&profile->modules, frame->module, frame->address, frame->caller, &symbol) <= 0)
		return false;
	name = symbol_index_name(symbol.index, symbol.symbol);
	return !strncmp(name, traced, length) && (!name[length] || name[length] == '.');
}

/*
 * How many frames, leaf first, are the recorder's own. A CPU sample may well have hit somebody's BPF program: there only
 * what leads to the stack walker counts.
 */
static int count_overhead(const struct chain_context *context, uint32_t leaf, uint32_t *ret_count)
{
	enum { OVERHEAD_MAX = 16 };
	bool walk = context->strip_entry;
	uint32_t run = 0, frame;

	*ret_count = 0;
	if (context->profile->filter->raw_frames)
		return 0;
	for (uint32_t node = leaf; node >= STACK_FIRST_NODE && run < OVERHEAD_MAX; node = context->nodes[node].parent) {
		int r = kernel_frame(context, node, node != leaf, &frame);
		enum overhead overhead = r < 0 ? OVERHEAD_NONE : judge_frame(context->profile, frame);

		if (r < 0)
			return r;
		if (overhead == OVERHEAD_NONE || (overhead == OVERHEAD_PLUMBING && !context->strip_entry) ||
		    (context->traced && is_traced(context->profile, frame, context->traced)))
			break;
		walk |= overhead == OVERHEAD_WALK;
		run++;
	}
	*ret_count = walk ? run : 0;
	return 0;
}

/* What a pair of a base and a chunk's node is looked up for. A chunk has less than 2^30 nodes. */
enum pair_kind { PAIR_CHAIN, PAIR_CHAIN_STRIPPED, PAIR_PATH };

static uint64_t pair_key(uint32_t base, enum pair_kind kind, uint32_t node)
{
	return (uint64_t)base << 32 | (uint64_t)kind << 30 | node;
}

struct wanted_pair {
	const struct pair_place *pairs;
	uint64_t key;
};

static bool same_pair(const void *context, uint32_t number)
{
	const struct wanted_pair *wanted = context;

	return wanted->pairs[number].key == wanted->key;
}

static const struct pair_place *find_pair(const struct chain_cache *cache, uint64_t key)
{
	struct wanted_pair wanted = {.pairs = cache->pairs.items, .key = key};
	const struct index_slot *slot =
		index_table_lookup(&cache->pair_table, index_table_hash(&cache->pair_table, key, 0), same_pair, &wanted);

	return slot ? &cache->pairs.items[slot->number - 1] : NULL;
}

/* The pair is not there yet. */
static int keep_pair(struct chain_cache *cache, const struct pair_place *place)
{
	struct wanted_pair wanted = {.pairs = cache->pairs.items, .key = place->key};
	uint32_t hash = index_table_hash(&cache->pair_table, place->key, 0);
	struct index_slot *slot = index_table_find(&cache->pair_table, hash, same_pair, &wanted);

	if (!slot || array_push(&cache->pairs, *place) < 0)
		return -ENOMEM;
	index_table_set(&cache->pair_table, slot, hash, (uint32_t)(cache->pairs.count - 1));
	return 0;
}

/*
 * The path to a chunk's node on top of a base, all of its frames being callers. Leaves differ more than what they hang from,
 * so the path is kept, and every so many steps on the way, which bounds the work where paths are long.
 */
static int kernel_path(const struct chain_context *context, uint32_t base, uint32_t node, uint32_t *ret_node)
{
	enum { KEPT_EVERY = 32 };
	uint32_t path[RWK_MAX_FRAMES + 1], frame, at = base;
	size_t count = 0;

	for (; node >= STACK_FIRST_NODE && count <= RWK_MAX_FRAMES; node = context->nodes[node].parent) {
		const struct pair_place *known = find_pair(context->cache, pair_key(base, PAIR_PATH, node));

		if (known) {
			at = known->node;
			break;
		}
		path[count++] = node;
	}
	while (count) {
		int r = kernel_frame(context, path[--count], true, &frame);

		if (r == 0)
			r = profile_intern_node(context->profile, at, frame, &at);
		if (r == 0 && (!count || context->nodes[path[count]].depth % KEPT_EVERY == 0))
			r = keep_pair(context->cache,
				      &(struct pair_place){.key = pair_key(base, PAIR_PATH, path[count]), .node = at});
		if (r < 0)
			return r;
	}
	*ret_node = at;
	return 0;
}

static int make_kernel_chain(const struct chain_context *context, uint32_t base, uint32_t leaf,
			     struct pair_place *place)
{
	uint32_t strip, frame;
	int r = count_overhead(context, leaf, &strip);

	if (r < 0)
		return r;
	place->stripped = strip;
	if (strip) {
		for (; strip; strip--)
			leaf = context->nodes[leaf].parent;
		return kernel_path(context, base, leaf, &place->node);
	}
	r = kernel_path(context, base, context->nodes[leaf].parent, &place->node);
	if (r == 0)
		r = kernel_frame(context, leaf, false, &frame);
	return r < 0 ? r : profile_intern_node(context->profile, place->node, frame, &place->node);
}

int chain_kernel(const struct chain_context *context, uint32_t base, uint32_t leaf, uint32_t *ret_node,
		 bool *ret_stripped)
{
	enum pair_kind kind = context->strip_entry ? PAIR_CHAIN_STRIPPED : PAIR_CHAIN;
	const struct pair_place *known = find_pair(context->cache, pair_key(base, kind, leaf));
	struct pair_place place = {.key = pair_key(base, kind, leaf)};
	int r = 0;

	if (known) {
		place = *known;
	} else {
		r = make_kernel_chain(context, base, leaf, &place);
		if (r == 0)
			r = keep_pair(context->cache, &place);
	}
	*ret_node = place.node;
	*ret_stripped = place.stripped;
	return r;
}
