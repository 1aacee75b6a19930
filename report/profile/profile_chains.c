/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "report/profile/profile_internal.h"

/* --- chain cache --- */

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
	if (array_reserve_raw((void **)&cache->user, &cache->user_room, nodes,
			      sizeof(*cache->user)) < 0 ||
	    array_reserve_raw((void **)&cache->kernel, &cache->kernel_room, nodes,
			      sizeof(*cache->kernel)) < 0)
		return -ENOMEM;
	memset(cache->user, 0, nodes * sizeof(*cache->user));
	memset(cache->kernel, 0xff, nodes * sizeof(*cache->kernel)); /* NO_NUMBER */
	cache->pairs.count = 0;
	index_table_clear(&cache->pair_table);
	return 0;
}

/* --- chain marks --- */

/* --- of an unwound chain --- */

static enum profile_note note_of(enum unwind_stop stop)
{
	static const enum profile_note notes[] = {
		[UNWIND_TRUNCATED] = NOTE_TRUNCATED,
		[UNWIND_NO_CFI] = NOTE_NO_CFI,
		[UNWIND_BAD_RETURN] = NOTE_BAD_RETURN,
		[UNWIND_TOO_DEEP] = NOTE_TOO_DEEP,
		[UNWIND_SWITCHED] = NOTE_SWITCHED,
		[UNWIND_NO_MEMORY] = NOTE_NO_MEMORY,
	};

	return stop < sizeof(notes) / sizeof(notes[0]) ? notes[stop] : NOTE_NONE;
}

static enum unwind_how how(const struct unwind_chain *chain, size_t i)
{
	return chain->how[i] & UNWIND_HOW_MASK;
}

/* The note of a tail is at the tail's start. */
bool chain_has_tail(const struct unwind_chain *chain)
{
	return how(chain, chain->count - 1) == UNWIND_BY_TAIL;
}

struct chain_verdict chain_verdict_of(const struct unwind_chain *chain)
{
	struct chain_verdict verdict = {.unwound = true, .end = (uint8_t)note_of(chain->stop)};

	for (size_t i = 0; i < chain->count; i++) {
		verdict.tail |= how(chain, i) == UNWIND_BY_TAIL;
		verdict.caller_unknown |= how(chain, i) == UNWIND_BY_OUTER_RECORD;
	}
	return verdict;
}

enum profile_note chain_root_note(const struct unwind_chain *chain)
{
	return chain_has_tail(chain) ? NOTE_NONE : note_of(chain->stop);
}

enum profile_note chain_note_below(const struct unwind_chain *chain, size_t i)
{
	enum unwind_how found = how(chain, i);

	if (found == how(chain, i - 1))
		return NOTE_NONE;
	if (found == UNWIND_BY_TAIL)
		return chain->stop == UNWIND_TRUNCATED ? NOTE_TAIL : NOTE_SWITCHED_TAIL;
	return found == UNWIND_BY_OUTER_RECORD ? NOTE_CALLER_UNKNOWN : NOTE_NONE;
}

bool chain_is_caller(const struct unwind_chain *chain, size_t i)
{
	return i > 0 && !(chain->how[i] & UNWIND_EXACT);
}

int chain_add_note(struct profile *profile, enum profile_note note, uint32_t *node)
{
	const struct profile_frame frame = {.note = (uint8_t)note};
	uint32_t number;
	int r = note ? profile_intern_frame(profile, &frame, &number) : 0;

	return r < 0 || !note ? r : profile_intern_node(profile, *node, number, node);
}

/* --- as marks --- */

static enum stack_mark root_mark(const struct unwind_chain *chain)
{
	static const enum stack_mark marks[NOTES] = {
		[NOTE_NONE] = MARK_CLEAN,
		[NOTE_TRUNCATED] = MARK_TRUNCATED,
		[NOTE_NO_CFI] = MARK_NO_CFI,
		[NOTE_BAD_RETURN] = MARK_BAD_RETURN,
		[NOTE_TOO_DEEP] = MARK_TOO_DEEP,
		[NOTE_SWITCHED] = MARK_SWITCHED,
		[NOTE_NO_MEMORY] = MARK_NO_MEMORY,
	};

	if (chain_has_tail(chain))
		return chain->stop == UNWIND_TRUNCATED ? MARK_CONTINUED : MARK_SWITCHED_CONTINUED;
	return marks[note_of(chain->stop)];
}

static enum stack_mark mark_of(enum profile_note note)
{
	if (note == NOTE_TAIL || note == NOTE_SWITCHED_TAIL)
		return MARK_TAIL;
	return note == NOTE_CALLER_UNKNOWN ? MARK_CALLER_UNKNOWN : MARK_NONE;
}

/* Writes a frame, then, towards the root, the notes about it. */
static size_t write_frame(const struct unwind_chain *chain, size_t i, uint64_t nodes[static 3])
{
	bool is_exact = i > 0 && !chain_is_caller(chain, i);
	enum stack_mark above = i + 1 < chain->count ? mark_of(chain_note_below(chain, i + 1)) : MARK_NONE;
	size_t count = 0;

	nodes[count++] = chain->addresses[i];
	if (is_exact)
		nodes[count++] = stack_mark_address(MARK_EXACT);
	if (above)
		nodes[count++] = stack_mark_address(above);
	return count;
}

size_t chain_write_marks(const struct unwind_chain *chain, uint64_t nodes[static RWK_MAX_PATH], bool *ret_cut)
{
	size_t count = 0, i;

	for (i = 0; i < chain->count; i++) {
		uint64_t frame[3];
		size_t more = write_frame(chain, i, frame);

		if (count + more >= RWK_MAX_PATH)
			break;
		for (size_t k = 0; k < more; k++)
			nodes[count++] = frame[k];
	}
	*ret_cut = i < chain->count;
	nodes[count++] = stack_mark_address(*ret_cut ? MARK_TOO_DEEP : root_mark(chain));
	return count;
}

/* Updates the state of the parent's path to that of the path with the mark. Returns the note for the mark. */
static enum profile_note chain_read_mark(enum stack_mark mark, struct chain_verdict *verdict)
{
	static const struct {
		bool root;
		uint8_t end, note; /* enum profile_note */
	} marks[] = {
		[MARK_CLEAN] = {true, NOTE_NONE, NOTE_NONE},
		[MARK_TRUNCATED] = {true, NOTE_TRUNCATED, NOTE_TRUNCATED},
		[MARK_NO_CFI] = {true, NOTE_NO_CFI, NOTE_NO_CFI},
		[MARK_BAD_RETURN] = {true, NOTE_BAD_RETURN, NOTE_BAD_RETURN},
		[MARK_TOO_DEEP] = {true, NOTE_TOO_DEEP, NOTE_TOO_DEEP},
		[MARK_CONTINUED] = {true, NOTE_TRUNCATED, NOTE_NONE},
		[MARK_SWITCHED] = {true, NOTE_SWITCHED, NOTE_SWITCHED},
		[MARK_NO_MEMORY] = {true, NOTE_NO_MEMORY, NOTE_NO_MEMORY},
		[MARK_SWITCHED_CONTINUED] = {true, NOTE_SWITCHED, NOTE_NONE},
		[MARK_TAIL] = {false, NOTE_NONE, NOTE_TAIL},
		[MARK_CALLER_UNKNOWN] = {false, NOTE_NONE, NOTE_CALLER_UNKNOWN},
	};

	if (mark >= sizeof(marks) / sizeof(marks[0]))
		return NOTE_NONE;
	if (marks[mark].root)
		*verdict = (struct chain_verdict){.unwound = true, .end = marks[mark].end};
	verdict->tail |= mark == MARK_TAIL;
	verdict->caller_unknown |= mark == MARK_CALLER_UNKNOWN;
	if (mark == MARK_TAIL && verdict->end == NOTE_SWITCHED)
		return NOTE_SWITCHED_TAIL;
	return (enum profile_note)marks[mark].note;
}

/* --- chain top --- */

_Static_assert((int)UNWIND_TOP_WORDS == STACK_TOP_WORDS, "a word has a bit");

static enum stack_mark mark_at(const struct chain_context *context, uint32_t node)
{
	return node < STACK_FIRST_NODE ? MARK_NONE : stack_mark_of(context->nodes[node].address);
}

static void note_mark(enum stack_mark mark, struct unwind_top *top)
{
	if (mark >= MARK_FRAME)
		top->frame = (top->frame == UNWIND_NO_FRAME ? 0 : top->frame * STACK_TOP_WORDS) + (mark - MARK_FRAME);
	else if (mark >= MARK_SAVED)
		top->saved |= UINT64_C(1) << (mark - MARK_SAVED);
}

static void note_word(enum stack_mark mark, uint64_t word, struct unwind_top *top)
{
	if (mark == MARK_LINK) {
		top->link = word;
		return;
	}
	top->words[mark - MARK_WORD] = word;
	top->known |= UINT64_C(1) << (mark - MARK_WORD);
}

/* Returns the node of the first caller by frame pointers: the leaf's parent if there are no words. ret_top: or NULL. */
static uint32_t chain_top_read(const struct chain_context *context, uint32_t leaf, struct unwind_top *ret_top)
{
	uint32_t node = context->nodes[leaf].parent;
	struct unwind_top unused, *top = ret_top ? ret_top : &unused;

	top->known = top->saved = 0;
	top->link = 0;
	top->frame = UNWIND_NO_FRAME;
	while (node >= STACK_FIRST_NODE) {
		uint32_t parent = context->nodes[node].parent;
		enum stack_mark mark = mark_at(context, node), above = mark_at(context, parent);

		if (stack_mark_is_top(mark)) {
			note_mark(mark, top);
			node = parent;
		} else if (!mark && above >= MARK_LINK && above < MARK_SAVED) {
			note_word(above, context->nodes[node].address, top);
			node = context->nodes[parent].parent;
		} else {
			break;
		}
	}
	top->next = node < STACK_FIRST_NODE || mark_at(context, node) ? 0 : context->nodes[node].address;
	return node;
}

int chain_top_path(const struct chain_context *context, uint32_t process, uint32_t leaf, uint64_t *path, uint32_t room)
{
	struct unwind_callers callers = {.joined = UNWIND_JOINED};
	struct unwind_top top;
	uint32_t rest = chain_top_read(context, leaf, &top), count = 0;
	int r = 0;

	if (room < 2 + sizeof(callers.addresses) / sizeof(callers.addresses[0]))
		return 0;
	if (rest != context->nodes[leaf].parent)
		r = profile_unwinding_callers(context, process, context->nodes[leaf].address, &top, &callers);
	if (r < 0)
		return r;
	path[count++] = context->nodes[leaf].address;
	for (size_t i = 0; i < callers.count; i++)
		path[count++] = callers.addresses[i];
	if (callers.joined != UNWIND_JOINED)
		path[count++] = stack_mark_address(MARK_CALLER_UNKNOWN);
	if (callers.joined == UNWIND_JOINED_NEVER)
		return (int)count;
	for (; rest >= STACK_FIRST_NODE && count < room; rest = context->nodes[rest].parent)
		path[count++] = context->nodes[rest].address;
	return (int)count;
}

/* --- chain --- */

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
		return modules_add(modules, &context->place, context->model, module, tgid, ret_number);
	known = &context->modules[module - context->model->modules.items];
	if (*known == NO_NUMBER) {
		r = modules_add(modules, &context->place, context->model, module, 0, known);
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
		.no_maps = !walk.known,
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
		enum overhead overhead = r < 0 ? OVERHEAD_NONE : chain_classify_frame(context->profile, frame);

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
static int add_pair(struct chain_cache *cache, const struct cached_pair *cached)
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
			r = add_pair(context->cache,
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
			r = add_pair(context->cache, &cached);
	}
	*ret_node = cached.node;
	*ret_stripped = cached.stripped;
	return r;
}
