/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "tests/oracle/libdw_step.h"

#include <dwarf.h>
#include <errno.h>

enum { PC = 16, SP = 7, COUNT = 17, DEPTH = 64 };

struct evaluation {
	const struct oracle_snapshot *snapshot;
	const struct unwind_frame *frame;
	uint64_t bias, cfa;
	uint64_t stack[DEPTH];
	size_t count;
	bool is_value;	     /* DW_OP_stack_value */
	int error;
};

static void push(struct evaluation *e, uint64_t value)
{
	if (e->count < DEPTH)
		e->stack[e->count++] = value;
	else
		e->error = -EBADMSG;
}

static uint64_t pop(struct evaluation *e)
{
	if (e->count)
		return e->stack[--e->count];
	e->error = -EBADMSG;
	return 0;
}

static int load(const struct oracle_snapshot *snapshot, uint64_t address, size_t size, uint64_t *value)
{
	if (address < snapshot->stack_address || address - snapshot->stack_address > snapshot->stack_size ||
	    snapshot->stack_size - (address - snapshot->stack_address) < size)
		return -EFAULT;
	*value = 0;
	memcpy(value, snapshot->stack + (address - snapshot->stack_address), size);
	return 0;
}

static void push_register(struct evaluation *e, uint64_t number, uint64_t offset)
{
	if (number < COUNT && e->frame->known & UINT64_C(1) << number)
		push(e, e->frame->registers[number] + offset);
	else
		e->error = -ENODATA;
}

static void dereference(struct evaluation *e, size_t size)
{
	uint64_t value = 0;
	int r = load(e->snapshot, pop(e), size, &value);

	if (r < 0)
		e->error = r;
	push(e, value);
}

static bool run_arithmetic(struct evaluation *e, uint8_t atom)
{
	uint64_t b = pop(e), a = pop(e);

	switch (atom) {
	case DW_OP_and: push(e, a & b); return true;
	case DW_OP_or: push(e, a | b); return true;
	case DW_OP_xor: push(e, a ^ b); return true;
	case DW_OP_plus: push(e, a + b); return true;
	case DW_OP_minus: push(e, a - b); return true;
	case DW_OP_mul: push(e, a * b); return true;
	case DW_OP_shl: push(e, a << b); return true;
	case DW_OP_shr: push(e, a >> b); return true;
	case DW_OP_ge: push(e, (int64_t)a >= (int64_t)b); return true;
	case DW_OP_gt: push(e, (int64_t)a > (int64_t)b); return true;
	case DW_OP_le: push(e, (int64_t)a <= (int64_t)b); return true;
	case DW_OP_lt: push(e, (int64_t)a < (int64_t)b); return true;
	case DW_OP_eq: push(e, a == b); return true;
	case DW_OP_ne: push(e, a != b); return true;
	default: return false;
	}
}

static void run_stack(struct evaluation *e, const Dwarf_Op *op)
{
	uint64_t a = pop(e), b;

	switch (op->atom) {
	case DW_OP_dup:
		push(e, a);
		push(e, a);
		break;
	case DW_OP_swap:
		b = pop(e);
		push(e, a);
		push(e, b);
		break;
	case DW_OP_neg:
		push(e, 0 - a);
		break;
	default:
		push(e, a + op->number);
	}
}

static void run(struct evaluation *e, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(e, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(e, op->atom - DW_OP_breg0, op->number);
	if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
		return push(e, op->number);
	switch (op->atom) {
	case DW_OP_bregx:
		return push_register(e, op->number, op->number2);
	case DW_OP_addr:
		return push(e, op->number + e->bias);
	case DW_OP_call_frame_cfa:
		return push(e, e->cfa);
	case DW_OP_deref:
		return dereference(e, 8);
	case DW_OP_deref_size:
		return dereference(e, op->number);
	case DW_OP_dup:
	case DW_OP_swap:
	case DW_OP_neg:
	case DW_OP_plus_uconst:
		return run_stack(e, op);
	case DW_OP_stack_value:
		e->is_value = true;
		return;
	case DW_OP_nop:
		return;
	default:
		if (!run_arithmetic(e, op->atom))
			e->error = -ENOTSUP;
	}
}

static int evaluate(struct evaluation *e, const Dwarf_Op *ops, size_t count, uint64_t *ret_value)
{
	for (size_t i = 0; i < count && !e->error; i++)
		run(e, &ops[i]);
	if (!e->error)
		*ret_value = pop(e);
	return e->error;
}

/*
 * Where CFI has no rule, libdw uses its table of call-saved registers (elfutils,
 * backends/x86_64_cfi.c). In 0.188 that table has number 0, rax, instead of rbx, which is 3. The
 * psABI is right; no compiler writes the opposite.
 */
static int by_default(int number, int found)
{
	return number == 3 ? 2 : number == 0 ? 1 : found;
}

/* Finds a register's value in the caller. Returns 0; 1: undefined; 2: unchanged; or an error. */
static int find_register(const struct evaluation *of_cfa, Dwarf_Frame *rules, int number, uint64_t *ret_value)
{
	struct evaluation e = {.snapshot = of_cfa->snapshot, .frame = of_cfa->frame,
			       .bias = of_cfa->bias, .cfa = of_cfa->cfa};
	const struct unwind_frame *frame = e.frame;
	Dwarf_Op memory[3], *ops;
	size_t count;
	uint64_t value = 0;
	int r;

	if (dwarf_frame_register(rules, number, memory, &ops, &count) < 0)
		return -EBADMSG;
	if (!count)
		return by_default(number, ops ? 1 : 2);
	if (ops[0].atom == DW_OP_regx || (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)) {
		uint64_t other = ops[0].atom == DW_OP_regx ? ops[0].number : ops[0].atom - (uint64_t)DW_OP_reg0;

		*ret_value = frame->registers[other < COUNT ? other : 0];
		return other < COUNT && frame->known & UINT64_C(1) << other ? 0 : -ENODATA;
	}
	r = evaluate(&e, ops, count, &value);
	if (r >= 0 && e.is_value)
		*ret_value = value;
	if (r < 0 || e.is_value)
		return r < 0 ? r : 0;
	r = load(e.snapshot, value, 8, ret_value);
	/* In an epilogue: it was already popped. */
	if (r < 0 && frame->exact && value < frame->registers[SP] && number != PC)
		return 2;
	return r;
}

static enum libdw_step fill(const struct evaluation *cfa, Dwarf_Frame *rules, bool signal, struct unwind_frame *frame)
{
	struct unwind_frame caller = {.exact = signal};
	int of_pc = 0;

	for (int i = 0; i < COUNT; i++) {
		int r = find_register(cfa, rules, i, &caller.registers[i]);

		if (r == 2) {
			caller.registers[i] = frame->registers[i];
			caller.known |= frame->known & UINT64_C(1) << i;
		} else if (!r) {
			caller.known |= UINT64_C(1) << i;
		}
		if (i == PC)
			of_pc = r;
	}
	if (of_pc)
		return of_pc == 1 ? LIBDW_OUTERMOST : of_pc == -EFAULT ? LIBDW_UNREADABLE : LIBDW_UNKNOWN;
	*frame = caller;
	return LIBDW_STEPPED;
}

enum libdw_step libdw_step(const struct oracle_snapshot *snapshot, struct unwind_frame *frame)
{
	uint64_t address = frame->registers[PC] - !frame->exact;
	const struct oracle_mapping *map = oracle_mapping_at(snapshot->space, address);
	const struct oracle_module *module;
	struct evaluation e = {.snapshot = snapshot, .frame = frame};
	Dwarf_Frame *rules = NULL;
	Dwarf_Op *ops;
	size_t count;
	enum libdw_step result;
	bool signal = false;
	int r;

	if (!map || map->module == UINT32_MAX)
		return LIBDW_NO_FRAME;
	module = snapshot->space->modules->items.items[map->module];
	e.bias = map->bias;
	if ((!module->eh_frame || dwarf_cfi_addrframe(module->eh_frame, address - map->bias, &rules) < 0) &&
	    (!module->debug_frame || dwarf_cfi_addrframe(module->debug_frame, address - map->bias, &rules) < 0))
		return LIBDW_NO_FRAME;
	(void)dwarf_frame_info(rules, NULL, NULL, &signal);
	r = dwarf_frame_cfa(rules, &ops, &count) < 0 ? -EBADMSG : evaluate(&e, ops, count, &e.cfa);
	if (r < 0)
		result = r == -EFAULT ? LIBDW_UNREADABLE : LIBDW_UNKNOWN;
	else
		result = fill(&e, rules, signal, frame);
	free(rules);
	return result;
}
