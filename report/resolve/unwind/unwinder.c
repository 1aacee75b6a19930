/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/unwind/unwinder.h"

#include <errno.h>
#include <stdlib.h>

#include "report/resolve/unwind/unwind_walk.h"

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
static int find_in_mapping(struct unwind_walk *walk, const struct unwind_mapping *mapping,
			   uint64_t pc, bool exact, struct unwind_code *code)
{
	uint64_t trampoline = mapping->cfi ? cfi_section_signal_trampoline(mapping->cfi) : 0;
	int r;

	if (!mapping->cfi || !cfi_section_count(mapping->cfi)) {
		code->place = PLACE_NO_CFI;
		r = 0;
	} else {
		r = cfi_rows_find(walk->rows, mapping->module, mapping->cfi,
				  pc - !exact - mapping->bias, &code->rule);
		code->place = code->rule == CFI_RULE_NONE ? PLACE_GAP : PLACE_RULE;
	}
	if (!r && !exact && is_switch(walk, code, pc))
		code->place = PLACE_SWITCH;
	if (trampoline && pc - mapping->bias - trampoline < TRAMPOLINE_BYTES)
		code->place = PLACE_TRAMPOLINE;
	return r;
}

static int find_slowly(struct unwind_walk *walk, uint64_t pc, bool exact, struct unwind_code *code)
{
	struct unwind_mapping mapping;

	*code = (struct unwind_code){.place = PLACE_UNMAPPED};
	if (!walk->space->find(walk->space->context, pc - !exact, &mapping))
		return 0;
	return find_in_mapping(walk, &mapping, pc, exact, code);
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
