/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Callers without frame records, among the words at the top of a stack. */
#include "report/resolve/unwind/unwind_walk.h"

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
static bool step(struct top_walk *top, const struct cfi_rule *rule, enum unwind_joined *ret_joined)
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
		goes_on = step(&walk, cfi_rows_rule(walk.walk.rows, code.rule), &ret_callers->joined);
	}
	return 0;
}
