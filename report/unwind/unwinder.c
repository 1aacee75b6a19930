/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/unwind/unwinder.h"

#include <errno.h>
#include <stdlib.h>

#include "report/unwind/unwind_internal.h"

enum { TRAMPOLINE_BYTES = 8 };

static const size_t DEFAULT_BUDGET = (size_t)64 << 20;

int unwinder_create(const struct unwind_arch *arch, size_t budget, struct unwinder **ret_unwinder)
{
	struct unwinder *unwinder = aligned_alloc(_Alignof(struct unwinder), sizeof(*unwinder));
	int r;

	if (!unwinder)
		return -ENOMEM;
	memset(unwinder, 0, sizeof(*unwinder));
	unwinder->arch = arch;
	r = cfi_rows_init(&unwinder->rows, budget ? budget : DEFAULT_BUDGET);
	if (r < 0) {
		free(unwinder);
		return r;
	}
	*ret_unwinder = unwinder;
	return 0;
}

void unwinder_destroy(struct unwinder *unwinder)
{
	if (!unwinder)
		return;
	cfi_rows_deinit(&unwinder->rows);
	free(unwinder);
}

/* --- what is at an address --- */

enum unwind_named_kind unwind_named_kind(const char *name)
{
	static const struct {
		const char *name;
		enum unwind_named_kind kind;
	} known[] = {
		{"_start", NAMED_FIRST},
		{"_dl_start_user", NAMED_FIRST},
		{"_rt0_amd64", NAMED_FIRST},
		{"_rt0_amd64_linux", NAMED_FIRST},
		{"_rt0_arm64_linux", NAMED_FIRST},
		{"runtime.rt0_go", NAMED_FIRST},
		{"runtime.rt0_go.abi0", NAMED_FIRST},
		{"runtime.goexit", NAMED_FIRST},
		{"runtime.goexit.abi0", NAMED_FIRST},
		{"runtime.mstart", NAMED_FIRST},
		{"runtime.mstart.abi0", NAMED_FIRST},
		{"runtime.systemstack", NAMED_SWITCH},
		{"runtime.systemstack.abi0", NAMED_SWITCH},
		{"runtime.mcall", NAMED_SWITCH},
		{"runtime.asmcgocall", NAMED_SWITCH},
		{"runtime.asmcgocall.abi0", NAMED_SWITCH},
		{"runtime.morestack", NAMED_SWITCH},
		{"runtime.morestack.abi0", NAMED_SWITCH},
		{"clone", NAMED_CHILD},
		{"__clone", NAMED_CHILD},
		{"clone3", NAMED_CHILD},
		{"__clone3", NAMED_CHILD},
		{"runtime.clone", NAMED_CHILD},
		{"runtime.clone.abi0", NAMED_CHILD},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i].name))
			return known[i].kind;
	return NAMED_PLAIN;
}

static bool find_named(const struct unwind_walk *walk, uint64_t address, struct unwind_named *ret_named)
{
	return walk->space->find_name && walk->space->find_name(walk->space->context, address, ret_named);
}

enum unwind_named_kind unwind_kind(const struct unwind_walk *walk, uint64_t address)
{
	struct unwind_named named;

	return find_named(walk, address, &named) ? named.kind : NAMED_PLAIN;
}

/* Whether the call was made on another stack by Go code, whose rules are in .debug_frame. */
static bool is_switch(const struct unwind_walk *walk, const struct unwind_code *code, uint64_t pc)
{
	return code->place == PLACE_RULE &&
	       cfi_rows_rule(walk->rows, code->rule)->flags & CFI_RULE_DEBUG_FRAME &&
	       unwind_kind(walk, pc - 1) == NAMED_SWITCH;
}

/*
 * A return address may be the first byte of the next function, so it is looked up one byte before,
 * inside the call. The trampoline is the exception: the kernel makes handlers return to its first
 * byte.
 */
static int find_slowly(struct unwind_walk *walk, uint64_t pc, bool exact, struct unwind_code *code)
{
	struct unwind_mapping mapping;
	uint64_t trampoline;
	int r;

	*code = (struct unwind_code){.place = PLACE_UNMAPPED};
	if (!walk->space->find(walk->space->context, pc - !exact, &mapping))
		return 0;
	code->place = PLACE_NO_CFI;
	if (mapping.cfi && cfi_section_count(mapping.cfi)) {
		r = cfi_rows_find(walk->rows, mapping.module, mapping.cfi, pc - !exact - mapping.bias, &code->rule);
		if (r < 0)
			return r;
		code->place = code->rule == CFI_RULE_NONE ? PLACE_GAP : PLACE_RULE;
	}
	if (!exact && is_switch(walk, code, pc))
		code->place = PLACE_SWITCH;
	trampoline = mapping.cfi ? cfi_section_signal_trampoline(mapping.cfi) : 0;
	if (trampoline && pc - mapping.bias - trampoline < TRAMPOLINE_BYTES)
		code->place = PLACE_TRAMPOLINE;
	return 0;
}

int unwind_find_code(struct unwind_walk *walk, uint64_t pc, bool exact, struct unwind_code *ret_code)
{
	uint64_t generation = walk->space->generation, key = unwind_key(pc, exact);
	struct unwind_spot *spot = &walk->unwinder->spots[unwind_spot_number(generation, key)];
	int r;

	if (generation && unwind_spot_is(spot, generation, key, walk->rows->epoch)) {
		*ret_code = (struct unwind_code){.place = (enum unwind_place)spot->place, .rule = spot->rule};
		return 0;
	}
	r = find_slowly(walk, pc, exact, ret_code);
	if (!r && generation)
		*spot = (struct unwind_spot){
			.generation = generation,
			.key = key,
			.rule = ret_code->rule,
			.epoch = walk->rows->epoch,
			.place = (uint8_t)ret_code->place,
		};
	return r;
}

/* --- the walk --- */

int unwind_walk_begin(struct unwind_walk *walk, struct unwinder *unwinder, const struct unwind_space *space,
		      const struct unwind_snapshot *snapshot)
{
	*walk = (struct unwind_walk){
		.unwinder = unwinder,
		.arch = unwinder->arch,
		.rows = &unwinder->rows,
		.space = space,
		.snapshot = snapshot,
		.address_mask = snapshot->address_mask ? snapshot->address_mask :
							 unwinder->arch->address_mask,
		.steps_left = UNWIND_EXPRESSION_STEPS,
		.frame = {.known = snapshot->known, .exact = true, .how = UNWIND_BY_REGISTERS},
	};
	memcpy(walk->frame.registers, snapshot->registers, sizeof(walk->frame.registers));
	return unwind_find_code(walk, walk->frame.registers[walk->arch->pc], true, &walk->code);
}

static int step(struct unwind_walk *walk, struct unwind_frame *frame)
{
	switch (walk->code.place) {
	case PLACE_RULE:
		return unwind_step_rule(walk, walk->code.rule, frame);
	case PLACE_TRAMPOLINE:
		return unwind_step_trampoline(walk, frame);
	default:
		return unwind_step_without_cfi(walk, walk->code.place, frame);
	}
}

/* Checks the frame that the step led to. */
static int arrive(struct unwind_walk *walk)
{
	uint64_t *pc = &walk->frame.registers[walk->arch->pc];
	int r;

	*pc &= walk->address_mask;
	r = *pc ? unwind_find_code(walk, *pc, walk->frame.exact, &walk->code) : 0;
	if (r < 0)
		return r;
	return !*pc || walk->code.place == PLACE_UNMAPPED ? UNWIND_BAD_RETURN : UNWIND_GOES_ON;
}

/* Whether a thread begins in the function: a rule there need not lead to code. */
static bool begins(const struct unwind_walk *walk, uint64_t address)
{
	enum unwind_named_kind kind = unwind_kind(walk, address);

	return kind == NAMED_FIRST || kind == NAMED_CHILD;
}

int unwind_walk_next(struct unwind_walk *walk)
{
	const uint64_t address = walk->frame.registers[walk->arch->pc] - !walk->frame.exact;
	const enum unwind_place place = walk->code.place;
	int r = step(walk, &walk->frame);

	if (r == UNWIND_GOES_ON)
		r = arrive(walk);
	return place == PLACE_RULE && r == UNWIND_BAD_RETURN && begins(walk, address) ? UNWIND_CLEAN : r;
}

/* --- how it ends --- */

int unwind_settle_at_begin(struct unwind_walk *walk, struct unwind_chain *chain)
{
	uint64_t pc = walk->frame.registers[walk->arch->pc];
	struct unwind_named named;
	int r;

	walk->written = false;
	if (walk->frame.exact || walk->code.place != PLACE_GAP || !find_named(walk, pc, &named) || named.start != pc ||
	    find_named(walk, pc - 1, &named))
		return UNWIND_GOES_ON;
	r = unwind_find_code(walk, pc, true, &walk->code);
	walk->written = walk->frame.exact = true;
	chain->how[chain->count - 1] |= UNWIND_EXACT;
	return r < 0 ? r : UNWIND_GOES_ON;
}

enum unwind_stop unwind_reason(const struct unwind_walk *walk, enum unwind_stop stop)
{
	if (stop == UNWIND_CLEAN || stop == UNWIND_TOO_DEEP || (stop == UNWIND_TRUNCATED && unwind_is_cut(walk)))
		return stop;
	return stop == UNWIND_TRUNCATED || walk->written ? UNWIND_SWITCHED : stop;
}

static bool append(const struct unwind_walk *walk, struct unwind_chain *chain)
{
	if (chain->count == UNWIND_DEPTH)
		return false;
	chain->addresses[chain->count] = walk->frame.registers[walk->arch->pc];
	chain->how[chain->count++] = walk->frame.how | (walk->frame.exact ? UNWIND_EXACT : 0);
	return true;
}

int unwinder_run(struct unwinder *unwinder, const struct unwind_space *space,
		 const struct unwind_snapshot *snapshot, struct unwind_chain *ret_chain)
{
	struct unwind_walk walk;
	int r = unwind_walk_begin(&walk, unwinder, space, snapshot);

	ret_chain->count = 0;
	while (r == UNWIND_GOES_ON) {
		r = append(&walk, ret_chain) ? (int)unwind_plain_steps(&walk, ret_chain) : UNWIND_TOO_DEEP;
		if (r == UNWIND_GOES_ON)
			r = unwind_settle_at_begin(&walk, ret_chain);
		if (r == UNWIND_GOES_ON)
			r = unwind_walk_next(&walk);
	}
	if (r < 0)
		return r;
	ret_chain->stop = unwind_reason(&walk, (enum unwind_stop)r);
	if (r == UNWIND_TRUNCATED)
		unwind_append_tail(&walk, ret_chain);
	return 0;
}

/* --- callers without frame records, among the words at the top of a stack --- */

enum { WORD = 8 };

struct top_walk {
	struct unwind_walk walk;
	const struct unwind_top *top;
	struct unwind_callers *callers;
	uint64_t pc;
	int64_t sp;  /* bytes from the recorded stack pointer */
	bool exact;  /* at the leaf */
	bool has_fp; /* the frame pointer is still the recorded one */
};

/* The word at an offset from the recorded stack pointer, if it has that bit. */
static bool has_word(int64_t offset, uint64_t mask, unsigned int *ret_word)
{
	if (offset < 0 || offset % WORD || offset / WORD >= UNWIND_TOP_WORDS)
		return false;
	*ret_word = (unsigned int)(offset / WORD);
	return mask >> *ret_word & 1;
}

static bool lists(const struct cfi_rule *rule, unsigned int reg)
{
	return rule->brief.listed >> reg & 1;
}

/* Whether the frame pointer after this step is still the recorded one. An epilogue has restored what is below sp. */
static bool keeps_fp(const struct top_walk *top, const struct cfi_rule *rule, int64_t cfa)
{
	unsigned int fp = top->walk.arch->fp, word;
	int64_t slot = cfa + rule->brief.fp;

	if (!top->has_fp || !lists(rule, fp))
		return top->has_fp && rule->same >> fp & 1;
	return (top->exact && slot < 0) || has_word(slot, top->top->saved, &word);
}

/* Where the chain by frame pointers goes on after a frame whose caller is not known. */
static enum unwind_joined later(const struct top_walk *top)
{
	return top->has_fp ? UNWIND_JOINED_LATER : UNWIND_JOINED_NEVER;
}

/* By a frame record: the chain's next entry is the return address if the record is where the frame pointer points. */
static enum unwind_joined join(const struct top_walk *top, int64_t slot_from_fp)
{
	return top->has_fp && slot_from_fp == WORD ? UNWIND_JOINED : later(top);
}

/* Adds the caller whose address is at that slot, or in the link register (slot INT64_MIN). False: it is not known. */
static bool add_caller(struct top_walk *top, int64_t slot)
{
	const struct unwind_arch *arch = top->walk.arch;
	struct unwind_callers *callers = top->callers;
	unsigned int word;

	if (slot == INT64_MIN) {
		if (!top->exact || arch->link == arch->pc || !top->top->link)
			return false;
		top->pc = top->top->link;
	} else {
		if (!has_word(slot, top->top->known, &word))
			return false;
		top->pc = top->top->words[word];
	}
	if (callers->count == sizeof(callers->addresses) / sizeof(callers->addresses[0]))
		return false;
	callers->addresses[callers->count++] = top->pc;
	return true;
}

/* Whether the return address is in the link register, and all else as it was: the leaf has done nothing yet. */
static bool is_by_link(const struct top_walk *top, const struct cfi_rule *rule)
{
	const struct unwind_arch *arch = top->walk.arch;
	const struct cfi_register_rule *pc = rule->registers;

	return top->exact && rule->cfa_kind == CFI_VALUE_OFFSET && rule->count == 1 && pc->reg == arch->pc &&
	       pc->kind == CFI_REGISTER && (unsigned int)pc->value == arch->link;
}

/* One frame. True: goes on with its caller; false: *ret_joined says how the chain goes on. */
static bool step_top(struct top_walk *top, const struct cfi_rule *rule, enum unwind_joined *ret_joined)
{
	const struct unwind_arch *arch = top->walk.arch;
	const struct unwind_top *given = top->top;
	int64_t cfa, slot = INT64_MIN;
	bool kept;

	*ret_joined = later(top);
	if (!(rule->flags & CFI_RULE_PLAIN) && !is_by_link(top, rule))
		return false;
	if (rule->cfa_register == arch->fp) {
		*ret_joined = join(top, (int64_t)rule->cfa_value + rule->brief.pc);
		return false;
	}
	if (rule->cfa_register != arch->sp)
		return false;
	if (rule->brief.shortcut == CFI_OUTERMOST) {
		*ret_joined = UNWIND_JOINED_NEVER;
		return false;
	}
	cfa = top->sp + rule->cfa_value;
	if (rule->flags & CFI_RULE_PLAIN)
		slot = cfa + rule->brief.pc;
	if (given->frame < INT32_MAX && slot != INT64_MIN && slot == ((int64_t)given->frame + 1) * WORD) {
		*ret_joined = join(top, WORD);
		return false;
	}
	kept = keeps_fp(top, rule, cfa);
	if (!add_caller(top, slot)) {
		top->has_fp = kept || (top->has_fp && arch->link != arch->pc); /* aarch64: it has no other use */
		*ret_joined = later(top);
		return false;
	}
	top->has_fp = kept;
	top->sp = cfa;
	top->exact = false;
	if (!kept && top->pc == given->next) { /* a frame record after all; the chain has this caller */
		top->callers->count--;
		*ret_joined = UNWIND_JOINED;
		return false;
	}
	return true;
}

/* Of code without a rule: whether it has a frame record, as the convention is. */
static enum unwind_joined by_convention(const struct top_walk *top, const struct unwind_code *code)
{
	struct unwind_mapping mapping;
	const struct unwind_space *space = top->walk.space;

	if (!top->has_fp)
		return UNWIND_JOINED_NEVER;
	if (code->place != PLACE_NO_CFI || !space->find(space->context, top->pc - !top->exact, &mapping))
		return UNWIND_JOINED_LATER;
	return mapping.made || !top->exact ? UNWIND_JOINED : UNWIND_JOINED_LATER;
}

int unwinder_callers(struct unwinder *unwinder, const struct unwind_space *space, uint64_t pc,
		     const struct unwind_top *top, struct unwind_callers *ret_callers)
{
	struct top_walk walk = {
		.walk = {.unwinder = unwinder, .arch = unwinder->arch, .rows = &unwinder->rows, .space = space},
		.top = top, .callers = ret_callers, .pc = pc, .exact = true, .has_fp = true,
	};
	struct unwind_code code;
	bool goes_on = true;

	ret_callers->count = 0;
	while (goes_on) {
		int r = unwind_find_code(&walk.walk, walk.pc, walk.exact, &code);

		if (r < 0)
			return r;
		if (code.place != PLACE_RULE) {
			ret_callers->joined = by_convention(&walk, &code);
			return 0;
		}
		goes_on = step_top(&walk, cfi_rows_rule(walk.walk.rows, code.rule), &ret_callers->joined);
	}
	return 0;
}
