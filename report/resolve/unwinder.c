/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/unwinder.h"

#include <errno.h>
#include <stdlib.h>

#include "report/resolve/unwind_walk.h"

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

/* --- what lies at an address --- */

/*
 * A return address may be the first byte of the next function: it is looked up one byte before, inside the call. The
 * trampoline is the exception: the kernel makes handlers return to its very start.
 */
static int find_in_mapping(struct unwind_walk *walk, const struct unwind_mapping *mapping, uint64_t pc, bool exact,
			   struct unwind_code *code)
{
	uint64_t trampoline = mapping->cfi ? cfi_section_signal_trampoline(mapping->cfi) : 0;
	int r;

	if (!mapping->cfi || !cfi_section_count(mapping->cfi)) {
		code->place = PLACE_NO_CFI;
		r = 0;
	} else {
		r = cfi_rows_find(walk->rows, mapping->module, mapping->cfi, pc - !exact - mapping->bias, &code->rule);
		code->place = code->rule == CFI_RULE_NONE ? PLACE_GAP : PLACE_RULE;
	}
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
		.address_mask = snapshot->address_mask ? snapshot->address_mask : unwinder->arch->address_mask,
		.steps_left = UNWIND_EXPRESSION_STEPS,
		.searches_left = UNWIND_SEARCHES,
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

int unwind_walk_next(struct unwind_walk *walk)
{
	uint64_t *pc = &walk->frame.registers[walk->arch->pc];
	int r;

	walk->last_sp = walk->frame.registers[walk->arch->sp];
	walk->last_fp = walk->frame.registers[walk->arch->fp];
	r = step(walk, &walk->frame);
	if (r != UNWIND_GOES_ON)
		return r;
	*pc &= walk->address_mask;
	if (!*pc)
		return UNWIND_CLEAN;
	r = unwind_find_code(walk, *pc, walk->frame.exact, &walk->code);
	if (r < 0)
		return r;
	return walk->code.place == PLACE_UNMAPPED ? UNWIND_BAD_RETURN : UNWIND_GOES_ON;
}

static bool append(const struct unwind_walk *walk, struct unwind_chain *chain)
{
	if (chain->count == UNWIND_DEPTH)
		return false;
	chain->addresses[chain->count] = walk->frame.registers[walk->arch->pc];
	chain->how[chain->count++] = walk->frame.how | (walk->frame.exact ? UNWIND_EXACT : 0);
	return true;
}

int unwinder_run(struct unwinder *unwinder, const struct unwind_space *space, const struct unwind_snapshot *snapshot,
		 struct unwind_chain *ret_chain)
{
	struct unwind_walk walk;
	int r = unwind_walk_begin(&walk, unwinder, space, snapshot);

	ret_chain->count = 0;
	while (r == UNWIND_GOES_ON) {
		r = append(&walk, ret_chain) ? (int)unwind_plain_steps(&walk, ret_chain) : UNWIND_TOO_DEEP;
		if (r == UNWIND_GOES_ON)
			r = unwind_walk_next(&walk);
	}
	if (r < 0)
		return r;
	ret_chain->stop = (enum unwind_stop)r;
	if (r == UNWIND_TRUNCATED)
		unwind_append_tail(&snapshot->tail, walk.last_sp, walk.last_fp, walk.address_mask,
				   ret_chain);
	return 0;
}

const char *unwind_stop_name(enum unwind_stop stop)
{
	static const char *const names[] = {
		[UNWIND_GOES_ON] = "goes on",
		[UNWIND_CLEAN] = "clean",
		[UNWIND_TRUNCATED] = "truncated",
		[UNWIND_NO_CFI] = "no CFI",
		[UNWIND_BAD_RETURN] = "bad return address",
		[UNWIND_TOO_DEEP] = "depth",
	};

	return names[stop];
}
