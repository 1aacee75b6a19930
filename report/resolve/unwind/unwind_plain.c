/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The common steps: by a plain rule, to code that was reached before. They spend their time waiting
 * for memory: each step needs bytes of the stack to know where the next one reads. So a few steps
 * are predicted first, to the same callers as the last time: that needs no byte of the stack, and
 * prefetches all of their slots at once. Then the return addresses are checked. Callee-saved
 * registers are not read until they are needed.
 *
 * A step is made here only if unwind_walk_next() would make the same one; everything else is left
 * to it.
 */
#include "report/resolve/unwind/unwind_walk.h"

enum {
	STEPS_MAX = 64,	 /* at a time */
	EXPECTED_MIN = 6, /* steps predicted at first; doubled each time that all of them were right */
	EXPECTED_MAX = 24,
};

struct plain_step {
	const struct cfi_rule *rule;
	uint64_t cfa;
	struct unwind_spot *to; /* the caller's */
};

struct plain_run {
	const struct unwind_walk *walk;
	const struct unwind_snapshot *snapshot;
	struct unwind_spot *spots, *spot; /* all spots; the frame's */
	struct unwind_return *returns;
	uint64_t generation, address_mask;
	uint64_t sp, pc; /* of the frame */
	uint32_t epoch;
	unsigned int count;
	struct plain_step steps[STEPS_MAX];
};

static const uint8_t *slot_at(const struct unwind_snapshot *snapshot, uint64_t cfa, int32_t offset)
{
	return snapshot->stack + (cfa + (uint64_t)(int64_t)offset - snapshot->stack_address);
}

/* Only for bytes that are known to be in the snapshot. */
static uint64_t read_slot(const struct unwind_snapshot *snapshot, uint64_t cfa, int32_t offset)
{
	uint64_t value;

	memcpy(&value, slot_at(snapshot, cfa, offset), sizeof(value));
	return value;
}

/* The frame pointer of the current frame, from the last step with a rule for it; false: it is unknown. */
static bool find_frame_pointer(const struct plain_run *run, uint64_t *ret_fp)
{
	const struct unwind_walk *walk = run->walk;
	uint64_t bit = unwind_bit(walk->arch->fp);

	for (const struct plain_step *step = run->steps + run->count; step-- > run->steps;) {
		if (step->rule->brief.listed & bit) {
			*ret_fp = read_slot(run->snapshot, step->cfa, step->rule->brief.fp);
			return true;
		}
		if (!(step->rule->same & bit))
			return false;
	}
	*ret_fp = walk->frame.registers[walk->arch->fp];
	return walk->frame.known & bit;
}

static uint32_t number_of(const struct plain_run *run, const struct unwind_spot *spot)
{
	return (uint32_t)(spot - run->spots);
}

static struct unwind_spot *expected_caller(const struct plain_run *run,
					   const struct unwind_spot *spot, uint64_t cfa)
{
	uint32_t from = number_of(run, spot);
	const struct unwind_return *last = &run->returns[unwind_return_number(cfa, from)];

	return &run->spots[last->cfa == cfa && last->from == from ? last->to : spot->caller];
}

/* Predicts steps from the current frame, assuming the same callers as the last time. Returns their number. */
static unsigned int expect(struct plain_run *run, unsigned int most)
{
	const struct unwind_snapshot *snapshot = run->snapshot;
	const struct unwind_spot *spot = run->spot;
	unsigned int count = run->count;
	uint64_t sp = run->sp;

	for (; count < most && spot->place == PLACE_RULE && spot->epoch == run->epoch; count++) {
		const struct cfi_rule *rule = cfi_rows_rule(run->walk->rows, spot->rule);
		uint64_t base = sp, cfa, offset;

		if (rule->brief.shortcut != CFI_CALLER_BY_SP &&
		    (rule->brief.shortcut != CFI_CALLER_BY_FP || count > run->count ||
		     !find_frame_pointer(run, &base)))
			break;
		cfa = base + (uint64_t)(int64_t)rule->cfa_value;
		offset = cfa + (uint64_t)(int64_t)rule->brief.first - snapshot->stack_address;
		if (cfa <= sp || offset > snapshot->stack_size ||
		    snapshot->stack_size - offset < rule->brief.span)
			break;
		__builtin_prefetch(slot_at(snapshot, cfa, rule->brief.pc));
		run->steps[count] = (struct plain_step){.rule = rule, .cfa = cfa,
							.to = expected_caller(run, spot, cfa)};
		spot = run->steps[count].to;
		sp = cfa;
	}
	return count;
}

static bool is_spot(const struct plain_run *run, const struct unwind_spot *spot, uint64_t key)
{
	return unwind_spot_is(spot, run->generation, key, run->epoch) && spot->place != PLACE_UNMAPPED;
}

/* After a wrong prediction: remembers the actual caller. False: its spot is unknown, or unmapped. */
static bool correct(struct plain_run *run, struct plain_step *step, uint64_t key)
{
	uint32_t number = unwind_spot_number(run->generation, key), from = number_of(run, run->spot);

	step->to = &run->spots[number];
	if (!is_spot(run, step->to, key))
		return false;
	run->spot->caller = number;
	run->returns[unwind_return_number(step->cfa, from)] =
		(struct unwind_return){.cfa = step->cfa, .from = from, .to = number};
	return true;
}

/* Makes the predicted steps. 1: all were right; 0: stopped after a wrong one; -1: this cannot continue the walk. */
static int take(struct plain_run *run, unsigned int count, struct unwind_chain *chain)
{
	bool right = true;

	while (right && run->count < count) {
		struct plain_step *step = &run->steps[run->count];
		uint64_t pc = read_slot(run->snapshot, step->cfa, step->rule->brief.pc) & run->address_mask;
		uint64_t key = unwind_key(pc, false);

		right = is_spot(run, step->to, key);
		if (!pc || (!right && !correct(run, step, key)))
			return -1;
		run->count++;
		run->sp = step->cfa;
		run->pc = pc;
		run->spot = step->to;
		chain->addresses[chain->count] = pc;
		chain->how[chain->count++] = UNWIND_BY_CFI;
	}
	return right;
}

/* Whether the frame's spot is known, from which all predictions start. */
static bool begin(const struct unwind_walk *walk, struct plain_run *run)
{
	const struct unwind_arch *arch = walk->arch;
	const struct unwind_frame *frame = &walk->frame;
	uint64_t key = unwind_key(frame->registers[arch->pc], frame->exact);

	run->walk = walk;
	run->snapshot = walk->snapshot;
	run->generation = walk->space->generation;
	run->epoch = walk->rows->epoch;
	run->address_mask = walk->address_mask;
	run->spots = walk->unwinder->spots;
	run->returns = walk->unwinder->returns;
	run->spot = &run->spots[unwind_spot_number(run->generation, key)];
	run->sp = frame->registers[arch->sp];
	run->count = 0;
	return run->generation && frame->known & unwind_bit(arch->sp) && is_spot(run, run->spot, key);
}

static uint64_t known_after(const struct plain_run *run)
{
	const struct unwind_arch *arch = run->walk->arch;
	uint64_t known = run->walk->frame.known, sp = unwind_bit(arch->sp);
	uint64_t overwritten = arch->link == arch->pc ? 0 : unwind_bit(arch->link); /* a call does that */

	for (const struct plain_step *step = run->steps; step < run->steps + run->count; step++)
		known = (((known & step->rule->same) | step->rule->brief.listed) & ~overwritten) | sp;
	return known;
}

/* Sets the walk's frame. Each register is read from the slot of the last step that lists it. */
static void settle(const struct plain_run *run, struct unwind_walk *walk)
{
	const struct unwind_arch *arch = walk->arch;
	struct unwind_frame *frame = &walk->frame;
	uint64_t left = known_after(run) & ~(unwind_bit(arch->sp) | unwind_bit(arch->pc));

	frame->known = left | unwind_bit(arch->sp) | unwind_bit(arch->pc);
	for (const struct plain_step *step = run->steps + run->count; left && step-- > run->steps;) {
		const struct cfi_register_rule *reg = step->rule->registers, *end = reg + step->rule->count;

		for (; step->rule->brief.listed & left && reg < end; reg++)
			if (left >> reg->reg & 1) {
				frame->registers[reg->reg] = read_slot(run->snapshot, step->cfa, reg->value);
				left &= ~unwind_bit(reg->reg);
			}
	}
	frame->registers[arch->sp] = run->sp;
	frame->registers[arch->pc] = run->pc;
	frame->exact = false;
	frame->how = UNWIND_BY_CFI;
	walk->code = (struct unwind_code){.place = (enum unwind_place)run->spot->place,
					  .rule = run->spot->rule};
}

enum unwind_stop unwind_plain_steps(struct unwind_walk *walk, struct unwind_chain *chain)
{
	size_t room = UNWIND_DEPTH - chain->count;
	unsigned int most = room < STEPS_MAX ? (unsigned int)room : STEPS_MAX, count, ahead = EXPECTED_MIN;
	struct plain_run run;
	int right = 1;

	if (!begin(walk, &run))
		return UNWIND_GOES_ON;
	while (right >= 0) {
		count = expect(&run, run.count + ahead < most ? run.count + ahead : most);
		if (count == run.count)
			break;
		right = take(&run, count, chain);
		ahead = right == 0 ? EXPECTED_MIN : ahead < EXPECTED_MAX ? 2 * ahead : EXPECTED_MAX;
	}
	if (run.spot->place == PLACE_RULE &&
	    cfi_rows_rule(walk->rows, run.spot->rule)->brief.shortcut == CFI_OUTERMOST)
		return UNWIND_CLEAN;
	if (run.count)
		settle(&run, walk);
	return UNWIND_GOES_ON;
}
