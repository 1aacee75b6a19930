/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/unwind/cfi_program.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/elf/cfi_pointer.h"
#include "report/resolve/unwind/cfi_state.h"

enum { /* DWARF 5 §7.24: three instructions have an operand in their low six bits */
	OP_HIGH = 0xc0,
	OP_LOW = 0x3f,
	DW_CFA_AARCH64_negate_ra_state_with_pc = 0x2c, /* newer than <dwarf.h> */
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

/* Appends a row for the state, which is valid from program->location on. */
static void emit(struct cfi_program *program)
{
	uint32_t rule = CFI_RULE_NONE;

	if (program->in_initial || !program->changed || program->error ||
	    program->location >= program->fde->end)
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

/* The position of the expression's length in the section; the cursor skips the expression. */
static int32_t read_expression(struct cfi_program *program)
{
	int32_t position = (int32_t)(program->cursor.next - program->fde->section.bytes);

	(void)byte_cursor_sub(&program->cursor, byte_cursor_varint(&program->cursor));
	return position;
}

static void set(struct cfi_program *program, uint64_t number, enum cfi_rule_kind kind, int32_t value)
{
	if (program->bad || program->cursor.bad || number >= program->arch->register_count)
		return; /* vector registers and flags are not tracked */
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

/* DW_CFA_def_cfa_register and _offset change one half of a rule that must be a register plus an offset. */
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
	case DW_CFA_def_cfa:
		number = read_register(program);
		set_cfa(program, number, read_offset(program, 1));
		break;
	case DW_CFA_def_cfa_sf:
		number = read_register(program);
		set_cfa(program, number, read_signed_offset(program));
		break;
	case DW_CFA_def_cfa_register:
		change_cfa_register(program, read_register(program));
		break;
	case DW_CFA_def_cfa_offset:
		change_cfa_offset(program, read_offset(program, 1));
		break;
	case DW_CFA_def_cfa_offset_sf:
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
	case DW_CFA_offset_extended:
		set(program, number, CFI_OFFSET, read_offset(program, factor));
		break;
	case DW_CFA_offset_extended_sf:
		set(program, number, CFI_OFFSET, read_signed_offset(program));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		set(program, number, CFI_OFFSET, scale(program, -1, read_offset(program, factor)));
		break;
	case DW_CFA_val_offset:
		set(program, number, CFI_VALUE_OFFSET, read_offset(program, factor));
		break;
	case DW_CFA_val_offset_sf:
		set(program, number, CFI_VALUE_OFFSET, read_signed_offset(program));
		break;
	case DW_CFA_restore_extended:
		restore(program, number);
		break;
	case DW_CFA_undefined:
		set(program, number, CFI_UNDEFINED, 0);
		break;
	case DW_CFA_same_value:
		set(program, number, CFI_SAME, 0);
		break;
	case DW_CFA_register:
		set_in_register(program, number);
		break;
	case DW_CFA_expression:
		set(program, number, CFI_EXPRESSION, read_expression(program));
		break;
	default:
		set(program, number, CFI_VALUE_EXPRESSION, read_expression(program));
	}
}

static void run_rest(struct cfi_program *program, uint8_t op)
{
	switch (op) {
	case DW_CFA_nop:
		break;
	case DW_CFA_set_loc:
		set_location(program);
		break;
	case DW_CFA_advance_loc1:
		advance(program, byte_cursor_u8(&program->cursor));
		break;
	case DW_CFA_advance_loc2:
		advance(program, byte_cursor_u16(&program->cursor));
		break;
	case DW_CFA_advance_loc4:
		advance(program, byte_cursor_u32(&program->cursor));
		break;
	case DW_CFA_MIPS_advance_loc8:
		advance(program, byte_cursor_u64(&program->cursor));
		break;
	case DW_CFA_remember_state:
		remember(program);
		break;
	case DW_CFA_restore_state:
		restore_state(program);
		break;
	case DW_CFA_GNU_args_size: /* bytes popped by a catch clause: irrelevant for a walk */
		(void)read_unsigned(program);
		break;
	case DW_CFA_AARCH64_negate_ra_state: /* see unwind_arch.c: addresses are stripped in any state */
	case DW_CFA_AARCH64_negate_ra_state_with_pc:
		program->bad = !program->arch->has_ra_state;
		break;
	default:
		program->bad = true;
	}
}

static void run_one(struct cfi_program *program)
{
	uint8_t op = byte_cursor_u8(&program->cursor), low = op & OP_LOW;

	if ((op & OP_HIGH) == DW_CFA_advance_loc)
		advance(program, low);
	else if ((op & OP_HIGH) == DW_CFA_offset)
		set(program, low, CFI_OFFSET, read_offset(program, program->fde->data_alignment));
	else if ((op & OP_HIGH) == DW_CFA_restore)
		restore(program, low);
	else if (op >= DW_CFA_def_cfa && op <= DW_CFA_def_cfa_expression)
		run_cfa(program, op);
	else if (op == DW_CFA_def_cfa_sf || op == DW_CFA_def_cfa_offset_sf)
		run_cfa(program, op);
	else if ((op >= DW_CFA_offset_extended && op <= DW_CFA_register) ||
		 (op >= DW_CFA_expression && op <= DW_CFA_val_expression) ||
		 op == DW_CFA_GNU_negative_offset_extended)
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

/* Adds a row without a rule, which starts where the program was aborted. */
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
