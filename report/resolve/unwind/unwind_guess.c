/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Steps without call frame information: signal trampolines by the kernel's layout, frame pointers, and guesses. */
#include "report/resolve/unwind/unwind_evidence.h"

enum {
	TRIALS = 8,	  /* per search, for each kind of evidence */
	NEAR_WORDS = 128, /* limit for an uncertain caller: farther up there is always one, main()'s */
};

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

static bool is_code(struct unwind_walk *walk, uint64_t address)
{
	struct unwind_code code;

	address &= walk->address_mask;
	return address && !unwind_find_code(walk, address, false, &code) && code.place != PLACE_UNMAPPED;
}

/* --- frame pointers --- */

/*
 * Whether a frame pointer to memory outside of the snapshot is valid: it points a little beyond it,
 * or was left by code that keeps frame pointers, such as Go's when it switches to the system stack
 * and back.
 */
static bool leads_elsewhere(const struct unwind_walk *walk, const struct unwind_frame *frame)
{
	uint64_t unused;

	return unwind_is_cut(walk) || (frame->how == UNWIND_BY_FRAME_POINTER &&
				       !unwind_read(walk->snapshot, walk->missing, &unused));
}

/*
 * Go calls its copying routines with a frame record right below sp. No snapshot has it, but a walk
 * by frame pointers inside the process finds it.
 */
static bool leads_below(const struct unwind_walk *walk, const struct unwind_frame *frame, uint64_t fp)
{
	return frame->exact && fp + 8 == frame->registers[walk->arch->sp] && walk->snapshot->tail.count;
}

/* Whether it was interrupted between saving the caller's frame pointer and setting its own: the record is at sp. */
static bool just_saved(struct unwind_walk *walk, const struct unwind_frame *frame, uint64_t fp)
{
	uint64_t sp = frame->registers[walk->arch->sp], saved, pc;

	return frame->exact && fp != sp && unwind_read(walk->snapshot, sp, &saved) && saved == fp &&
	       unwind_read(walk->snapshot, sp + 8, &pc) && is_code(walk, pc);
}

/* Whether to believe that the function keeps a frame record, and that `pc` from it is the return address. */
static bool is_believed(struct unwind_walk *walk, const struct unwind_function *function, uint64_t pc)
{
	struct unwind_frame to = {.registers[0] = 0};
	struct unwind_function caller;

	if (function->record == RECORD_KEPT || unwind_judge(walk, pc, function) != EVIDENCE_NO_CALL)
		return true;
	to.registers[walk->arch->pc] = pc;
	unwind_find_function(walk, &to, &caller);
	return unwind_is_first(&to, &caller);
}

/*
 * The frame record at the frame pointer: {caller's frame pointer, return address}, on both
 * machines. Which other registers the function has saved, and where, is unknown.
 */
static int step_frame_pointer(struct unwind_walk *walk, const struct unwind_function *function,
			      struct unwind_frame *frame)
{
	const struct unwind_arch *arch = walk->arch;
	const struct unwind_snapshot *snapshot = walk->snapshot;
	uint64_t fp = frame->registers[arch->fp], next, pc;

	if (!(frame->known >> arch->fp & 1) || !fp || fp & 7)
		return UNWIND_NO_CFI;
	walk->missing = fp;
	if (leads_below(walk, frame, fp))
		return UNWIND_TRUNCATED;
	if (just_saved(walk, frame, fp))
		fp = frame->registers[arch->sp];
	if (fp < frame->registers[arch->sp] || !unwind_read(snapshot, fp, &next) ||
	    !unwind_read(snapshot, fp + 8, &pc))
		return leads_elsewhere(walk, frame) ? UNWIND_TRUNCATED : UNWIND_NO_CFI;
	pc &= walk->address_mask;
	if (!is_code(walk, pc) || !is_believed(walk, function, pc))
		return UNWIND_BAD_RETURN;
	frame->registers[arch->pc] = pc;
	frame->registers[arch->fp] = next;
	frame->registers[arch->sp] = fp + 16;
	frame->known = unwind_bit(arch->pc) | unwind_bit(arch->fp) | unwind_bit(arch->sp);
	frame->exact = false;
	frame->how = UNWIND_BY_FRAME_POINTER;
	return UNWIND_GOES_ON;
}

/* --- guesses --- */

static void return_to(const struct unwind_walk *walk, uint64_t pc, uint64_t sp, struct unwind_frame *frame)
{
	const struct unwind_arch *arch = walk->arch;

	frame->registers[arch->pc] = pc & walk->address_mask;
	frame->registers[arch->sp] = sp;
	frame->known &= arch->preserved & ~unwind_bit(arch->link);
	frame->known |= unwind_bit(arch->pc) | unwind_bit(arch->sp);
	frame->exact = false;
	frame->how = UNWIND_BY_GUESS;
}

/*
 * For an interrupted function that has pushed nothing, or popped everything: the return address is
 * where the call put it.
 */
static bool find_leaf_caller(struct unwind_walk *walk, const struct unwind_frame *frame,
			     uint64_t *ret_pc, uint64_t *ret_sp)
{
	const struct unwind_arch *arch = walk->arch;
	uint64_t sp = frame->registers[arch->sp];

	if (arch->link == arch->pc) {
		*ret_sp = sp + 8;
		return unwind_read(walk->snapshot, sp, ret_pc) && is_code(walk, *ret_pc);
	}
	*ret_sp = sp;
	*ret_pc = frame->registers[arch->link];
	return frame->known >> arch->link & 1 && is_code(walk, *ret_pc);
}

/* `least`: the least evidence required. */
static bool step_leaf(struct unwind_walk *walk, const struct unwind_function *function,
		      enum unwind_evidence least, struct unwind_frame *frame)
{
	uint64_t pc, sp;

	if (!frame->exact || !find_leaf_caller(walk, frame, &pc, &sp))
		return false;
	if (unwind_returns(walk, frame) && least > EVIDENCE_OTHER)
		least = EVIDENCE_OTHER;
	if (unwind_judge(walk, pc, function) < least)
		return false;
	return_to(walk, pc, sp, frame);
	return true;
}

static void restore_frame_pointer(const struct unwind_walk *walk, uint64_t record, struct unwind_frame *frame)
{
	if (unwind_read(walk->snapshot, record, &frame->registers[walk->arch->fp]))
		frame->known |= unwind_bit(walk->arch->fp);
}

/* The evidence required for the caller of a leaf: less if less is known about the function. */
static enum unwind_evidence least_evidence(const struct unwind_function *function, bool leaf_first)
{
	if (!leaf_first || function->start)
		return EVIDENCE_CALL;
	return function->code ? EVIDENCE_MAYBE : EVIDENCE_UNKNOWN;
}

/*
 * Judges a word on the stack by its evidence. 1: it is the caller; 0: it may be, if nothing better
 * follows; -1: it is not.
 */
static int judge_candidate(struct unwind_walk *walk, enum unwind_evidence evidence,
			   const struct unwind_frame *candidate, unsigned int *trials)
{
	enum unwind_trial outcome;

	if (walk->trial)
		return evidence == EVIDENCE_CALL ? 1 : -1;
	if (!trials[evidence])
		return -1;
	trials[evidence]--;
	outcome = unwind_try(walk, candidate);
	if (evidence == EVIDENCE_CALL)
		return outcome != TRIAL_REFUTED ? 1 : -1;
	return outcome == TRIAL_PROVEN ? 0 : -1;
}

/*
 * For a function without a frame record and call frame information whose code is available
 * (assembly, a static musl). Searches the stack for the next return address after a call of this
 * function; else for one after a call that may have led to it, if from there to the end of the
 * stack each return address follows such a call.
 */
static int search(struct unwind_walk *walk, const struct unwind_function *function,
		  enum unwind_evidence least, struct unwind_frame *frame)
{
	uint64_t sp = frame->registers[walk->arch->sp], pc;
	unsigned int trials[] = {[EVIDENCE_UNKNOWN] = TRIALS, [EVIDENCE_MAYBE] = TRIALS,
				 [EVIDENCE_CALL] = TRIALS};
	struct unwind_frame best = {.how = UNWIND_BY_REGISTERS};
	unsigned int words;

	if (!walk->searches_left || !function->code)
		return UNWIND_NO_CFI;
	walk->searches_left--;
	words = walk->trial ? UNWIND_SEARCH_WORDS / 4 : UNWIND_SEARCH_WORDS;
	for (unsigned int i = 0; i < words && unwind_read(walk->snapshot, sp, &pc); i++) {
		struct unwind_frame candidate = *frame;
		enum unwind_evidence evidence;
		int verdict;

		sp += 8;
		if (!is_code(walk, pc))
			continue;
		evidence = unwind_judge(walk, pc, function);
		if (evidence < least ||
		    (evidence < EVIDENCE_CALL && (best.how == UNWIND_BY_GUESS || i >= NEAR_WORDS)))
			continue;
		return_to(walk, pc, sp, &candidate);
		if (function->record == RECORD_KEPT) /* and overwritten since: the caller's is in its slot */
			restore_frame_pointer(walk, sp - 16, &candidate);
		verdict = judge_candidate(walk, evidence, &candidate, trials);
		if (verdict >= 0)
			best = candidate;
		if (verdict > 0)
			break;
	}
	if (best.how != UNWIND_BY_GUESS)
		return UNWIND_NO_CFI;
	*frame = best;
	walk->guessed = true;
	return UNWIND_GOES_ON;
}

/* Whether the frame pointer may point to another stack: code that switches stacks may keep it (Go's asmcgocall). */
static bool leads_off(const struct unwind_walk *walk, const struct unwind_frame *frame)
{
	enum { LEAST = 1 << 16, ADDRESS_BITS = 47 };
	uint64_t fp = frame->registers[walk->arch->fp], unused;

	return frame->known & unwind_bit(walk->arch->fp) && !(fp & 7) && fp >= LEAST &&
	       !(fp >> ADDRESS_BITS) && !unwind_read(walk->snapshot, fp, &unused);
}

int unwind_guess_caller(struct unwind_walk *walk, struct unwind_frame *frame)
{
	struct unwind_function function;
	int r;

	unwind_find_function(walk, frame, &function);
	r = search(walk, &function, EVIDENCE_CALL, frame);
	if (r != UNWIND_NO_CFI || !leads_off(walk, frame))
		return r;
	walk->missing = frame->registers[walk->arch->fp];
	return UNWIND_TRUNCATED;
}

/* In a function that does not set the frame pointer it is that of a caller, perhaps not the next one. */
static int guess_by_frame_pointer(struct unwind_walk *walk, const struct unwind_function *function,
				  struct unwind_frame *frame)
{
	int r = walk->trial ? UNWIND_NO_CFI : step_frame_pointer(walk, function, frame);

	if (r == UNWIND_GOES_ON)
		frame->how = UNWIND_BY_GUESS;
	return r;
}

/* The last resort, after step_leaf() and step_frame_pointer(): a guess, or the reason why there is none. */
static int step_by_guess(struct unwind_walk *walk, const struct unwind_function *function, bool leaf_first,
			 struct unwind_frame *frame)
{
	enum unwind_evidence least = function->code ? EVIDENCE_MAYBE : EVIDENCE_UNKNOWN;
	bool off = frame->how == UNWIND_BY_FRAME_POINTER && leads_off(walk, frame);
	const struct unwind_frame callee = *frame;
	int r = search(walk, function, off ? EVIDENCE_CALL : EVIDENCE_MAYBE, frame);

	walk->missing = callee.registers[walk->arch->fp];
	if (r != UNWIND_NO_CFI || off)
		return r == UNWIND_NO_CFI ? UNWIND_TRUNCATED : r;
	if (function->record == RECORD_NOT_KEPT)
		r = guess_by_frame_pointer(walk, function, frame);
	if (r != UNWIND_NO_CFI && r != UNWIND_BAD_RETURN)
		return r;
	*frame = callee;
	/*
	 * A leaf without a frame, whose caller has none either, or has one on another stack (in Go,
	 * on the system stack).
	 */
	if (step_leaf(walk, function, leaf_first ? EVIDENCE_CALL : least, frame))
		return UNWIND_GOES_ON;
	return function->kind == NAMED_CHILD ? UNWIND_CLEAN : r; /* the child, before its first call */
}

int unwind_step_without_cfi(struct unwind_walk *walk, enum unwind_place place, struct unwind_frame *frame)
{
	/* Assembly among code with call frame information, or the target of a wild call. */
	bool leaf_first = place == PLACE_GAP || place == PLACE_UNMAPPED;
	const struct unwind_frame callee = *frame;
	struct unwind_function function;
	int r = UNWIND_NO_CFI, guessed;

	if (!(frame->known >> walk->arch->sp & 1))
		return UNWIND_NO_CFI;
	unwind_find_function(walk, frame, &function);
	if (unwind_is_first(frame, &function))
		return UNWIND_CLEAN;
	if (function.kind == NAMED_SWITCH && !frame->exact) {
		walk->missing = leads_off(walk, frame) ? frame->registers[walk->arch->fp] : 0;
		return UNWIND_TRUNCATED;
	}
	if (step_leaf(walk, &function, least_evidence(&function, leaf_first), frame))
		return UNWIND_GOES_ON;
	if (place == PLACE_UNMAPPED)
		return UNWIND_NO_CFI;
	if (function.record != RECORD_NOT_KEPT)
		r = step_frame_pointer(walk, &function, frame);
	if (r != UNWIND_NO_CFI && r != UNWIND_BAD_RETURN)
		return r;
	*frame = callee;
	guessed = step_by_guess(walk, &function, leaf_first, frame);
	return guessed == UNWIND_NO_CFI ? r : guessed;
}
