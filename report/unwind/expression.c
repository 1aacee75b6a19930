/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/unwind/unwind_internal.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>

#include "common/elf/elf_cfi.h"

enum { ADDRESS_BITS = 64 };

struct machine {
	const struct expression_context *context;
	const uint8_t *start;
	struct byte_cursor cursor;
	uint64_t values[EXPRESSION_STACK];
	size_t count;
	int error;
};

static void fail(struct machine *machine, int error)
{
	if (!machine->error)
		machine->error = error;
}

static void push(struct machine *machine, uint64_t value)
{
	if (machine->count == EXPRESSION_STACK)
		fail(machine, -EBADMSG);
	else
		machine->values[machine->count++] = value;
}

static uint64_t pop(struct machine *machine)
{
	if (!machine->count) {
		fail(machine, -EBADMSG);
		return 0;
	}
	return machine->values[--machine->count];
}

/* The value `depth` below the top. */
static void pick(struct machine *machine, size_t depth)
{
	if (depth >= machine->count)
		fail(machine, -EBADMSG);
	else
		push(machine, machine->values[machine->count - 1 - depth]);
}

/* Moves the top value down, below the next `below` values. */
static void rotate(struct machine *machine, size_t below)
{
	size_t top = machine->count - 1;
	uint64_t value;

	if (machine->count <= below) {
		fail(machine, -EBADMSG);
		return;
	}
	value = machine->values[top];
	for (size_t i = 0; i < below; i++)
		machine->values[top - i] = machine->values[top - i - 1];
	machine->values[top - below] = value;
}

static void dereference(struct machine *machine, size_t size)
{
	uint64_t address = pop(machine), value = 0;
	int r;

	if (machine->error)
		return;
	if (size < 1 || size > sizeof(value)) {
		fail(machine, -EBADMSG);
		return;
	}
	r = machine->context->read(machine->context->memory, address, size, &value);
	if (r < 0)
		fail(machine, r);
	push(machine, value);
}

static void push_register(struct machine *machine, uint64_t number)
{
	const struct expression_context *context = machine->context;
	uint64_t offset = (uint64_t)byte_cursor_signed(&machine->cursor);

	if (number >= context->register_count || !(context->known >> number & 1))
		fail(machine, -ENODATA);
	else
		push(machine, context->registers[number] + offset);
}

/* Relative to the end of the operand; also backwards, which is why steps are limited. */
static void jump(struct machine *machine, bool taken)
{
	int64_t distance = (int16_t)byte_cursor_u16(&machine->cursor);
	int64_t position = machine->cursor.next - machine->start + distance;

	if (machine->cursor.bad || !taken)
		return;
	if (position < 0 || position > machine->cursor.end - machine->start)
		fail(machine, -EBADMSG);
	else
		machine->cursor.next = machine->start + position;
}

static uint64_t divide(struct machine *machine, int64_t a, int64_t b)
{
	if (!b) {
		fail(machine, -EBADMSG);
		return 0;
	}
	return b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b);
}

static uint64_t modulo(struct machine *machine, uint64_t a, uint64_t b)
{
	if (!b) {
		fail(machine, -EBADMSG);
		return 0;
	}
	return a % b;
}

static uint64_t shift_signed(uint64_t value, uint64_t bits)
{
	return (uint64_t)((int64_t)value >> (bits < ADDRESS_BITS ? bits : ADDRESS_BITS - 1));
}

static void run_constant(struct machine *machine, uint8_t op)
{
	struct byte_cursor *cursor = &machine->cursor;

	switch (op) {
	case DW_OP_const1u:
		push(machine, byte_cursor_u8(cursor));
		break;
	case DW_OP_const1s:
		push(machine, (uint64_t)(int64_t)(int8_t)byte_cursor_u8(cursor));
		break;
	case DW_OP_const2u:
		push(machine, byte_cursor_u16(cursor));
		break;
	case DW_OP_const2s:
		push(machine, (uint64_t)(int64_t)(int16_t)byte_cursor_u16(cursor));
		break;
	case DW_OP_const4u:
		push(machine, byte_cursor_u32(cursor));
		break;
	case DW_OP_const4s:
		push(machine, (uint64_t)(int64_t)(int32_t)byte_cursor_u32(cursor));
		break;
	case DW_OP_const8u:
	case DW_OP_const8s:
		push(machine, byte_cursor_u64(cursor));
		break;
	case DW_OP_constu:
		push(machine, byte_cursor_varint(cursor));
		break;
	default:
		push(machine, (uint64_t)byte_cursor_signed(cursor));
	}
}

static void run_stack(struct machine *machine, uint8_t op)
{
	switch (op) {
	case DW_OP_dup:
		pick(machine, 0);
		break;
	case DW_OP_drop:
		(void)pop(machine);
		break;
	case DW_OP_over:
		pick(machine, 1);
		break;
	case DW_OP_pick:
		pick(machine, byte_cursor_u8(&machine->cursor));
		break;
	case DW_OP_swap:
		rotate(machine, 1);
		break;
	default:
		rotate(machine, 2);
	}
}

static void run_unary(struct machine *machine, uint8_t op)
{
	uint64_t value = pop(machine);

	switch (op) {
	case DW_OP_abs:
		push(machine, (int64_t)value < 0 ? 0 - value : value);
		break;
	case DW_OP_neg:
		push(machine, 0 - value);
		break;
	case DW_OP_not:
		push(machine, ~value);
		break;
	default:
		push(machine, value + byte_cursor_varint(&machine->cursor));
	}
}

/* `b` was on top. Shifts and modulo are unsigned, division and comparisons signed. */
static uint64_t combine(struct machine *machine, uint8_t op, uint64_t a, uint64_t b)
{
	int64_t signed_a = (int64_t)a, signed_b = (int64_t)b;

	switch (op) {
	case DW_OP_and:
		return a & b;
	case DW_OP_div:
		return divide(machine, signed_a, signed_b);
	case DW_OP_minus:
		return a - b;
	case DW_OP_mod:
		return modulo(machine, a, b);
	case DW_OP_mul:
		return a * b;
	case DW_OP_or:
		return a | b;
	case DW_OP_plus:
		return a + b;
	case DW_OP_shl:
		return b < ADDRESS_BITS ? a << b : 0;
	case DW_OP_shr:
		return b < ADDRESS_BITS ? a >> b : 0;
	case DW_OP_shra:
		return shift_signed(a, b);
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_eq:
		return a == b;
	case DW_OP_ge:
		return signed_a >= signed_b;
	case DW_OP_gt:
		return signed_a > signed_b;
	case DW_OP_le:
		return signed_a <= signed_b;
	case DW_OP_lt:
		return signed_a < signed_b;
	case DW_OP_ne:
		return a != b;
	default:
		fail(machine, -EBADMSG);
		return 0;
	}
}

static void run_binary(struct machine *machine, uint8_t op)
{
	uint64_t b = pop(machine), a = pop(machine);

	push(machine, combine(machine, op, a, b));
}

static void run_rest(struct machine *machine, uint8_t op)
{
	switch (op) {
	case DW_OP_addr:
		push(machine, byte_cursor_u64(&machine->cursor) + machine->context->bias);
		break;
	case DW_OP_deref:
		dereference(machine, sizeof(uint64_t));
		break;
	case DW_OP_deref_size:
		dereference(machine, byte_cursor_u8(&machine->cursor));
		break;
	case DW_OP_abs:
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_plus_uconst:
		run_unary(machine, op);
		break;
	case DW_OP_bra:
		jump(machine, pop(machine));
		break;
	case DW_OP_skip:
		jump(machine, true);
		break;
	case DW_OP_bregx:
		push_register(machine, byte_cursor_varint(&machine->cursor));
		break;
	case DW_OP_nop:
		break;
	default:
		run_binary(machine, op);
	}
}

static void run_one(struct machine *machine)
{
	uint8_t op = byte_cursor_u8(&machine->cursor);

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		push(machine, op - DW_OP_lit0);
	else if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		push_register(machine, op - DW_OP_breg0);
	else if (op >= DW_OP_const1u && op <= DW_OP_consts)
		run_constant(machine, op);
	else if (op >= DW_OP_dup && op <= DW_OP_rot)
		run_stack(machine, op);
	else
		run_rest(machine, op);
}

int expression_evaluate(const struct expression_context *context, const uint8_t *bytes, size_t length,
			const uint64_t *initial, uint64_t *ret_value)
{
	struct machine machine = {.context = context, .start = bytes,
				  .cursor = byte_cursor_make(bytes, length)};

	if (initial)
		push(&machine, *initial);
	while (!machine.error && byte_cursor_left(&machine.cursor)) {
		if (!*context->steps_left)
			return -ELOOP;
		--*context->steps_left;
		run_one(&machine);
	}
	if (machine.cursor.bad || !machine.count)
		fail(&machine, -EBADMSG);
	if (machine.error)
		return machine.error;
	*ret_value = machine.values[machine.count - 1];
	return 0;
}
