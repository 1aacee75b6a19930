/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/unwind/unwind_evidence.h"

#include "common/elf/call_code.h"

enum {
	PROLOGUE_BYTES = 256, /* a frame record is set up within these, if at all */
	BODY_BYTES = 4096,    /* searched for a tail jump */
	SMALL_BYTES = 256,    /* largest body in which a jump through a register is accepted */
	BODY_STEP = 16,
	JUMPS_FOLLOWED = 4,
	REACH = 64 << 10, /* distance from a call's target to the pc, if the function's start is unknown */
	TRIAL_STEPS = 48,
	TRIAL_SEARCHES = 3,
};

static bool read_code(const struct unwind_walk *walk, uint64_t address, size_t size, uint8_t *bytes)
{
	return walk->space->read_code && walk->space->read_code(walk->space->context, address, size, bytes);
}

/* --- the function --- */

static bool find_named(const struct unwind_walk *walk, uint64_t address, struct unwind_named *ret_named)
{
	return walk->space->find_name && walk->space->find_name(walk->space->context, address, ret_named);
}

static uint64_t start_by_cfi(const struct unwind_walk *walk, uint64_t address)
{
	struct unwind_mapping mapping;
	struct cfi_fde fde;
	uint32_t number;

	if (!walk->space->find(walk->space->context, address, &mapping) || !mapping.cfi)
		return 0;
	for (enum cfi_kind kind = CFI_EH_FRAME; kind <= CFI_DEBUG_FRAME; kind++)
		if (cfi_section_find(mapping.cfi, kind, address - mapping.bias, &number) &&
		    !cfi_section_fde(mapping.cfi, number, &fde) &&
		    address - mapping.bias - fde.start < fde.end - fde.start)
			return fde.start + mapping.bias;
	return 0;
}

static enum unwind_record find_record(const struct unwind_walk *walk,
				      const struct unwind_function *function, uint64_t pc)
{
	uint8_t bytes[PROLOGUE_BYTES];
	uint64_t size = pc - function->start;

	if (function->kind == NAMED_KEEPER || !function->start)
		return RECORD_UNKNOWN;
	size = size < sizeof(bytes) ? size : sizeof(bytes);
	if (!read_code(walk, function->start, size, bytes))
		return RECORD_UNKNOWN;
	return frame_code_kept(walk->arch->machine, bytes, size) ? RECORD_KEPT : RECORD_NOT_KEPT;
}

void unwind_find_function(const struct unwind_walk *walk, const struct unwind_frame *frame,
			  struct unwind_function *ret_function)
{
	uint64_t pc = frame->registers[walk->arch->pc], address = pc - !frame->exact;
	struct unwind_named named;
	uint8_t byte;

	*ret_function = (struct unwind_function){.pc = address};
	if (find_named(walk, address, &named)) {
		ret_function->start = named.start;
		ret_function->kind = named.kind;
	} else {
		ret_function->start = start_by_cfi(walk, address);
	}
	ret_function->record = find_record(walk, ret_function, pc);
	ret_function->code = ret_function->record || read_code(walk, address, 1, &byte);
}

bool unwind_is_first(const struct unwind_frame *frame, const struct unwind_function *function)
{
	return function->kind == NAMED_FIRST || (function->kind == NAMED_CHILD && !frame->exact);
}

bool unwind_returns(const struct unwind_walk *walk, const struct unwind_frame *frame)
{
	uint8_t bytes[4];

	return frame->exact && read_code(walk, frame->registers[walk->arch->pc], sizeof(bytes), bytes) &&
	       return_code_at(walk->arch->machine, bytes, sizeof(bytes));
}

/* --- the call --- */

/* The size up to the next named function. */
static size_t body_size(const struct unwind_walk *walk, uint64_t start)
{
	struct unwind_named named;
	size_t size = BODY_STEP;

	while (size < BODY_BYTES && (!find_named(walk, start + size, &named) || named.start <= start))
		size += BODY_STEP;
	return size;
}

/* Whether the called function continues in the callee, by a jump somewhere in its body. */
static enum unwind_evidence judge_jumps(const struct unwind_walk *walk, uint64_t called,
					const struct unwind_function *callee)
{
	uint8_t bytes[BODY_BYTES];
	size_t size = body_size(walk, called);
	enum jump_code jump;

	while (size >= JUMP_CODE_BYTES && !read_code(walk, called, size, bytes))
		size /= 2; /* at the end of the text */
	if (size < JUMP_CODE_BYTES)
		return EVIDENCE_OTHER;
	jump = jump_code_leads(walk->arch->machine, bytes, size, called, callee->start, callee->pc);
	if (jump == JUMP_CODE_DIRECT)
		return EVIDENCE_CALL;
	return jump == JUMP_CODE_ANYWHERE && size <= SMALL_BYTES ? EVIDENCE_MAYBE : EVIDENCE_OTHER;
}

static enum unwind_evidence judge_target(const struct unwind_walk *walk, uint64_t target,
					 const struct unwind_function *callee)
{
	uint8_t bytes[JUMP_CODE_BYTES];
	enum jump_code jump = JUMP_CODE_DIRECT;
	uint64_t at = target;

	if (!callee->start)
		return callee->pc - target < REACH ? EVIDENCE_MAYBE : EVIDENCE_OTHER;
	for (int i = 0; i < JUMPS_FOLLOWED && jump == JUMP_CODE_DIRECT; i++) {
		if (at == callee->start)
			return EVIDENCE_CALL;
		if (at - callee->start <= callee->pc - callee->start)
			return EVIDENCE_MAYBE; /* the function may have several entry points */
		if (!read_code(walk, at, sizeof(bytes), bytes))
			return EVIDENCE_OTHER;
		jump = jump_code_at(walk->arch->machine, bytes, at, &at);
	}
	return jump == JUMP_CODE_ANYWHERE ? EVIDENCE_MAYBE : judge_jumps(walk, target, callee);
}

enum unwind_evidence unwind_judge(const struct unwind_walk *walk, uint64_t address,
				  const struct unwind_function *callee)
{
	enum unwind_evidence evidence = EVIDENCE_OTHER;
	uint8_t bytes[CALL_CODE_BYTES];
	struct unwind_named caller;
	struct call_code call;

	address &= walk->address_mask;
	if (!read_code(walk, address - CALL_CODE_BYTES, sizeof(bytes), bytes))
		return EVIDENCE_UNKNOWN;
	if (!call_code_before(walk->arch->machine, bytes, address, &call))
		return EVIDENCE_NO_CALL;
	if (call.direct)
		evidence = judge_target(walk, call.target, callee);
	if (evidence == EVIDENCE_OTHER && find_named(walk, address - 1, &caller) &&
	    caller.kind == NAMED_FIRST)
		return EVIDENCE_MAYBE; /* as with musl's _start, from which several jumps lead to the callee */
	return call.indirect && evidence < EVIDENCE_MAYBE ? EVIDENCE_MAYBE : evidence;
}

/* --- trials --- */

/* Whether no call by the walk's frame can have led to `from`. */
static bool is_refuted(const struct unwind_walk *walk, const struct unwind_frame *from)
{
	struct unwind_function function;
	enum unwind_evidence evidence;

	if (walk->frame.exact) /* it was interrupted, and made no call */
		return false;
	unwind_find_function(walk, from, &function);
	evidence = unwind_judge(walk, walk->frame.registers[walk->arch->pc], &function);
	if (evidence == EVIDENCE_NO_CALL) { /* unless the kernel or a runtime wrote the address */
		unwind_find_function(walk, &walk->frame, &function);
		return walk->code.place != PLACE_TRAMPOLINE && !unwind_is_first(&walk->frame, &function);
	}
	return evidence == EVIDENCE_OTHER;
}

enum unwind_trial unwind_try(struct unwind_walk *walk, const struct unwind_frame *guess)
{
	struct unwind_walk trial = *walk;
	int r = UNWIND_GOES_ON;

	if (!walk->trials_left)
		return TRIAL_OPEN;
	walk->trials_left--;
	trial.trial = true;
	trial.searches_left = TRIAL_SEARCHES;
	trial.frame = *guess;
	if (unwind_find_code(&trial, guess->registers[walk->arch->pc], false, &trial.code) < 0)
		return TRIAL_OPEN;
	for (int i = 0; i < TRIAL_STEPS && r == UNWIND_GOES_ON; i++) {
		struct unwind_frame from = trial.frame;

		r = unwind_walk_next(&trial);
		if (r == UNWIND_GOES_ON && is_refuted(&trial, &from))
			r = UNWIND_BAD_RETURN;
	}
	walk->steps_left = trial.steps_left;
	if (r == UNWIND_BAD_RETURN)
		return TRIAL_REFUTED;
	if (r == UNWIND_TRUNCATED)
		return unwind_is_cut(&trial) ? TRIAL_PROVEN : TRIAL_OPEN;
	return r == UNWIND_CLEAN || r == UNWIND_GOES_ON ? TRIAL_PROVEN : TRIAL_OPEN;
}
