/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Steps without call frame information: by the kernel's layout at the trampoline of signals, by frame records, and by
 * the chain of frame records that the kernel followed. Where there is none of them, the chain ends: a word that happens
 * to lie on the stack is no caller.
 */
#include "report/resolve/unwind/unwind_walk.h"

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
