/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/dwarf_expression.h"

#include <errno.h>
#include <stdbool.h>

#include "common/cfi_pointer.h"

enum { /* DW_OP_*: DWARF 5 §7.7.1 */
	OP_ADDRESS = 0x03,
	OP_DEREFERENCE = 0x06,
	OP_CONST_1U = 0x08,
	OP_CONST_1S = 0x09,
	OP_CONST_2U = 0x0a,
	OP_CONST_2S = 0x0b,
	OP_CONST_4U = 0x0c,
	OP_CONST_4S = 0x0d,
	OP_CONST_8U = 0x0e,
	OP_CONST_8S = 0x0f,
	OP_CONST_U = 0x10,
	OP_CONST_S = 0x11,
	OP_DUPLICATE = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_ROTATE = 0x17,
	OP_ABSOLUTE = 0x19,
	OP_AND = 0x1a,
	OP_DIVIDE = 0x1b,
	OP_MINUS = 0x1c,
	OP_MODULO = 0x1d,
	OP_MULTIPLY = 0x1e,
	OP_NEGATE = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_CONST = 0x23,
	OP_SHIFT_LEFT = 0x24,
	OP_SHIFT_RIGHT = 0x25,
	OP_SHIFT_RIGHT_SIGNED = 0x26,
	OP_XOR = 0x27,
	OP_BRANCH = 0x28,
	OP_EQUAL = 0x29,
	OP_GREATER_EQUAL = 0x2a,
	OP_GREATER = 0x2b,
	OP_LESS_EQUAL = 0x2c,
	OP_LESS = 0x2d,
	OP_NOT_EQUAL = 0x2e,
	OP_SKIP = 0x2f,
	OP_LITERAL_0 = 0x30,
	OP_LITERAL_31 = 0x4f,
	OP_BASE_REGISTER_0 = 0x70,
	OP_BASE_REGISTER_31 = 0x8f,
	OP_BASE_REGISTER = 0x92,
	OP_DEREFERENCE_SIZE = 0x94,
	OP_NOP = 0x96,
	ADDRESS_BITS = 64,
};

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

/* The value on top goes below the `below` values under it. */
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
	uint64_t offset = (uint64_t)cfi_read_signed(&machine->cursor);

	if (number >= context->register_count || !(context->known >> number & 1))
		fail(machine, -ENODATA);
	else
		push(machine, context->registers[number] + offset);
}

/* Counted from behind the operand; backwards too, which is what the steps are counted for. */
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
	case OP_CONST_1U:
		push(machine, byte_cursor_u8(cursor));
		break;
	case OP_CONST_1S:
		push(machine, (uint64_t)(int64_t)(int8_t)byte_cursor_u8(cursor));
		break;
	case OP_CONST_2U:
		push(machine, byte_cursor_u16(cursor));
		break;
	case OP_CONST_2S:
		push(machine, (uint64_t)(int64_t)(int16_t)byte_cursor_u16(cursor));
		break;
	case OP_CONST_4U:
		push(machine, byte_cursor_u32(cursor));
		break;
	case OP_CONST_4S:
		push(machine, (uint64_t)(int64_t)(int32_t)byte_cursor_u32(cursor));
		break;
	case OP_CONST_8U:
	case OP_CONST_8S:
		push(machine, byte_cursor_u64(cursor));
		break;
	case OP_CONST_U:
		push(machine, byte_cursor_varint(cursor));
		break;
	default:
		push(machine, (uint64_t)cfi_read_signed(cursor));
	}
}

static void run_stack(struct machine *machine, uint8_t op)
{
	switch (op) {
	case OP_DUPLICATE:
		pick(machine, 0);
		break;
	case OP_DROP:
		(void)pop(machine);
		break;
	case OP_OVER:
		pick(machine, 1);
		break;
	case OP_PICK:
		pick(machine, byte_cursor_u8(&machine->cursor));
		break;
	case OP_SWAP:
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
	case OP_ABSOLUTE:
		push(machine, (int64_t)value < 0 ? 0 - value : value);
		break;
	case OP_NEGATE:
		push(machine, 0 - value);
		break;
	case OP_NOT:
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
	case OP_AND:
		return a & b;
	case OP_DIVIDE:
		return divide(machine, signed_a, signed_b);
	case OP_MINUS:
		return a - b;
	case OP_MODULO:
		return modulo(machine, a, b);
	case OP_MULTIPLY:
		return a * b;
	case OP_OR:
		return a | b;
	case OP_PLUS:
		return a + b;
	case OP_SHIFT_LEFT:
		return b < ADDRESS_BITS ? a << b : 0;
	case OP_SHIFT_RIGHT:
		return b < ADDRESS_BITS ? a >> b : 0;
	case OP_SHIFT_RIGHT_SIGNED:
		return shift_signed(a, b);
	case OP_XOR:
		return a ^ b;
	case OP_EQUAL:
		return a == b;
	case OP_GREATER_EQUAL:
		return signed_a >= signed_b;
	case OP_GREATER:
		return signed_a > signed_b;
	case OP_LESS_EQUAL:
		return signed_a <= signed_b;
	case OP_LESS:
		return signed_a < signed_b;
	case OP_NOT_EQUAL:
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
	case OP_ADDRESS:
		push(machine, byte_cursor_u64(&machine->cursor) + machine->context->bias);
		break;
	case OP_DEREFERENCE:
		dereference(machine, sizeof(uint64_t));
		break;
	case OP_DEREFERENCE_SIZE:
		dereference(machine, byte_cursor_u8(&machine->cursor));
		break;
	case OP_ABSOLUTE:
	case OP_NEGATE:
	case OP_NOT:
	case OP_PLUS_CONST:
		run_unary(machine, op);
		break;
	case OP_BRANCH:
		jump(machine, pop(machine));
		break;
	case OP_SKIP:
		jump(machine, true);
		break;
	case OP_BASE_REGISTER:
		push_register(machine, byte_cursor_varint(&machine->cursor));
		break;
	case OP_NOP:
		break;
	default:
		run_binary(machine, op);
	}
}

static void run_one(struct machine *machine)
{
	uint8_t op = byte_cursor_u8(&machine->cursor);

	if (op >= OP_LITERAL_0 && op <= OP_LITERAL_31)
		push(machine, op - OP_LITERAL_0);
	else if (op >= OP_BASE_REGISTER_0 && op <= OP_BASE_REGISTER_31)
		push_register(machine, op - OP_BASE_REGISTER_0);
	else if (op >= OP_CONST_1U && op <= OP_CONST_S)
		run_constant(machine, op);
	else if (op >= OP_DUPLICATE && op <= OP_ROTATE)
		run_stack(machine, op);
	else
		run_rest(machine, op);
}

int expression_evaluate(const struct expression_context *context, const uint8_t *bytes, size_t length,
			const uint64_t *initial, uint64_t *ret_value)
{
	struct machine machine = {.context = context, .start = bytes, .cursor = byte_cursor_make(bytes, length)};

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
