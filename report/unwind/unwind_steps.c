/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>

#include "common/bytes.h"
#include "report/unwind/unwind_internal.h"

/* --- by call frame information: a fast path for plain rules, and all other rules --- */

/*
 * Whether a register keeps its value although its slot is not in the snapshot. In an epilogue the
 * rule still refers to the slot below sp that the register was just restored from, so the
 * interrupted frame has the value. Elsewhere it is unknown.
 */
static bool keeps_value(const struct unwind_walk *walk, const struct unwind_frame *frame, unsigned int number,
			uint64_t address)
{
	return frame->exact && address < frame->registers[walk->arch->sp] && number != walk->arch->pc;
}

/*
 * Whether the frame can have been called from one at `cfa`. An interrupted function may share its
 * caller's sp: a leaf on aarch64, vfork on x86-64, which keeps its return address in a register.
 */
static bool grows(const struct unwind_walk *walk, const struct unwind_frame *frame, uint64_t cfa)
{
	uint64_t sp = frame->registers[walk->arch->sp];

	return cfa > sp || (cfa == sp && frame->exact);
}

static enum unwind_stop finish(const struct unwind_walk *walk, struct unwind_frame *frame, bool signal)
{
	frame->exact = signal;
	frame->how = UNWIND_BY_CFI;
	if (!signal && walk->arch->link != walk->arch->pc)
		frame->known &= ~unwind_bit(walk->arch->link); /* overwritten by a call */
	return UNWIND_GOES_ON;
}

static enum unwind_stop step_plain(struct unwind_walk *walk, const struct cfi_rule *rule,
				   struct unwind_frame *frame)
{
	uint64_t cfa, known = frame->known & rule->same, wanted = 0;
	uint64_t pc_bit = unwind_bit(walk->arch->pc);

	if (!(frame->known >> rule->cfa_register & 1))
		return UNWIND_NO_CFI;
	cfa = frame->registers[rule->cfa_register] + (uint64_t)(int64_t)rule->cfa_value;
	for (const struct cfi_register_rule *reg = rule->registers;
	     reg < rule->registers + rule->count; reg++) {
		uint64_t address = cfa + (uint64_t)(int64_t)reg->value, bit = unwind_bit(reg->reg);

		wanted |= bit;
		if (unwind_read(walk->snapshot, address, &frame->registers[reg->reg]))
			known |= bit;
		else if (keeps_value(walk, frame, reg->reg, address))
			known |= frame->known & bit;
	}
	if (!(known & pc_bit)) {
		walk->missing = cfa;
		return wanted & pc_bit ? UNWIND_TRUNCATED : UNWIND_CLEAN;
	}
	if (!grows(walk, frame, cfa))
		return UNWIND_BAD_RETURN;
	frame->registers[walk->arch->sp] = cfa;
	frame->known = known | unwind_bit(walk->arch->sp);
	return finish(walk, frame, false);
}

/* --- expressions --- */

static int read_memory(void *opaque, uint64_t address, size_t size, uint64_t *ret_value)
{
	struct unwind_walk *walk = opaque;
	const uint8_t *bytes = unwind_bytes(walk->snapshot, address, size);

	if (!bytes) {
		walk->missing = address;
		return -EFAULT;
	}
	*ret_value = 0;
	memcpy(ret_value, bytes, size);
	return 0;
}

/* `position` of the expression's length in its section. */
static int evaluate(struct unwind_walk *walk, const struct cfi_rule *rule, const struct unwind_frame *frame,
		    int32_t position, const uint64_t *initial, uint64_t *ret_value)
{
	uint64_t pc = frame->registers[walk->arch->pc];
	enum cfi_kind kind = rule->flags & CFI_RULE_DEBUG_FRAME ? CFI_DEBUG_FRAME : CFI_EH_FRAME;
	struct unwind_mapping mapping;
	struct byte_cursor cursor;
	struct cfi_bytes bytes;

	if (!walk->space->find(walk->space->context, pc - !frame->exact, &mapping) || !mapping.cfi)
		return -EBADMSG;
	bytes = cfi_section_bytes(mapping.cfi, kind);
	if (position < 0 || (size_t)position > bytes.size)
		return -EBADMSG;
	cursor = byte_cursor_make(bytes.bytes + position, bytes.size - (size_t)position);
	cursor = byte_cursor_sub(&cursor, byte_cursor_varint(&cursor));
	if (cursor.bad)
		return -EBADMSG;
	return expression_evaluate(
		&(struct expression_context){
			.registers = frame->registers,
			.known = frame->known,
			.register_count = walk->arch->register_count,
			.bias = mapping.bias,
			.read = read_memory,
			.memory = walk,
			.steps_left = &walk->steps_left,
		},
		cursor.next, byte_cursor_left(&cursor), initial, ret_value);
}

static int find_cfa(struct unwind_walk *walk, const struct cfi_rule *rule, const struct unwind_frame *frame,
		    uint64_t *ret_cfa)
{
	if (rule->cfa_kind == CFI_VALUE_EXPRESSION)
		return evaluate(walk, rule, frame, rule->cfa_value, NULL, ret_cfa);
	if (!(frame->known >> rule->cfa_register & 1))
		return -ENODATA;
	*ret_cfa = frame->registers[rule->cfa_register] + (uint64_t)(int64_t)rule->cfa_value;
	return 0;
}

/* One register of the caller: 0; -EFAULT: not in the snapshot; or why its rule cannot be applied. */
static int find_register(struct unwind_walk *walk, const struct cfi_rule *rule,
			 const struct cfi_register_rule *reg, uint64_t cfa,
			 const struct unwind_frame *frame, uint64_t *ret_value)
{
	uint64_t value = cfa + (uint64_t)(int64_t)reg->value;
	int r = 0;

	switch (reg->kind) {
	case CFI_REGISTER:
		*ret_value = frame->registers[reg->value];
		return frame->known >> reg->value & 1 ? 0 : -ENODATA;
	case CFI_EXPRESSION:
	case CFI_VALUE_EXPRESSION:
		r = evaluate(walk, rule, frame, reg->value, &cfa, &value);
		break;
	default:
		break;
	}
	if (r < 0)
		return r;
	if (reg->kind == CFI_VALUE_OFFSET || reg->kind == CFI_VALUE_EXPRESSION) {
		*ret_value = value;
		return 0;
	}
	if (unwind_read(walk->snapshot, value, ret_value))
		return 0;
	if (!keeps_value(walk, frame, reg->reg, value) || !(frame->known >> reg->reg & 1))
		return -EFAULT;
	*ret_value = frame->registers[reg->reg];
	return 0;
}

static enum unwind_stop step_any(struct unwind_walk *walk, const struct cfi_rule *rule,
				 struct unwind_frame *frame)
{
	const struct unwind_frame callee = *frame;
	unsigned int sp = walk->arch->sp, pc = walk->arch->pc;
	uint64_t cfa, sp_listed = rule->same & unwind_bit(sp);
	bool signal = rule->flags & CFI_RULE_SIGNAL;
	int r = find_cfa(walk, rule, &callee, &cfa), pc_error = 1;

	if (r < 0)
		return r == -EFAULT ? UNWIND_TRUNCATED : UNWIND_NO_CFI;
	walk->missing = cfa;
	frame->known = callee.known & rule->same;
	for (const struct cfi_register_rule *reg = rule->registers;
	     reg < rule->registers + rule->count; reg++) {
		r = find_register(walk, rule, reg, cfa, &callee, &frame->registers[reg->reg]);
		if (!r)
			frame->known |= unwind_bit(reg->reg);
		if (reg->reg == pc)
			pc_error = r;
		if (reg->reg == sp)
			sp_listed = 1;
	}
	if (!sp_listed) {
		frame->registers[sp] = cfa;
		frame->known |= unwind_bit(sp);
	}
	if (!(frame->known >> pc & 1)) {
		if (pc_error > 0)
			return UNWIND_CLEAN;
		if (pc_error == -EFAULT)
			return UNWIND_TRUNCATED;
		return pc_error == -ENODATA ? UNWIND_BAD_RETURN : UNWIND_NO_CFI;
	}
	if (!(frame->known >> sp & 1))
		return UNWIND_NO_CFI;
	if (!signal && !grows(walk, &callee, frame->registers[sp]))
		return UNWIND_BAD_RETURN; /* signal frames are exempt: a handler may have its own stack */
	return finish(walk, frame, signal);
}

int unwind_step_rule(struct unwind_walk *walk, uint32_t number, struct unwind_frame *frame)
{
	const struct cfi_rule *rule = cfi_rows_rule(walk->rows, number);

	return rule->flags & CFI_RULE_PLAIN ? step_plain(walk, rule, frame) : step_any(walk, rule, frame);
}

/*
 * --- a run of plain steps ---
 *
 * The common steps: by a plain rule, to code that was reached before. They spend their time waiting
 * for memory: each step needs bytes of the stack to know where the next one reads. So a few steps
 * are predicted first, to the same callers as the last time: that needs no byte of the stack, and
 * prefetches all of their slots at once. Then the return addresses are checked. Callee-saved
 * registers are not read until they are needed.
 *
 * A step is made here only if unwind_walk_next() would make the same one; everything else is left
 * to it.
 */

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

/*
 * --- without call frame information ---
 *
 * Steps without call frame information: by the kernel's layout at the trampoline of signals, by frame records, and by
 * the chain of frame records that the kernel followed. Where there is none of them, the chain ends: a word that happens
 * to lie on the stack is no caller.
 */

/* Restores the registers from the kernel's struct rt_sigframe, which is at sp when the handler has returned. */
int unwind_step_trampoline(struct unwind_walk *walk, struct unwind_frame *frame)
{
	const struct unwind_arch *arch = walk->arch;
	uint64_t base = frame->registers[arch->sp], known = 0;

	for (unsigned int i = 0; i < arch->register_count; i++)
		if (unwind_read(walk->snapshot, base + arch->signal_frame[i], &frame->registers[i]))
			known |= unwind_bit(i);
	if (!(known >> arch->pc & 1) || !(known >> arch->sp & 1)) {
		walk->missing = base + arch->signal_frame[arch->pc];
		return UNWIND_TRUNCATED;
	}
	frame->known = known;
	frame->exact = true;
	frame->how = UNWIND_BY_CFI; /* as reliable as CFI */
	return UNWIND_GOES_ON;
}

/* --- frame records --- */

static bool is_code(struct unwind_walk *walk, uint64_t address)
{
	struct unwind_code code;

	address &= walk->address_mask;
	return address && !unwind_find_code(walk, address, false, &code) && code.place != PLACE_UNMAPPED;
}

/* Whether the frame pointer may point to another stack: code that switches stacks may keep it (Go's asmcgocall). */
static bool leads_off(const struct unwind_walk *walk, const struct unwind_frame *frame)
{
	enum { LEAST = 1 << 16, ADDRESS_BITS = 47 };
	uint64_t fp = frame->registers[walk->arch->fp], unused;

	return frame->known & unwind_bit(walk->arch->fp) && !(fp & 7) && fp >= LEAST &&
	       !(fp >> ADDRESS_BITS) && !unwind_read(walk->snapshot, fp, &unused);
}

/* Whether it was interrupted between saving the caller's frame pointer and setting its own: the record is at sp. */
static bool just_saved(struct unwind_walk *walk, const struct unwind_frame *frame, uint64_t fp)
{
	uint64_t sp = frame->registers[walk->arch->sp], saved, pc;

	return frame->exact && fp != sp && unwind_read(walk->snapshot, sp, &saved) && saved == fp &&
	       unwind_read(walk->snapshot, sp + 8, &pc) && is_code(walk, pc);
}

/*
 * The frame record at the frame pointer: {caller's frame pointer, return address}, on both
 * machines. Which other registers the function has saved, and where, is unknown. A function that was
 * interrupted may have none, so that the record is that of a caller; but code made at run time has one.
 */
static int step_record(struct unwind_walk *walk, bool made, struct unwind_frame *frame)
{
	const struct unwind_arch *arch = walk->arch;
	uint64_t fp = frame->registers[arch->fp], next, pc;
	bool own = !frame->exact || made, saved;

	if (!(frame->known >> arch->fp & 1) || !fp || fp & 7)
		return UNWIND_NO_CFI;
	walk->missing = fp;
	saved = just_saved(walk, frame, fp);
	if (saved)
		fp = frame->registers[arch->sp];
	if (fp < frame->registers[arch->sp] || !unwind_read(walk->snapshot, fp, &next) ||
	    !unwind_read(walk->snapshot, fp + 8, &pc))
		return unwind_is_cut(walk) || (frame->how == UNWIND_BY_FRAME_POINTER && leads_off(walk, frame)) ?
			       UNWIND_TRUNCATED : UNWIND_NO_CFI;
	if (!is_code(walk, pc))
		return UNWIND_BAD_RETURN;
	frame->registers[arch->pc] = pc & walk->address_mask;
	frame->registers[arch->fp] = next;
	frame->registers[arch->sp] = fp + 16;
	frame->known = unwind_bit(arch->pc) | unwind_bit(arch->fp) | unwind_bit(arch->sp);
	frame->exact = false;
	frame->how = own || saved ? UNWIND_BY_FRAME_POINTER : UNWIND_BY_OUTER_RECORD;
	return UNWIND_GOES_ON;
}

int unwind_step_without_cfi(struct unwind_walk *walk, enum unwind_place place, struct unwind_frame *frame)
{
	uint64_t address = frame->registers[walk->arch->pc] - !frame->exact;
	struct unwind_mapping mapping;
	enum unwind_named_kind kind;

	if (!(frame->known >> walk->arch->sp & 1) || !walk->space->find(walk->space->context, address, &mapping))
		return UNWIND_NO_CFI;
	kind = unwind_kind(walk, address);
	if (kind == NAMED_FIRST || ((kind == NAMED_CHILD || (mapping.linker && place == PLACE_GAP)) && !frame->exact))
		return UNWIND_CLEAN;
	if (kind == NAMED_SWITCH && !frame->exact) {
		walk->missing = leads_off(walk, frame) ? frame->registers[walk->arch->fp] : 0;
		return UNWIND_TRUNCATED;
	}
	return step_record(walk, mapping.made, frame);
}

/* --- the recorded chain --- */

/* After the outermost frame that both chains have. If they have none in common, the recorded one adds nothing. */
static size_t first_behind(const struct unwind_tail *tail, uint64_t mask, const struct unwind_chain *chain)
{
	for (size_t frame = chain->count; frame-- > 0;)
		for (size_t i = tail->count; i-- > 0;)
			if ((tail->addresses[i] & mask) == chain->addresses[frame])
				return i + 1;
	return tail->count;
}

void unwind_append_tail(const struct unwind_walk *walk, struct unwind_chain *chain)
{
	const struct unwind_tail *tail = &walk->snapshot->tail;
	struct unwind_mapping unused;

	for (size_t i = first_behind(tail, walk->address_mask, chain); i < tail->count && chain->count < UNWIND_DEPTH;
	     i++) {
		uint64_t address = tail->addresses[i] & walk->address_mask;

		if (!walk->space->find(walk->space->context, address - 1, &unused))
			break;
		chain->addresses[chain->count] = address;
		chain->how[chain->count++] = UNWIND_BY_TAIL;
	}
}
