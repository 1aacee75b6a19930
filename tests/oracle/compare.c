/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "tests/oracle/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/unconst.h"
#include "report/unwind/unwind_internal.h"
#include "tests/oracle/libdw_step.h"
#include "tests/unwind_stop.h"

enum { PC = 16, SP = 7, COUNT = 17, SHOWN_MAX = 20 };

void oracle_input(const struct oracle_snapshot *snapshot, struct unwind_space *ret_space,
		  struct unwind_snapshot *ret_snapshot)
{
	*ret_space = (struct unwind_space){
		.context = unconst(snapshot->space),
		.find = oracle_find,
		.generation = snapshot->space->generation,
	};
	*ret_snapshot = (struct unwind_snapshot){
		.registers = snapshot->registers,
		.known = snapshot->known,
		.stack = snapshot->stack,
		.stack_address = snapshot->stack_address,
		.stack_size = snapshot->stack_size,
	};
}

/* What our walk must report if libdw says `theirs`. */
static int expected(const struct oracle_snapshot *snapshot, enum libdw_step step, const struct unwind_frame *callee,
		    const struct unwind_frame *theirs)
{
	switch (step) {
	case LIBDW_OUTERMOST:
		return UNWIND_CLEAN;
	case LIBDW_UNREADABLE:
		return UNWIND_TRUNCATED;
	case LIBDW_UNKNOWN:
		return UNWIND_NO_CFI;
	default:
		break;
	}
	if (!theirs->exact && theirs->registers[SP] < callee->registers[SP] + !callee->exact)
		return UNWIND_BAD_RETURN;
	if (!theirs->registers[PC])
		return UNWIND_BAD_RETURN;
	return oracle_mapping_at(snapshot->space, theirs->registers[PC] - !theirs->exact) ? UNWIND_GOES_ON :
											   UNWIND_BAD_RETURN;
}

/* The number of the first register that differs, -1 if none does. */
static int compare_registers(const struct unwind_frame *ours, const struct unwind_frame *theirs)
{
	if (ours->exact != theirs->exact)
		return PC;
	for (int i = 0; i < COUNT; i++) {
		bool known = ours->known >> i & 1;

		if (known != (theirs->known >> i & 1) || (known && ours->registers[i] != theirs->registers[i]))
			return i;
	}
	return -1;
}

static void show(struct oracle_tally *tally, const struct oracle_snapshot *snapshot, const struct unwind_frame *callee,
		 const char *what, int ours, int theirs)
{
	const struct oracle_mapping *map = oracle_mapping_at(snapshot->space, callee->registers[PC]);

	tally->different++;
	if (tally->shown++ >= SHOWN_MAX)
		return;
	printf("# different at %#" PRIx64 " (%s, %#" PRIx64 "): %s: ours %d, libdw %d\n", callee->registers[PC],
	       map && map->module != UINT32_MAX ? snapshot->space->modules->items.items[map->module]->path : "?",
	       map ? callee->registers[PC] - map->bias : 0, what, ours, theirs);
}

/* Shows where a chain ended that should have continued. */
static void show_end(struct oracle_tally *tally, const struct oracle_snapshot *snapshot,
		     const struct unwind_frame *last, int depth, int stop)
{
	uint64_t pc = last->registers[PC];
	const struct oracle_mapping *map = oracle_mapping_at(snapshot->space, pc - !last->exact);

	if (stop == UNWIND_CLEAN || !tally->ends)
		return;
	tally->ends--;
	printf("# frame %d at %#" PRIx64 " (%s, %#" PRIx64 "), sp +%" PRIx64 " of %zx, "
	       "rbp %#" PRIx64 "%s: %s\n", depth, pc,
	       map && map->module != UINT32_MAX ? snapshot->space->modules->items.items[map->module]->path : "?",
	       map ? pc - map->bias : 0, last->registers[SP] - snapshot->stack_address,
	       snapshot->stack_size, last->registers[6], last->known >> 6 & 1 ? "" : " (unknown)",
	       unwind_stop_name((enum unwind_stop)stop));
}

static void judge(struct oracle_tally *tally, const struct oracle_snapshot *snapshot, const struct unwind_frame *callee,
		  const struct unwind_frame *theirs, enum libdw_step step, const struct unwind_frame *ours, int result)
{
	int want = expected(snapshot, step, callee, theirs), reg;

	tally->judged++;
	if (result != want) {
		show(tally, snapshot, callee, "result", result, want);
		return;
	}
	reg = result == UNWIND_GOES_ON ? compare_registers(ours, theirs) : -1;
	if (reg >= 0)
		show(tally, snapshot, callee, "register, known", reg << 1 | (int)(ours->known >> reg & 1),
		     reg << 1 | (int)(theirs->known >> reg & 1));
}

/* How a frame was found is part of the chain: the name of its end depends on it. */
static void append(struct unwind_chain *chain, const struct unwind_frame *frame)
{
	chain->addresses[chain->count] = frame->registers[PC];
	chain->how[chain->count++] = frame->how | (frame->exact ? UNWIND_EXACT : 0);
}

/* The whole chain, which other code walks faster, must equal the result of the single steps. */
static void compare_chain(struct unwinder *unwinder, const struct oracle_snapshot *snapshot,
			  const struct unwind_chain *steps, struct oracle_tally *tally)
{
	struct unwind_snapshot input;
	struct unwind_space space;
	struct unwind_chain chain;

	oracle_input(snapshot, &space, &input);
	if (unwinder_run(unwinder, &space, &input, &chain) < 0 || chain.count != steps->count ||
	    chain.stop != steps->stop || memcmp(chain.addresses, steps->addresses,
						chain.count * sizeof(*chain.addresses)) != 0 ||
	    memcmp(chain.how, steps->how, chain.count * sizeof(*chain.how)) != 0) {
		tally->different++;
		if (tally->shown++ < SHOWN_MAX)
			printf("# different at %#" PRIx64 ": the chain has %zu frames (%s), by steps %zu (%s)\n",
			       snapshot->registers[PC], chain.count, unwind_stop_name(chain.stop), steps->count,
			       unwind_stop_name(steps->stop));
	}
}

static int compare_steps(struct unwinder *unwinder, const struct oracle_snapshot *snapshot, int limit,
			 struct oracle_tally *tally)
{
	struct unwind_chain chain = {.count = 0};
	struct unwind_snapshot input;
	struct unwind_space space;
	struct unwind_walk walk;
	int r;

	oracle_input(snapshot, &space, &input);
	r = unwind_walk_begin(&walk, unwinder, &space, &input);
	for (int depth = 0; !r; depth++) {
		struct unwind_frame callee = walk.frame, theirs = walk.frame;
		enum libdw_step step = libdw_step(snapshot, &theirs);
		enum unwind_place place = walk.code.place;

		tally->frames++;
		if (depth < limit)
			append(&chain, &callee);
		r = depth < limit ? unwind_settle_at_begin(&walk, &chain) : 0;
		if (r < 0)
			break;
		r = depth < limit ? unwind_walk_next(&walk) : UNWIND_TOO_DEEP;
		if (r > 0)
			show_end(tally, snapshot, &callee, depth, r);
		if (r < 0 || r == UNWIND_TOO_DEEP)
			break;
		tally->by_pointer += !r && walk.frame.how != UNWIND_BY_CFI;
		if ((step == LIBDW_NO_FRAME) != (place != PLACE_RULE))
			show(tally, snapshot, &callee, "whether there is call frame information", place, step);
		else if (step == LIBDW_NO_FRAME)
			tally->unjudged++;
		else
			judge(tally, snapshot, &callee, &theirs, step, &walk.frame, r);
	}
	if (r < 0)
		return r;
	tally->samples++;
	tally->stops[r]++;
	chain.stop = r == UNWIND_TOO_DEEP ? UNWIND_TOO_DEEP : unwind_reason(&walk, (enum unwind_stop)r);
	if (limit == UNWIND_DEPTH)
		compare_chain(unwinder, snapshot, &chain, tally);
	return 0;
}

int oracle_compare(struct unwinder *unwinder, const struct oracle_snapshot *snapshot, struct oracle_tally *tally)
{
	return compare_steps(unwinder, snapshot, UNWIND_DEPTH, tally);
}

int oracle_compare_step(struct unwinder *unwinder, const struct oracle_snapshot *snapshot, struct oracle_tally *tally)
{
	return compare_steps(unwinder, snapshot, 1, tally);
}
