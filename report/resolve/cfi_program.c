/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cfi_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cfi_pointer.h"
#include "report/resolve/cfi_state.h"

enum { /* DW_CFA_*: DWARF 5 §7.24. The first three hold an operand in their low six bits. */
	OP_ADVANCE = 0x40,
	OP_OFFSET = 0x80,
	OP_RESTORE = 0xc0,
	OP_HIGH = 0xc0,
	OP_LOW = 0x3f,
	OP_NOP = 0x00,
	OP_SET_LOCATION = 0x01,
	OP_ADVANCE_1 = 0x02,
	OP_ADVANCE_2 = 0x03,
	OP_ADVANCE_4 = 0x04,
	OP_OFFSET_EXTENDED = 0x05,
	OP_RESTORE_EXTENDED = 0x06,
	OP_UNDEFINED = 0x07,
	OP_SAME_VALUE = 0x08,
	OP_REGISTER = 0x09,
	OP_REMEMBER = 0x0a,
	OP_RESTORE_STATE = 0x0b,
	OP_CFA = 0x0c,
	OP_CFA_REGISTER = 0x0d,
	OP_CFA_OFFSET = 0x0e,
	OP_CFA_EXPRESSION = 0x0f,
	OP_EXPRESSION = 0x10,
	OP_OFFSET_SIGNED = 0x11,
	OP_CFA_SIGNED = 0x12,
	OP_CFA_OFFSET_SIGNED = 0x13,
	OP_VALUE_OFFSET = 0x14,
	OP_VALUE_OFFSET_SIGNED = 0x15,
	OP_VALUE_EXPRESSION = 0x16,
	OP_ADVANCE_8 = 0x1d,		/* DW_CFA_MIPS_advance_loc8 */
	OP_RA_STATE_WITH_PC = 0x2c,	/* DW_CFA_AARCH64_negate_ra_state_with_pc */
	OP_RA_STATE = 0x2d,		/* DW_CFA_AARCH64_negate_ra_state */
	OP_ARGUMENTS_SIZE = 0x2e,	/* DW_CFA_GNU_args_size */
	OP_OFFSET_NEGATIVE = 0x2f,	/* DW_CFA_GNU_negative_offset_extended */
};

struct cfi_program {
	struct cfi_state state, initial, remembered[CFI_REMEMBER_MAX];
	size_t remembered_count;
	bool in_initial, bad, changed;
	const struct unwind_arch *arch;
	const struct cfi_fde *fde;
	struct byte_cursor cursor;
	uint64_t location;
	struct cfi_rows *rows;
	uint32_t first_row;
	int error;
};

int cfi_program_create(struct cfi_program **ret_program)
{
	struct cfi_program *program = calloc(1, sizeof(*program));

	if (!program)
		return -ENOMEM;
	*ret_program = program;
	return 0;
}

void cfi_program_destroy(struct cfi_program *program)
{
	free(program);
}

/* The state held from program->location on. */
static void emit(struct cfi_program *program)
{
	uint32_t rule = CFI_RULE_NONE;

	if (program->in_initial || !program->changed || program->error || program->location >= program->fde->end)
		return;
	program->changed = false;
	program->error = cfi_state_intern(&program->state, program->arch, program->fde, program->rows, &rule);
	if (!program->error)
		program->error = cfi_rows_append(program->rows, program->first_row,
						 (uint32_t)(program->location - program->fde->start), rule);
}

/* --- instructions --- */

static void advance_to(struct cfi_program *program, uint64_t location)
{
	if (program->in_initial || location < program->location) {
		program->bad = true;
		return;
	}
	if (location == program->location)
		return;
	emit(program);
	program->location = location;
}

static void advance(struct cfi_program *program, uint64_t delta)
{
	uint64_t bytes, location;

	if (__builtin_mul_overflow(delta, program->fde->code_alignment, &bytes) ||
	    __builtin_add_overflow(program->location, bytes, &location))
		program->bad = true;
	else
		advance_to(program, location);
}

static uint64_t read_register(struct cfi_program *program)
{
	return byte_cursor_varint(&program->cursor);
}

static uint64_t read_unsigned(struct cfi_program *program)
{
	return byte_cursor_varint(&program->cursor);
}

/* `factor`: 1 or the data alignment. */
static int32_t scale(struct cfi_program *program, int64_t value, int64_t factor)
{
	int64_t bytes;

	if (__builtin_mul_overflow(value, factor, &bytes) || bytes != (int32_t)bytes) {
		program->bad = true;
		return 0;
	}
	return (int32_t)bytes;
}

static int32_t read_offset(struct cfi_program *program, int64_t factor)
{
	uint64_t value = read_unsigned(program);

	if (value > INT64_MAX)
		program->bad = true;
	return program->bad ? 0 : scale(program, (int64_t)value, factor);
}

static int32_t read_signed_offset(struct cfi_program *program)
{
	return scale(program, cfi_read_signed(&program->cursor), program->fde->data_alignment);
}

/* Where the expression's length stands in the section; the cursor moves behind the expression. */
static int32_t read_expression(struct cfi_program *program)
{
	int32_t position = (int32_t)(program->cursor.next - program->fde->section.bytes);

	(void)byte_cursor_sub(&program->cursor, byte_cursor_varint(&program->cursor));
	return position;
}

static void set(struct cfi_program *program, uint64_t number, enum cfi_rule_kind kind, int32_t value)
{
	if (program->bad || program->cursor.bad || number >= program->arch->register_count)
		return; /* vector registers and flags are not followed */
	program->state.registers[number] = (struct cfi_register_state){.kind = (uint8_t)kind, .value = value};
	program->state.specified |= unwind_bit((unsigned int)number);
	program->changed = true;
}

static void restore(struct cfi_program *program, uint64_t number)
{
	if (program->in_initial || number >= program->arch->register_count)
		return;
	program->state.registers[number] = program->initial.registers[number];
	program->state.specified &= ~unwind_bit((unsigned int)number);
	program->state.specified |= program->initial.specified & unwind_bit((unsigned int)number);
	program->changed = true;
}

static void set_in_register(struct cfi_program *program, uint64_t number)
{
	uint64_t other = read_register(program);

	if (other < program->arch->register_count)
		set(program, number, CFI_REGISTER, (int32_t)other);
	else
		set(program, number, CFI_UNDEFINED, 0);
}

static void set_cfa(struct cfi_program *program, uint64_t number, int32_t offset)
{
	if (program->bad || program->cursor.bad)
		return;
	if (number >= program->arch->register_count) {
		program->bad = true;
		return;
	}
	program->state.cfa_kind = CFI_VALUE_OFFSET;
	program->state.cfa_register = (uint8_t)number;
	program->state.cfa_value = offset;
	program->changed = true;
}

/* DW_CFA_def_cfa_register and _offset change half of what must be a register plus an offset. */
static void change_cfa_register(struct cfi_program *program, uint64_t number)
{
	if (program->state.cfa_kind == CFI_VALUE_OFFSET)
		set_cfa(program, number, program->state.cfa_value);
	else
		program->bad = true;
}

static void change_cfa_offset(struct cfi_program *program, int32_t offset)
{
	if (program->state.cfa_kind == CFI_VALUE_OFFSET)
		set_cfa(program, program->state.cfa_register, offset);
	else
		program->bad = true;
}

static void set_cfa_expression(struct cfi_program *program)
{
	program->state.cfa_value = read_expression(program);
	program->state.cfa_kind = CFI_VALUE_EXPRESSION;
	program->state.cfa_register = 0;
	program->changed = true;
}

static void remember(struct cfi_program *program)
{
	if (program->remembered_count == CFI_REMEMBER_MAX)
		program->bad = true;
	else
		program->remembered[program->remembered_count++] = program->state;
}

static void restore_state(struct cfi_program *program)
{
	if (!program->remembered_count) {
		program->bad = true;
		return;
	}
	program->state = program->remembered[--program->remembered_count];
	program->changed = true;
}

static void set_location(struct cfi_program *program)
{
	uint64_t location = cfi_read_pointer(&program->cursor, &program->fde->section, program->fde->encoding,
					     &program->fde->bases, false);

	if (!program->cursor.bad)
		advance_to(program, location);
}

static void run_cfa(struct cfi_program *program, uint8_t op)
{
	int64_t factor = program->fde->data_alignment;
	uint64_t number;

	switch (op) {
	case OP_CFA:
		number = read_register(program);
		set_cfa(program, number, read_offset(program, 1));
		break;
	case OP_CFA_SIGNED:
		number = read_register(program);
		set_cfa(program, number, read_signed_offset(program));
		break;
	case OP_CFA_REGISTER:
		change_cfa_register(program, read_register(program));
		break;
	case OP_CFA_OFFSET:
		change_cfa_offset(program, read_offset(program, 1));
		break;
	case OP_CFA_OFFSET_SIGNED:
		change_cfa_offset(program, scale(program, cfi_read_signed(&program->cursor), factor));
		break;
	default:
		set_cfa_expression(program);
	}
}

static void run_register(struct cfi_program *program, uint8_t op)
{
	int64_t factor = program->fde->data_alignment;
	uint64_t number = read_register(program);

	switch (op) {
	case OP_OFFSET_EXTENDED:
		set(program, number, CFI_OFFSET, read_offset(program, factor));
		break;
	case OP_OFFSET_SIGNED:
		set(program, number, CFI_OFFSET, read_signed_offset(program));
		break;
	case OP_OFFSET_NEGATIVE:
		set(program, number, CFI_OFFSET, scale(program, -1, read_offset(program, factor)));
		break;
	case OP_VALUE_OFFSET:
		set(program, number, CFI_VALUE_OFFSET, read_offset(program, factor));
		break;
	case OP_VALUE_OFFSET_SIGNED:
		set(program, number, CFI_VALUE_OFFSET, read_signed_offset(program));
		break;
	case OP_RESTORE_EXTENDED:
		restore(program, number);
		break;
	case OP_UNDEFINED:
		set(program, number, CFI_UNDEFINED, 0);
		break;
	case OP_SAME_VALUE:
		set(program, number, CFI_SAME, 0);
		break;
	case OP_REGISTER:
		set_in_register(program, number);
		break;
	case OP_EXPRESSION:
		set(program, number, CFI_EXPRESSION, read_expression(program));
		break;
	default:
		set(program, number, CFI_VALUE_EXPRESSION, read_expression(program));
	}
}

static void run_rest(struct cfi_program *program, uint8_t op)
{
	switch (op) {
	case OP_NOP:
		break;
	case OP_SET_LOCATION:
		set_location(program);
		break;
	case OP_ADVANCE_1:
		advance(program, byte_cursor_u8(&program->cursor));
		break;
	case OP_ADVANCE_2:
		advance(program, byte_cursor_u16(&program->cursor));
		break;
	case OP_ADVANCE_4:
		advance(program, byte_cursor_u32(&program->cursor));
		break;
	case OP_ADVANCE_8:
		advance(program, byte_cursor_u64(&program->cursor));
		break;
	case OP_REMEMBER:
		remember(program);
		break;
	case OP_RESTORE_STATE:
		restore_state(program);
		break;
	case OP_ARGUMENTS_SIZE: /* what a catch clause pops: nothing to a walk */
		(void)read_unsigned(program);
		break;
	case OP_RA_STATE: /* see unwind_arch.c: addresses are stripped in any state */
	case OP_RA_STATE_WITH_PC:
		program->bad = !program->arch->has_ra_state;
		break;
	default:
		program->bad = true;
	}
}

static void run_one(struct cfi_program *program)
{
	uint8_t op = byte_cursor_u8(&program->cursor), low = op & OP_LOW;

	if ((op & OP_HIGH) == OP_ADVANCE)
		advance(program, low);
	else if ((op & OP_HIGH) == OP_OFFSET)
		set(program, low, CFI_OFFSET, read_offset(program, program->fde->data_alignment));
	else if ((op & OP_HIGH) == OP_RESTORE)
		restore(program, low);
	else if (op >= OP_CFA && op <= OP_CFA_EXPRESSION)
		run_cfa(program, op);
	else if (op == OP_CFA_SIGNED || op == OP_CFA_OFFSET_SIGNED)
		run_cfa(program, op);
	else if ((op >= OP_OFFSET_EXTENDED && op <= OP_REGISTER) || (op >= OP_EXPRESSION && op <= OP_VALUE_EXPRESSION) ||
		 op == OP_OFFSET_NEGATIVE)
		run_register(program, op);
	else
		run_rest(program, op);
}

static void run_bytes(struct cfi_program *program, const struct cfi_bytes *bytes)
{
	program->cursor = byte_cursor_make(bytes->bytes, bytes->size);
	if (bytes->size > CFI_PROGRAM_MAX_BYTES)
		program->bad = true;
	while (!program->bad && byte_cursor_left(&program->cursor) && program->location < program->fde->end &&
	       !program->error)
		run_one(program);
	program->bad |= program->cursor.bad;
}

static void start(struct cfi_program *program, const struct unwind_arch *arch, const struct cfi_fde *fde,
		  struct cfi_rows *rows)
{
	memset(&program->state, 0, sizeof(program->state));
	program->remembered_count = 0;
	program->arch = arch;
	program->fde = fde;
	program->rows = rows;
	program->first_row = (uint32_t)rows->rows.count;
	program->location = fde->start;
	program->in_initial = true;
	program->bad = false;
	program->error = 0;
}

/* The rows from where the program broke off. */
static void break_off(struct cfi_program *program)
{
	program->state.cfa_kind = CFI_UNSPECIFIED;
	program->changed = true;
}

int cfi_program_run(struct cfi_program *program, const struct unwind_arch *arch, const struct cfi_fde *fde,
		    struct cfi_rows *rows)
{
	start(program, arch, fde, rows);
	run_bytes(program, &fde->initial);
	program->initial = program->state;
	program->in_initial = false;
	program->changed = true;
	if (!program->bad)
		run_bytes(program, &fde->program);
	if (program->bad)
		break_off(program);
	emit(program);
	return program->error;
}
