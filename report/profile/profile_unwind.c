/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "common/hash_map.h"
#include "common/log.h"
#include "report/profile/profile_internal.h"
#include "report/read/snapshot_store.h"
#include "report/symbol/modules.h"

/* --- what kernel frames are --- */

/* "bpf_prog_" and the program's tag. Functions of the kernel such as bpf_prog_load() have no tag. */
static bool is_program(const char *name)
{
	static const char prefix[] = "bpf_prog_";
	enum { TAG_DIGITS = 16 };

	return !strncmp(name, prefix, sizeof(prefix) - 1) &&
	       strspn(name + sizeof(prefix) - 1, "0123456789abcdef") >= TAG_DIGITS;
}

/*
 * The way of a task into a BPF program and from there to the stack walker. At the leaf, these
 * frames belong to the recording, not to what the task was doing.
 */
static const struct {
	const char *prefix;
	enum overhead overhead;
} prefixes[] = {
	{"__bpf_get_stack", OVERHEAD_WALK},
	{"bpf_get_stack", OVERHEAD_WALK},
	{"__bpf_get_task_stack", OVERHEAD_WALK},
	{"bpf_get_task_stack", OVERHEAD_WALK},
	/* for fentry and raw tracepoints */
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

static enum overhead classify_name(const char *name)
{
	if (is_program(name))
		return OVERHEAD_ENTRY;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i].prefix, strlen(prefixes[i].prefix)))
			return prefixes[i].overhead;
	return OVERHEAD_NONE;
}

enum overhead chain_classify_frame(struct profile *profile, uint32_t number)
{
	const struct profile_frame *frame = &profile->frames.items[number];
	struct module_symbol symbol;

	if (profile->overhead.items[number] != OVERHEAD_UNKNOWN)
		return profile->overhead.items[number];
	profile->overhead.items[number] = OVERHEAD_NONE;
	if (profile->modules.items.items[frame->module]->kind == MODULE_BPF)
		profile->overhead.items[number] = OVERHEAD_ENTRY;
	else if (modules_find_symbol(&profile->modules, frame->module, frame->address,
				     frame->caller, &symbol) > 0)
		profile->overhead.items[number] = classify_name(symbol_index_name(symbol.index, symbol.symbol));
	return profile->overhead.items[number];
}

/* "tcp_sendmsg" also matches "tcp_sendmsg.isra.0". A module and a colon may precede it. */
bool chain_is_traced(struct profile *profile, uint32_t number, const char *traced)
{
	const struct profile_frame *frame = &profile->frames.items[number];
	const char *colon = strrchr(traced, ':'), *name;
	struct module_symbol symbol;
	size_t length;

	traced = colon ? colon + 1 : traced;
	length = strlen(traced);
	if (modules_find_symbol(&profile->modules, frame->module, frame->address, frame->caller,
				&symbol) <= 0)
		return false;
	name = symbol_index_name(symbol.index, symbol.symbol);
	return !strncmp(name, traced, length) && (!name[length] || name[length] == '.');
}

bool chain_begins_function(struct profile *profile, const struct profile_frame *frame)
{
	struct module_symbol symbol;

	return modules_find_symbol(&profile->modules, frame->module, frame->address, false, &symbol) > 0 &&
	       symbol.start == frame->address;
}

bool chain_is_interruption(struct profile *profile, const struct profile_frame *frame)
{
	/* entries of x86-64 and aarch64; other functions that begin like these are called */
	static const char *const entries[] = {"asm_exc_", "asm_sysvec_", "asm_common_interrupt", "el1h_64_"};
	struct module_symbol symbol;
	const char *name;

	if (modules_find_symbol(&profile->modules, frame->module, frame->address, false, &symbol) <= 0)
		return false;
	name = symbol_index_name(symbol.index, symbol.symbol);
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (!strncmp(name, entries[i], strlen(entries[i])))
			return true;
	return false;
}

/* --- unwinding --- */

enum { KEPT_BITS = 15 };

struct kept_frame { /* the profile's frame for an address in an address space */
	uint64_t space; /* 0: nothing */
	uint64_t key;	/* the address, and whether it is a return address */
	uint32_t frame;
};

struct profile_unwinding {
	const struct unwind_arch *arch;
	struct unwinder *unwinder;
	struct snapshot_store *store;
	struct unwind_chain chain;
	uint64_t generation; /* of the address space in which the chain was made */
	uint64_t tail[RWK_MAX_FRAMES];
	struct kept_frame kept[1 << KEPT_BITS];
};

static const struct unwind_arch *arch_of(const struct trace_model *model)
{
	static const struct {
		const char *name; /* uname(2) */
		uint16_t machine;
	} machines[] = {{"x86_64", EM_X86_64}, {"aarch64", EM_AARCH64}};
	const char *machine = trace_model_meta(model, "machine");

	for (size_t i = 0; machine && i < sizeof(machines) / sizeof(machines[0]); i++)
		if (!strcmp(machine, machines[i].name))
			return unwind_arch_find(machines[i].machine);
	return NULL;
}

static void unwinding_destroy(struct profile_unwinding *unwinding)
{
	if (!unwinding)
		return;
	unwinder_destroy(unwinding->unwinder);
	snapshot_store_destroy(unwinding->store);
	free(unwinding);
}

static bool has_user_stacks(const struct trace_model *model)
{
	for (size_t i = 0; i < model->sources.count; i++)
		if (model->sources.items[i].event.flags & SOURCE_USER_STACKS)
			return true;
	return false;
}

static int unwinding_create(struct profile *profile, const struct trace_model *model,
			    struct profile_unwinding **ret_unwinding)
{
	struct profile_unwinding *unwinding = calloc(1, sizeof(*unwinding));
	int r = unwinding ? snapshot_store_create(model->file, model->section, &unwinding->store) : -ENOMEM;

	*ret_unwinding = NULL;
	if (r < 0 || !(snapshot_store_has(unwinding->store) || has_user_stacks(model))) {
		unwinding_destroy(unwinding);
		return r;
	}
	unwinding->arch = arch_of(model);
	profile->machine_unknown |= !unwinding->arch && snapshot_store_has(unwinding->store);
	r = unwinding->arch ? unwinder_create(unwinding->arch, 0, &unwinding->unwinder) : 0;
	if (r < 0 || !unwinding->arch) {
		unwinding_destroy(unwinding);
		return r;
	}
	*ret_unwinding = unwinding;
	return 0;
}

int chain_context_init(struct chain_context *context, struct profile *profile, struct trace_model *model)
{
	size_t bytes = (model->modules.count + 1) * sizeof(*context->modules);
	int r;

	*context = (struct chain_context){
		.profile = profile, .model = model, .timeline = &model->timeline, .copied = model->copied.items,
		.modules = malloc(bytes)};
	if (!context->modules)
		return -ENOMEM;
	memset(context->modules, 0xff, bytes); /* NO_NUMBER */
	context->place = profile_place_of(profile, model);
	r = profile_intern_host(profile, model, &context->host);
	return r < 0 ? r : unwinding_create(profile, model, &context->unwinding);
}

void chain_context_deinit(struct chain_context *context)
{
	unwinding_destroy(context->unwinding);
	free(context->modules);
	*context = (struct chain_context){0};
}

/* --- callbacks of the unwinder --- */

struct space {
	const struct chain_context *context;
	uint32_t process;
	int error;
};

static bool is_linker(const struct module *module)
{
	const char *slash = module->kind == MODULE_FILE && module->path ? strrchr(module->path, '/') : NULL;

	return slash && (!strncmp(slash, "/ld-linux", 9) || !strncmp(slash, "/ld-2.", 6));
}

static bool find_mapping(void *data, uint64_t address, struct unwind_mapping *ret_mapping)
{
	struct space *space = data;
	const struct chain_context *context = space->context;
	struct modules *modules = &context->profile->modules;
	struct profile_frame frame = {.address = address};
	const struct cfi_section *section = NULL;
	const struct module *module = NULL;
	struct mapping mapping;

	if (space->error || !timeline_find(&context->model->timeline, space->process, address, &mapping))
		return false;
	space->error = chain_mapped_frame(context, space->process, &mapping, &frame);
	if (!space->error)
		space->error = module_unwind_find(modules, frame.module, context->unwinding->arch, &section);
	if (frame.module < modules->items.count)
		module = modules->items.items[frame.module];
	*ret_mapping = (struct unwind_mapping){.bias = address - frame.address,
					       .module = frame.module, .cfi = section,
					       .made = module && module->kind == MODULE_ANONYMOUS,
					       .linker = module && is_linker(module)};
	return !space->error;
}

/* The module and link-time address of an address; NULL if it is in no module with a file. */
static struct modules *find_code(struct space *space, uint64_t address, uint32_t *ret_module,
				 uint64_t *ret_address)
{
	const struct chain_context *context = space->context;
	struct modules *modules = &context->profile->modules;
	struct profile_frame frame = {.address = address};
	struct mapping mapping;

	if (space->error || !timeline_find(&context->model->timeline, space->process, address, &mapping))
		return NULL;
	space->error = chain_mapped_frame(context, space->process, &mapping, &frame);
	*ret_module = frame.module;
	*ret_address = frame.address;
	return space->error || !modules->items.items[frame.module]->link_time ? NULL : modules;
}

static bool find_name(void *data, uint64_t address, struct unwind_named *ret_named)
{
	struct space *space = data;
	struct module_symbol symbol;
	uint64_t at;
	uint32_t module;
	struct modules *modules = find_code(space, address, &module, &at);
	int r = modules ? modules_find_symbol(modules, module, at, false, &symbol) : 0;

	space->error = r < 0 ? r : space->error;
	if (r > 0)
		*ret_named = (struct unwind_named){
			.start = symbol_index_start(symbol.index, symbol.symbol) + (address - at),
			.kind = unwind_named_kind(symbol_index_name(symbol.index, symbol.symbol))};
	return r > 0;
}

/* --- its chain in the profile --- */

static int find_frame(const struct chain_context *context, uint32_t process, uint64_t space,
		      uint64_t address, bool caller, uint32_t *ret_frame)
{
	uint64_t key = address << 1 | caller;
	struct kept_frame *kept = &context->unwinding->kept[hash_slot(key ^ space << 40, KEPT_BITS)];
	bool alone = context->unwinding->chain.count == 1;
	struct profile_frame frame;
	int r;

	if (kept->space == space && kept->key == key) {
		*ret_frame = kept->frame;
		return 0;
	}
	r = alone ? chain_leaf_frame(context, process, address, &frame) :
		    chain_user_frame(context, process, address, caller, &frame);
	if (!r)
		r = profile_intern_frame(context->profile, &frame, ret_frame);
	if (!r)
		*kept = (struct kept_frame){.space = space, .key = key, .frame = *ret_frame};
	return r;
}

static int add_chain(const struct chain_context *context, uint32_t process, uint64_t space,
		     uint32_t *ret_node)
{
	const struct unwind_chain *chain = &context->unwinding->chain;
	uint32_t node = 0, frame;
	int r = chain_add_note(context->profile, chain_root_note(chain), &node);

	for (size_t i = chain->count; i-- > 0 && !r;) {
		r = find_frame(context, process, space, chain->addresses[i],
			       chain_is_caller(chain, i), &frame);
		if (!r)
			r = profile_intern_node(context->profile, node, frame, &node);
		if (!r && i > 0)
			r = chain_add_note(context->profile, chain_note_below(chain, i), &node);
	}
	*ret_node = node;
	return r;
}

/* --- from snapshots and frame pointers --- */

static struct unwind_tail make_tail(const struct chain_context *context, uint32_t leaf)
{
	struct unwind_tail tail = {.addresses = context->unwinding->tail};

	for (; leaf >= STACK_FIRST_NODE && tail.count < RWK_MAX_FRAMES; leaf = context->nodes[leaf].parent)
		context->unwinding->tail[tail.count++] = context->nodes[leaf].address;
	return tail;
}

static int unwind(const struct chain_context *context, uint32_t process, uint64_t generation, uint32_t leaf,
		  const struct snapshot *snapshot, const struct snapshot *other)
{
	struct profile_unwinding *unwinding = context->unwinding;
	struct space space = {.context = context, .process = process};
	const struct unwind_space asked = {.context = &space,
					    .find = find_mapping,
					    .find_name = find_name,
					    .generation = generation};
	const struct unwind_snapshot given = {
		.registers = snapshot->registers,
		.known = snapshot->known & ((UINT64_C(1) << UNWIND_REGISTERS) - 1),
		.other = (const uint8_t *)other->words,
		.other_address = other->address,
		.other_size = (size_t)other->count * SNAPSHOT_WORD,
		.stack = (const uint8_t *)snapshot->words,
		.stack_address = snapshot->address,
		.stack_size = (size_t)snapshot->count * SNAPSHOT_WORD,
		.cut = snapshot->flags & (SNAPSHOT_CUT | SNAPSHOT_UNMAPPED),
		.other_cut = other->flags & (SNAPSHOT_CUT | SNAPSHOT_UNMAPPED),
		.tail = make_tail(context, leaf),
	};
	int r = unwinder_run(unwinding->unwinder, &asked, &given, &unwinding->chain);

	return r < 0 ? r : space.error;
}

static bool has_registers(const struct unwind_arch *arch, const struct snapshot *snapshot)
{
	uint64_t needed = unwind_bit(arch->pc) | unwind_bit(arch->sp);

	return (snapshot->known & needed) == needed;
}

/* Whether the other snapshot is the thread's other stack, that of its signal handler. It has the same registers. */
static bool holds_sp(const struct unwind_arch *arch, const struct snapshot *snapshot,
		     const struct snapshot *other)
{
	uint64_t sp = snapshot->registers[arch->sp];

	return other->count && has_registers(arch, other) &&
	       sp - other->address < (uint64_t)other->count * SNAPSHOT_WORD;
}

/* Whether the task is in execve(): its registers are still those of the program before. */
static bool is_in_exec(const struct chain_context *context, uint32_t process,
		       const struct unwind_chain *chain)
{
	const struct timeline *timeline = &context->model->timeline;
	struct mapping mapping;

	return chain->count == 1 && !timeline_find(timeline, process, chain->addresses[0], &mapping) &&
	       timeline_find_before_exec(timeline, process, chain->addresses[0], &mapping);
}

int profile_unwinding_run(const struct chain_context *context, uint32_t process, uint32_t leaf,
			  uint32_t number, const struct unwind_chain **ret_chain)
{
	struct profile_unwinding *unwinding = context->unwinding;
	struct snapshot snapshot, other = {0};
	int r = number && unwinding ? snapshot_store_get(unwinding->store, number, 0, &snapshot) : 0;

	if (r > 0 && snapshot.more) {
		r = snapshot_store_get(unwinding->store, snapshot.more, 1, &other);
		if (!r) {
			other = (struct snapshot){0};
			r = 1;
		}
	}
	if (r <= 0 || !has_registers(unwinding->arch, &snapshot))
		return r < 0 ? r : 0;
	unwinding->generation = timeline_touch(context->timeline, process);
	r = holds_sp(unwinding->arch, &snapshot, &other) ?
		    unwind(context, process, unwinding->generation, leaf, &other, &snapshot) :
		    unwind(context, process, unwinding->generation, leaf, &snapshot, &other);
	if (!r && is_in_exec(context, process, &unwinding->chain))
		unwinding->chain.stop = UNWIND_CLEAN; /* nothing is missing: the stack is gone */
	else if (!r && !snapshot.count && !other.count && unwinding->chain.stop != UNWIND_CLEAN &&
		 !chain_has_tail(&unwinding->chain))
		unwinding->chain.stop = UNWIND_NO_MEMORY;
	*ret_chain = &unwinding->chain;
	return r < 0 ? r : 1;
}

int profile_unwinding_callers(const struct chain_context *context, uint32_t process, uint64_t pc,
			      const struct unwind_top *top, struct unwind_callers *ret_callers)
{
	struct space space = {.context = context, .process = process};
	const struct unwind_space asked = {.context = &space, .find = find_mapping,
					   .generation = timeline_touch(context->timeline, process)};
	int r = 0;

	*ret_callers = (struct unwind_callers){.joined = UNWIND_JOINED};
	if (context->unwinding)
		r = unwinder_callers(context->unwinding->unwinder, &asked, pc, top, ret_callers);
	return r < 0 ? r : space.error;
}

/*
 * The user stack of an event. `leaf`: the chunk's node found by frame pointers (a root: none).
 * `snapshot`: the number of the event's snapshot, 0: none. *ret_chain.node is 0 if there is
 * neither.
 */
static int chain_user_of(const struct chain_context *context, uint32_t process, uint32_t leaf, uint32_t number,
		  struct user_chain *ret_chain)
{
	const struct unwind_chain *chain;
	uint64_t generation;
	int r = profile_unwinding_run(context, process, leaf, number, &chain);

	if (r < 0)
		return r;
	*ret_chain = (struct user_chain){0};
	if (!r) { /* from frame pointers, or from a condensed trace */
		r = leaf < STACK_FIRST_NODE ? 0 : chain_user(context, process, leaf, ret_chain);
		ret_chain->snapshot_missing = number && (context->unwinding || arch_of(context->model));
		return r;
	}
	generation = context->unwinding->generation;
	ret_chain->no_maps = !generation;
	ret_chain->verdict = chain_verdict_of(chain);
	return add_chain(context, process, chain_name_space(context, process, generation), &ret_chain->node);
}

/* --- the stack of an event --- */

int stack_user(const struct chain_context *context, uint32_t process, uint32_t leaf, uint32_t snapshot,
	       struct stack *ret_stack)
{
	struct stack stack = {.snapshot = snapshot};
	int r;

	if (!context->profile->filter->kernel_only) {
		r = chain_user_of(context, process, leaf, snapshot, &stack.user);
		if (r < 0)
			return r;
		stack.node = stack.user.node;
		stack.snapshot = stack.user.verdict.unwound;
	}
	*ret_stack = stack;
	return 0;
}

int stack_kernel(struct chain_context *context, uint32_t leaf, bool strip, const char *traced, struct stack *stack)
{
	bool stripped = false;
	int r = 0;

	context->strip_entry = strip;
	context->traced = traced;
	if (leaf >= STACK_FIRST_NODE && !context->profile->filter->user_only)
		r = chain_kernel(context, stack->node, leaf, &stack->node, &stripped);
	stack->stripped = stripped && !strip; /* else all events of this kind have them */
	return r;
}

void stack_describe(struct stack *stack, const struct stack_record *record)
{
	if (record->user_missing && !stack->snapshot)
		stack->missing = missing_user_of(record->reason, record->copied);
	stack->flags = (record->kernel_truncated ? CHAIN_KERNEL_TRUNCATED : 0) |
		       (record->user_truncated && !stack->snapshot ? CHAIN_USER_TRUNCATED : 0) |
		       (stack->missing ? CHAIN_USER_MISSING : 0);
}

void stack_count(const struct stack *stack, struct profile_quality *quality)
{
	const struct chain_verdict *verdict = &stack->user.verdict;

	quality->kernel_truncated += !!(stack->flags & CHAIN_KERNEL_TRUNCATED);
	quality->user_truncated += !!(stack->flags & CHAIN_USER_TRUNCATED);
	quality->missing_user[stack->missing] += stack->missing != USER_MISSING_NONE;
	quality->trimmed += stack->user.trimmed;
	quality->no_maps += stack->user.no_maps;
	quality->stripped += stack->stripped;
	quality->snapshots_missing += stack->user.snapshot_missing;
	quality->unwound += verdict->unwound;
	quality->stops[verdict->end] += verdict->unwound;
	quality->tails += verdict->tail;
	*(verdict->unwound ? &quality->callers_missing : &quality->callers_unknown) += verdict->caller_unknown;
}
