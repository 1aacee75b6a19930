/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Steps without call frame information: signal trampolines by the kernel's layout, frame pointers, and guesses. */
#include "report/resolve/unwind_walk.h"

/* How far beyond the snapshot a frame pointer is believed to point into the same stack. */
static const uint64_t STACK_REACH = 8 << 20;

/* What the kernel pushed for the handler: struct rt_sigframe, at sp when the handler has returned. */
int unwind_step_trampoline(struct unwind_walk *walk, struct unwind_frame *frame)
{
	const struct unwind_arch *arch = walk->arch;
	uint64_t base = frame->registers[arch->sp], known = 0;

	for (unsigned int i = 0; i < arch->register_count; i++)
		if (unwind_read(walk->snapshot, base + arch->signal_frame[i], &frame->registers[i]))
			known |= unwind_bit(i);
	if (!(known >> arch->pc & 1) || !(known >> arch->sp & 1))
		return UNWIND_TRUNCATED;
	frame->known = known;
	frame->exact = true;
	frame->how = UNWIND_BY_CFI; /* as good as */
	return UNWIND_GOES_ON;
}

static bool is_code(struct unwind_walk *walk, uint64_t address)
{
	struct unwind_code code;

	address &= walk->address_mask;
	return address && !unwind_find_code(walk, address, false, &code) && code.place != PLACE_UNMAPPED &&
	       (!walk->space->after_call || walk->space->after_call(walk->space->context, address));
}

/*
 * Whether a frame pointer to what the snapshot does not hold is one: it points a little beyond, or code that keeps frame
 * pointers left it there, such as Go's when it goes over to the system's stack and back.
 */
static bool leads_elsewhere(const struct unwind_frame *frame, uint64_t fp, uint64_t end)
{
	return frame->how == UNWIND_BY_FRAME_POINTER || (fp >= end - 15 && fp - end < STACK_REACH);
}

/*
 * Go calls its copying routines with a frame record right below sp, which no snapshot holds, but who follows frame pointers in
 * the process does.
 */
static bool leads_below(const struct unwind_walk *walk, const struct unwind_frame *frame, uint64_t fp)
{
	return frame->exact && fp + 8 == frame->registers[walk->arch->sp] && walk->snapshot->tail.count;
}

/* Interrupted between saving the caller's frame pointer and setting its own: the record is at sp already. */
static bool just_saved(struct unwind_walk *walk, const struct unwind_frame *frame, uint64_t fp)
{
	uint64_t sp = frame->registers[walk->arch->sp], saved, pc;

	return frame->exact && fp != sp && unwind_read(walk->snapshot, sp, &saved) && saved == fp &&
	       unwind_read(walk->snapshot, sp + 8, &pc) && is_code(walk, pc);
}

/*
 * The frame record that the frame pointer leads to: {caller's frame pointer, return address}, on both machines. What
 * other registers the function has saved, and where, is not known.
 */
static int step_frame_pointer(struct unwind_walk *walk, struct unwind_frame *frame)
{
	const struct unwind_arch *arch = walk->arch;
	const struct unwind_snapshot *snapshot = walk->snapshot;
	uint64_t fp = frame->registers[arch->fp], end = snapshot->stack_address + snapshot->stack_size;
	uint64_t next, pc;

	if (!(frame->known >> arch->fp & 1))
		return UNWIND_NO_CFI;
	if (!fp) /* the mark of the outermost frame; in a leaf it may be anything */
		return frame->exact ? UNWIND_NO_CFI : UNWIND_CLEAN;
	if (fp & 7)
		return UNWIND_NO_CFI;
	if (leads_below(walk, frame, fp))
		return UNWIND_TRUNCATED;
	if (just_saved(walk, frame, fp))
		fp = frame->registers[arch->sp];
	if (fp < frame->registers[arch->sp] || !unwind_read(snapshot, fp, &next) || !unwind_read(snapshot, fp + 8, &pc))
		return leads_elsewhere(frame, fp, end) ? UNWIND_TRUNCATED : UNWIND_NO_CFI;
	pc &= walk->address_mask;
	if (!pc)
		return UNWIND_CLEAN;
	if (!is_code(walk, pc))
		return UNWIND_BAD_RETURN;
	frame->registers[arch->pc] = pc;
	frame->registers[arch->fp] = next;
	frame->registers[arch->sp] = fp + 16;
	frame->known = unwind_bit(arch->pc) | unwind_bit(arch->fp) | unwind_bit(arch->sp);
	frame->exact = false;
	frame->how = UNWIND_BY_FRAME_POINTER;
	return UNWIND_GOES_ON;
}

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

/* An interrupted function that has pushed nothing yet, or never does: the return address is where the call left it. */
static bool step_leaf(struct unwind_walk *walk, struct unwind_frame *frame)
{
	const struct unwind_arch *arch = walk->arch;
	uint64_t sp = frame->registers[arch->sp], pc;

	if (arch->link != arch->pc) {
		pc = frame->registers[arch->link];
		if (!(frame->known >> arch->link & 1) || !is_code(walk, pc))
			return false;
	} else {
		if (!unwind_read(walk->snapshot, sp, &pc) || !is_code(walk, pc))
			return false;
		sp += 8;
	}
	return_to(walk, pc, sp, frame);
	return true;
}

/* Whether the frame's pc lies in a function with call frame information by which it has a caller. */
static int has_caller(struct unwind_walk *walk, struct unwind_frame frame)
{
	struct unwind_code code;
	int r = unwind_find_code(walk, frame.registers[walk->arch->pc], false, &code);

	if (r < 0 || code.place != PLACE_RULE)
		return r;
	r = unwind_step_rule(walk, code.rule, &frame);
	return r == UNWIND_GOES_ON && is_code(walk, frame.registers[walk->arch->pc]);
}

/*
 * No frame record, no call frame information (a static musl): the next word on the stack that is a return address into a
 * function with call frame information, from which that information leads on. Functions between are lost.
 */
static int search(struct unwind_walk *walk, struct unwind_frame *frame)
{
	uint64_t sp = frame->registers[walk->arch->sp], pc;

	if (!walk->searches_left)
		return UNWIND_NO_CFI;
	walk->searches_left--;
	for (unsigned int i = 0; i < UNWIND_SEARCH_WORDS && unwind_read(walk->snapshot, sp, &pc); i++) {
		struct unwind_frame candidate = *frame;
		int r;

		sp += 8;
		if (!is_code(walk, pc))
			continue;
		return_to(walk, pc, sp, &candidate);
		r = has_caller(walk, candidate);
		if (r < 0)
			return r;
		if (!r)
			continue;
		*frame = candidate;
		return UNWIND_GOES_ON;
	}
	return UNWIND_NO_CFI;
}

int unwind_step_without_cfi(struct unwind_walk *walk, enum unwind_place place, struct unwind_frame *frame)
{
	const struct unwind_frame callee = *frame;
	int r;

	if (!(frame->known >> walk->arch->sp & 1))
		return UNWIND_TRUNCATED;
	/* Assembly among code that has call frame information; and where a wild call went. */
	if (frame->exact && place != PLACE_NO_CFI && step_leaf(walk, frame))
		return UNWIND_GOES_ON;
	if (place == PLACE_UNMAPPED)
		return UNWIND_NO_CFI;
	r = step_frame_pointer(walk, frame);
	if (r != UNWIND_NO_CFI && r != UNWIND_BAD_RETURN)
		return r;
	*frame = callee;
	if (place == PLACE_GAP)
		return search(walk, frame);
	/* A leaf without a frame, whose caller has none either, or one on another stack (Go's on the system's). */
	return frame->exact && step_leaf(walk, frame) ? UNWIND_GOES_ON : r;
}
