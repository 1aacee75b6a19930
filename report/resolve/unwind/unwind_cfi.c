/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Steps by call frame information: a fast path for plain rules, and all other rules. */
#include <errno.h>

#include "common/bytes.h"
#include "report/resolve/unwind/dwarf_expression.h"
#include "report/resolve/unwind/unwind_walk.h"

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
