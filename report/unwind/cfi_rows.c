/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/unwind/unwind_internal.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/elf/elf_cfi.h"

/* --- rules and rows, each once --- */

/* The bytes that identify a rule. */
struct rule_key {
	const char *bytes;
	size_t size; /* a multiple of 8 */
};

static struct rule_key key_of(const struct cfi_rule *rule)
{
	const size_t before = offsetof(struct cfi_rule, same);

	return (struct rule_key){
		.bytes = (const char *)rule + before,
		.size = sizeof(*rule) - before + rule->count * sizeof(*rule->registers),
	};
}

/* A miss only costs a lookup in the map, so attackers gain nothing from collisions. */
static uint32_t *recent_of(struct cfi_rows *rows, struct rule_key key)
{
	uint64_t hash = 0, factor = HASH_GOLDEN, word;

	for (size_t at = 0; at < key.size; at += sizeof(word), factor += 2 * HASH_GOLDEN) {
		memcpy(&word, key.bytes + at, sizeof(word));
		hash += (word ^ word >> 32) * factor;
	}
	return &rows->recent[hash >> 32 & (CFI_RECENT - 1)];
}

/* After the rules were dropped, an old number may belong to another rule, or be beyond the last one. */
static bool is_rule(const struct cfi_rows *rows, uint32_t number, struct rule_key key)
{
	const size_t before = offsetof(struct cfi_rule, same);

	return number >= CFI_RULE_FIRST &&
	       number + (before + key.size) / sizeof(uint64_t) <= rows->rules.count &&
	       !memcmp((const char *)cfi_rows_rule(rows, number) + before, key.bytes, key.size);
}

/* The number of a rule, ignoring `brief`; 1: the rule is new, and has no `brief` yet. -ENOMEM. */
static int intern_rule(struct cfi_rows *rows, const struct cfi_rule *rule, uint32_t *ret_number)
{
	size_t size = sizeof(*rule) + rule->count * sizeof(*rule->registers);
	size_t words = size / sizeof(uint64_t), number = rows->rules.count;
	struct rule_key key = key_of(rule);
	uint32_t *recent = recent_of(rows, key);
	uint64_t *known;
	int r;

	if (is_rule(rows, *recent, key)) {
		*ret_number = *recent;
		return 0;
	}
	if (number > UINT32_MAX - words || array_reserve(&rows->rules, number + words) < 0)
		return -ENOMEM;
	r = hash_map_add(&rows->numbers, key.bytes, key.size, number, &known);
	if (r < 0)
		return r;
	if (r > 0) {
		memcpy(&rows->rules.items[number], rule, size);
		rows->rules.count += words;
	}
	*ret_number = *recent = (uint32_t)*known;
	return r;
}

/* For the compiler: appends a row to the current block, unless it equals the previous row. */
static int append_row(struct cfi_rows *rows, uint32_t block_first, uint32_t offset, uint32_t rule)
{
	struct cfi_row *last = rows->rows.count > block_first ?
			       &rows->rows.items[rows->rows.count - 1] : NULL;

	if (last && last->offset == offset) {
		last->rule = rule;
		return 0;
	}
	if (last && last->rule == rule)
		return 0;
	return array_push(&rows->rows, (struct cfi_row){.offset = offset, .rule = rule});
}

/* --- from the state of a program to a rule --- */

struct cfi_register_state {
	int32_t value;
	uint8_t kind; /* enum cfi_rule_kind */
};

struct cfi_state {
	struct cfi_register_state registers[UNWIND_REGISTERS];
	uint64_t specified; /* bit n: registers[n] is not CFI_UNSPECIFIED */
	int32_t cfa_value;
	uint8_t cfa_kind; /* CFI_UNSPECIFIED, CFI_VALUE_OFFSET, CFI_VALUE_EXPRESSION */
	uint8_t cfa_register;
};

enum { RULE_WORDS = 5 + UNWIND_REGISTERS + 1 }; /* 8 bytes each: the head of a rule, its registers */
enum { SPAN_MAX = UINT16_MAX - sizeof(uint64_t) };

static void list(struct cfi_rule *rule, unsigned int number, const struct cfi_register_state *state)
{
	rule->registers[rule->count++] = (struct cfi_register_rule){.value = state->value,
								    .reg = (uint8_t)number,
								    .kind = state->kind};
}

/*
 * The caller's pc is the value of the return address column. If that is a separate register
 * (aarch64: x30), its rule is used for both; a leaf without a rule for it returns to its value.
 */
static void list_pc(const struct cfi_state *state, const struct unwind_arch *arch, unsigned int column,
		    struct cfi_rule *rule)
{
	struct cfi_register_state pc = state->registers[column];

	if (column == arch->pc)
		return;
	if (pc.kind == CFI_SAME || pc.kind == CFI_UNSPECIFIED)
		pc = (struct cfi_register_state){.kind = CFI_REGISTER, .value = (int32_t)column};
	if (pc.kind != CFI_UNDEFINED)
		list(rule, arch->pc, &pc);
}

static void list_all(const struct cfi_state *state, const struct unwind_arch *arch, unsigned int column,
		     struct cfi_rule *rule)
{
	uint64_t left = state->specified;

	rule->same = arch->preserved & ~left;
	if (column != arch->pc)
		left &= ~unwind_bit(arch->pc);
	for (; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(left);
		const struct cfi_register_state *reg = &state->registers[i];

		if (reg->kind == CFI_SAME)
			rule->same |= unwind_bit(i);
		else if (reg->kind != CFI_UNDEFINED)
			list(rule, i, reg);
	}
	list_pc(state, arch, column, rule);
}

static bool is_plain(const struct cfi_rule *rule, const struct unwind_arch *arch)
{
	if (rule->cfa_kind != CFI_VALUE_OFFSET || rule->same & unwind_bit(arch->sp))
		return false;
	for (unsigned int i = 0; i < rule->count; i++)
		if (rule->registers[i].kind != CFI_OFFSET || rule->registers[i].reg == arch->sp)
			return false;
	return true;
}

static struct cfi_short shorten(const struct cfi_rule *rule, const struct unwind_arch *arch)
{
	struct cfi_short brief = {0};
	int32_t first = INT32_MAX, last = INT32_MIN;

	if (!(rule->flags & CFI_RULE_PLAIN))
		return brief;
	for (const struct cfi_register_rule *reg = rule->registers;
	     reg < rule->registers + rule->count; reg++) {
		brief.listed |= unwind_bit(reg->reg);
		first = reg->value < first ? reg->value : first;
		last = reg->value > last ? reg->value : last;
		if (reg->reg == arch->pc)
			brief.pc = reg->value;
		if (reg->reg == arch->fp)
			brief.fp = reg->value;
	}
	if (!((brief.listed | rule->same) & unwind_bit(arch->pc)) && rule->cfa_register == arch->sp)
		brief.shortcut = CFI_OUTERMOST;
	if (!(brief.listed & unwind_bit(arch->pc)) || (int64_t)last - first > SPAN_MAX)
		return brief;
	brief.first = first;
	brief.span = (uint16_t)(last - first + (int)sizeof(uint64_t));
	if (rule->cfa_register == arch->sp)
		brief.shortcut = CFI_CALLER_BY_SP;
	else if (rule->cfa_register == arch->fp)
		brief.shortcut = CFI_CALLER_BY_FP;
	return brief;
}

/* The number of its rule; CFI_RULE_NONE if there is no CFA. -ENOMEM. */
static int intern_state(const struct cfi_state *state, const struct unwind_arch *arch, const struct cfi_fde *fde,
			struct cfi_rows *rows, uint32_t *ret_number)
{
	union {
		uint64_t words[RULE_WORDS]; /* room for the registers */
		struct cfi_rule rule;
	} buffer;
	struct cfi_rule *rule = &buffer.rule;
	int r;

	if (state->cfa_kind == CFI_UNSPECIFIED) {
		*ret_number = CFI_RULE_NONE;
		return 0;
	}
	*rule = (struct cfi_rule){
		.cfa_value = state->cfa_value,
		.cfa_kind = state->cfa_kind,
		.cfa_register = state->cfa_register,
	};
	list_all(state, arch, fde->return_register, rule);
	if (fde->signal)
		rule->flags |= CFI_RULE_SIGNAL;
	else if (is_plain(rule, arch))
		rule->flags |= CFI_RULE_PLAIN;
	if (fde->kind == CFI_DEBUG_FRAME)
		rule->flags |= CFI_RULE_DEBUG_FRAME;
	r = intern_rule(rows, rule, ret_number);
	if (r > 0) {
		struct cfi_short brief = shorten(rule, arch);

		memcpy(&rows->rules.items[*ret_number], &brief, sizeof(brief));
	}
	return r < 0 ? r : 0;
}

/*
 * --- the compiler ---
 *
 * It runs the programs of a CIE and an FDE once (DWARF 5 §6.4.2, and the GNU and AArch64 extensions). Bounded: a program of at
 * most 64 KiB, 64 remembered states. A malformed instruction ends the program: rows before it are valid, addresses after it
 * have no rule.
 */

enum { CFI_PROGRAM_MAX_BYTES = 1 << 16, CFI_REMEMBER_MAX = 64 };

enum { /* DWARF 5 §7.24: three instructions have an operand in their low six bits */
	OP_HIGH = 0xc0,
	OP_LOW = 0x3f,
	DW_CFA_AARCH64_negate_ra_state_with_pc = 0x2c, /* newer than <dwarf.h> */
};

struct cfi_program { /* working memory, reused for each FDE */
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

/* Appends a row for the state, which is valid from program->location on. */
static void emit(struct cfi_program *program)
{
	uint32_t rule = CFI_RULE_NONE;

	if (program->in_initial || !program->changed || program->error ||
	    program->location >= program->fde->end)
		return;
	program->changed = false;
	program->error = intern_state(&program->state, program->arch, program->fde, program->rows, &rule);
	if (!program->error)
		program->error = append_row(program->rows, program->first_row,
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

static uint64_t read_number(struct cfi_program *program)
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
	uint64_t value = read_number(program);

	if (value > INT64_MAX)
		program->bad = true;
	return program->bad ? 0 : scale(program, (int64_t)value, factor);
}

static int32_t read_signed_offset(struct cfi_program *program)
{
	return scale(program, byte_cursor_signed(&program->cursor), program->fde->data_alignment);
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
	uint64_t other = read_number(program);

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
		number = read_number(program);
		set_cfa(program, number, read_offset(program, 1));
		break;
	case DW_CFA_def_cfa_sf:
		number = read_number(program);
		set_cfa(program, number, read_signed_offset(program));
		break;
	case DW_CFA_def_cfa_register:
		change_cfa_register(program, read_number(program));
		break;
	case DW_CFA_def_cfa_offset:
		change_cfa_offset(program, read_offset(program, 1));
		break;
	case DW_CFA_def_cfa_offset_sf:
		change_cfa_offset(program, scale(program, byte_cursor_signed(&program->cursor), factor));
		break;
	default:
		set_cfa_expression(program);
	}
}

static void run_register(struct cfi_program *program, uint8_t op)
{
	int64_t factor = program->fde->data_alignment;
	uint64_t number = read_number(program);

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
		(void)read_number(program);
		break;
	case DW_CFA_AARCH64_negate_ra_state: /* see cfi.c: addresses are stripped in any state */
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

/* Appends the FDE's rows to rows->rows; the first is at offset 0. 0 or -ENOMEM. */
static int run_program(struct cfi_program *program, const struct unwind_arch *arch, const struct cfi_fde *fde,
		       struct cfi_rows *rows)
{
	start(program, arch, fde, rows);
	run_bytes(program, &fde->initial);
	program->initial = program->state;
	program->in_initial = false;
	program->changed = true;
	if (!program->bad)
		run_bytes(program, &fde->program);
	if (program->bad) { /* a row without a rule, from where the program was aborted */
		program->state.cfa_kind = CFI_UNSPECIFIED;
		program->changed = true;
	}
	emit(program);
	return program->error;
}

/* --- one FDE at a time --- */

int cfi_rows_init(struct cfi_rows *rows, size_t budget)
{
	int r;

	*rows = (struct cfi_rows){.budget = budget};
	r = hash_map_init(&rows->numbers);
	if (r < 0)
		return r;
	rows->program = calloc(1, sizeof(*rows->program));
	if (!rows->program || array_push(&rows->rules, 0) < 0) { /* number 0 is CFI_RULE_NONE */
		cfi_rows_deinit(rows);
		return -ENOMEM;
	}
	return 0;
}

void cfi_rows_deinit(struct cfi_rows *rows)
{
	for (size_t i = 0; i < rows->modules.count; i++)
		free(rows->modules.items[i].blocks);
	array_free(&rows->modules);
	array_free(&rows->blocks);
	array_free(&rows->rows);
	array_free(&rows->rules);
	hash_map_deinit(&rows->numbers);
	free(rows->program);
	rows->program = NULL;
}

static size_t bytes_used(const struct cfi_rows *rows)
{
	return rows->rows.count * sizeof(*rows->rows.items) + rows->rules.count * sizeof(*rows->rules.items) +
	       rows->blocks.count * sizeof(*rows->blocks.items);
}

static void drop_all(struct cfi_rows *rows)
{
	for (size_t i = 0; i < rows->modules.count; i++) {
		struct cfi_module *module = &rows->modules.items[i];

		if (module->blocks)
			memset(module->blocks, 0,
			       cfi_section_count(module->section) * sizeof(*module->blocks));
	}
	rows->blocks.count = rows->rows.count = 0;
	rows->rules.count = CFI_RULE_FIRST;
	hash_map_clear(&rows->numbers);
	rows->epoch++;
}

/* An unreadable FDE gets an empty block, so that it is not tried again. */
static int compile(struct cfi_rows *rows, const struct cfi_section *section, uint32_t number,
		   uint32_t *ret_block)
{
	struct cfi_block block;
	struct cfi_fde fde;
	int r;

	if (bytes_used(rows) > rows->budget || rows->rows.count > UINT32_MAX / 2)
		drop_all(rows);
	block = (struct cfi_block){.first_row = (uint32_t)rows->rows.count};
	if (!cfi_section_fde(section, number, &fde)) {
		r = run_program(rows->program, cfi_section_arch(section), &fde, rows);
		if (r < 0)
			return r;
		block.start = fde.start;
		block.end = fde.end;
		block.row_count = (uint32_t)rows->rows.count - block.first_row;
	}
	*ret_block = (uint32_t)rows->blocks.count;
	return array_push(&rows->blocks, block);
}

static uint32_t rule_at(const struct cfi_rows *rows, const struct cfi_block *block, uint64_t address)
{
	const struct cfi_row *row = rows->rows.items + block->first_row;
	uint64_t offset = address - block->start;

	for (uint32_t count = block->row_count; count > 1;) {
		uint32_t half = count / 2;

		row += row[half].offset <= offset ? half : 0;
		count -= half;
	}
	return block->row_count ? row->rule : CFI_RULE_NONE;
}

static int module_of(struct cfi_rows *rows, uint32_t number, const struct cfi_section *section,
		     struct cfi_module **ret_module)
{
	struct cfi_module *module;

	while (rows->modules.count <= number)
		if (array_push(&rows->modules, (struct cfi_module){0}) < 0)
			return -ENOMEM;
	module = &rows->modules.items[number];
	if (!module->blocks) {
		module->blocks = calloc((size_t)cfi_section_count(section) + 1, sizeof(*module->blocks));
		if (!module->blocks)
			return -ENOMEM;
		module->section = section;
	}
	*ret_module = module;
	return 0;
}

int cfi_rows_find(struct cfi_rows *rows, uint32_t module_number, const struct cfi_section *section,
		  uint64_t address, uint32_t *ret_rule)
{
	struct cfi_module *module;
	int r = module_of(rows, module_number, section, &module);

	for (enum cfi_kind kind = CFI_EH_FRAME; !r && kind <= CFI_DEBUG_FRAME; kind++) {
		const struct cfi_block *block;
		uint32_t fde, number;

		if (!cfi_section_find(section, kind, address, &fde))
			continue;
		if (!module->blocks[fde]) {
			r = compile(rows, section, fde, &number);
			if (r < 0)
				break;
			module->blocks[fde] = number + 1;
		}
		block = &rows->blocks.items[module->blocks[fde] - 1];
		if (address < block->start || address >= block->end)
			continue;
		*ret_rule = rule_at(rows, block, address);
		return 0;
	}
	if (!r)
		*ret_rule = CFI_RULE_NONE;
	return r;
}

