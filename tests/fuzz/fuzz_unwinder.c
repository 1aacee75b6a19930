/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The unwinder on any module, registers and stack: it ends, and its results are consistent; so are the rows and rules of
 * the whole module. An input is a byte of choices (bit 0: aarch64, bit 1: with .eh_frame_hdr), three 16-bit sizes, then
 * .eh_frame_hdr, .eh_frame, .debug_frame, 33 registers of 16 bits (the high byte says what they point to, so that most are
 * useful), and the stack. The module is linked at 0x1000, its sections follow each other after 64 KiB of code. With bit 7
 * of the choices, 64 bytes of memory and an expression follow instead.
 */
#include "report/unwind/unwind_internal.h"

#include <elf.h>
#include <errno.h>

#include "common/bytes.h"
#include "common/unconst.h"
#include "report/unwind/cfi.h"
#include "tests/fuzz/fuzz.h"

enum { LINK_ADDRESS = 0x1000, CODE_BYTES = 0x10000, STACK_ADDRESS = 0x7fff0000, JIT_ADDRESS = 0x40000000, BIAS = 0x5000000, TAIL = 4 };
enum { EXPRESSION_MEMORY = 64, EXPRESSION_STEPS = 2000, EXPRESSION_REGISTERS = 33, EXPRESSION = 0x80 };

struct fuzz_input {
	struct cfi_source source;
	struct byte_cursor rest;
};

static struct cfi_bytes fuzz_section(struct byte_cursor *cursor, size_t size, uint64_t *address)
{
	struct cfi_bytes section = {.address = *address};

	if (size > byte_cursor_left(cursor))
		size = byte_cursor_left(cursor);
	section.bytes = fuzz_copy(cursor->next, size);
	(void)byte_cursor_bytes(cursor, size);
	section.size = size;
	*address += size;
	return section;
}

static struct fuzz_input fuzz_input_read(const uint8_t *bytes, size_t length)
{
	struct byte_cursor cursor = byte_cursor_make(bytes, length);
	uint8_t choices = byte_cursor_u8(&cursor);
	size_t header = byte_cursor_u16(&cursor), frames = byte_cursor_u16(&cursor), debug = byte_cursor_u16(&cursor);
	uint64_t address = LINK_ADDRESS + CODE_BYTES;
	struct fuzz_input input = {.source = {.arch = unwind_arch_find(choices & 1 ? EM_AARCH64 : EM_X86_64)}};

	if (cursor.bad)
		cursor = byte_cursor_make(bytes, 0);
	input.source.eh_frame_hdr = fuzz_section(&cursor, header, &address);
	if (!(choices & 2))
		input.source.eh_frame_hdr.size = 0;
	input.source.eh_frame = fuzz_section(&cursor, frames, &address);
	input.source.debug_frame = fuzz_section(&cursor, debug, &address);
	input.source.text_address = LINK_ADDRESS;
	input.source.data_address = choices & 4 ? address : 0;
	input.source.signal_trampoline = choices & 8 ? LINK_ADDRESS + CODE_BYTES / 2 : 0;
	input.rest = cursor;
	return input;
}

static void fuzz_input_free(struct fuzz_input *input)
{
	free(unconst(input->source.eh_frame_hdr.bytes));
	free(unconst(input->source.eh_frame.bytes));
	free(unconst(input->source.debug_frame.bytes));
}

static void check_rule(const struct cfi_rows *rows, uint32_t number)
{
	const struct cfi_rule *rule;

	if (number == CFI_RULE_NONE)
		return;
	fuzz_require(number + 2 <= rows->rules.count);
	rule = cfi_rows_rule(rows, number);
	fuzz_require(number + 2 + rule->count <= rows->rules.count && rule->cfa_register < UNWIND_REGISTERS);
	for (unsigned int i = 0; i < rule->count; i++) {
		const struct cfi_register_rule *reg = &rule->registers[i];

		fuzz_require(reg->reg < UNWIND_REGISTERS && reg->kind >= CFI_OFFSET &&
			     reg->kind <= CFI_VALUE_EXPRESSION);
		if (reg->kind == CFI_REGISTER)
			fuzz_require(reg->value >= 0 && reg->value < UNWIND_REGISTERS);
	}
}

/* A budget of 4 KiB, so that rows are dropped and compiled again. */
static void check_section(const struct cfi_section *section)
{
	struct cfi_rows rows;

	if (cfi_rows_init(&rows, 4096) < 0)
		return;
	for (uint32_t i = 0; i < cfi_section_count(section) && i < 64; i++) {
		struct cfi_fde fde;
		uint64_t middle;
		uint32_t rule;

		if (cfi_section_fde(section, i, &fde) < 0)
			continue;
		middle = fde.start + (fde.end - fde.start) / 2;
		fuzz_require(!cfi_rows_find(&rows, 3, section, fde.start, &rule));
		check_rule(&rows, rule);
		fuzz_require(!cfi_rows_find(&rows, 3, section, middle, &rule));
		check_rule(&rows, rule);
		fuzz_require(!cfi_rows_find(&rows, 3, section, fde.end - 1, &rule));
		check_rule(&rows, rule);
	}
	for (size_t i = 1; i < rows.rows.count; i++)
		fuzz_require(rows.rows.items[i].offset > rows.rows.items[i - 1].offset || !rows.rows.items[i].offset);
	cfi_rows_deinit(&rows);
}

static bool find(void *context, uint64_t address, struct unwind_mapping *ret_mapping)
{
	bool in_module = address >= BIAS + LINK_ADDRESS && address < BIAS + LINK_ADDRESS + CODE_BYTES;

	if (!in_module && (address < JIT_ADDRESS || address >= JIT_ADDRESS + CODE_BYTES))
		return false;
	*ret_mapping = (struct unwind_mapping){.bias = BIAS, .module = 1, .cfi = in_module ? context : NULL};
	return true;
}

static uint64_t pointer(uint16_t word)
{
	uint64_t low = word & 0x3fff;

	switch (word >> 14) {
	case 0:
		return low;
	case 1:
		return BIAS + LINK_ADDRESS + low;
	case 2:
		return STACK_ADDRESS + (low & 0x3ff) * 8;
	default:
		return JIT_ADDRESS + low;
	}
}

/* Words of 16 bits become pointers of 64. */
static uint64_t *expand(struct byte_cursor *cursor, size_t *ret_count)
{
	size_t count = byte_cursor_left(cursor) / 2;
	uint64_t *words = calloc(count ? count : 1, sizeof(*words));

	fuzz_require(words != NULL);
	for (size_t i = 0; i < count; i++)
		words[i] = pointer(byte_cursor_u16(cursor));
	*ret_count = count;
	return words;
}

/* The same, step by step. */
static void require_steps(struct unwinder *unwinder, const struct unwind_space *space,
			  const struct unwind_snapshot *snapshot, const struct unwind_chain *chain)
{
	struct unwind_walk walk;
	int r = unwind_walk_begin(&walk, unwinder, space, snapshot);
	size_t count = 0;

	for (; !r && count < UNWIND_DEPTH; r = unwind_walk_next(&walk)) {
		fuzz_require(count < chain->count && chain->addresses[count] == walk.frame.registers[walk.arch->pc]);
		fuzz_require((chain->how[count] & UNWIND_HOW_MASK) == walk.frame.how);
		count++;
	}
	fuzz_require(chain->stop == unwind_reason(&walk, r ? (enum unwind_stop)r : UNWIND_TOO_DEEP));
	fuzz_require(count == chain->count || chain->how[count] == UNWIND_BY_TAIL);
}

static void run(const struct unwind_arch *arch, const struct cfi_section *section, struct byte_cursor *rest,
		struct unwind_chain *chain)
{
	uint64_t registers[UNWIND_REGISTERS], *stack;
	struct unwind_space space = {.context = unconst(section), .find = find, .generation = 1};
	struct unwind_snapshot snapshot = {.registers = registers, .stack_address = STACK_ADDRESS};
	struct unwinder *unwinder;
	size_t count;

	for (size_t i = 0; i < UNWIND_REGISTERS; i++)
		registers[i] = pointer(byte_cursor_u16(rest));
	registers[arch->sp] = STACK_ADDRESS;
	snapshot.known = registers[0] & 1 ? UINT64_MAX :
			 UINT64_C(0x1ffff0ff0) | unwind_bit(arch->pc) | unwind_bit(arch->sp);
	stack = expand(rest, &count);
	snapshot.stack = (const uint8_t *)stack;
	snapshot.stack_size = count * sizeof(*stack);
	snapshot.tail = (struct unwind_tail){
		.addresses = stack, .count = count < TAIL ? count : TAIL,
	};
	if (!unwinder_create(arch, 4096, &unwinder)) {
		for (int again = 0; again < 3; again++) { /* then with what was found before */
			fuzz_require(!unwinder_run(unwinder, &space, &snapshot, chain));
			fuzz_require(chain->count >= 1 && chain->count <= UNWIND_DEPTH);
			fuzz_require(chain->stop > UNWIND_GOES_ON && chain->stop <= UNWIND_SWITCHED);
			fuzz_require(chain->addresses[0] == registers[arch->pc]);
			require_steps(unwinder, &space, &snapshot, chain);
		}
		unwinder_destroy(unwinder);
	}
	free(stack);
}

static int read_memory(void *memory, uint64_t address, size_t size, uint64_t *ret_value)
{
	if (size > 8 || address > EXPRESSION_MEMORY - size)
		return -EFAULT;
	*ret_value = 0;
	memcpy(ret_value, (uint8_t *)memory + address, size);
	return 0;
}

/* It stays within its limit of steps. */
static void evaluate(const uint8_t *bytes, size_t length)
{
	uint64_t registers[EXPRESSION_REGISTERS], value, initial = 7;
	unsigned int steps = EXPRESSION_STEPS;
	uint8_t memory[EXPRESSION_MEMORY], *copy;
	struct expression_context context = {
		.registers = registers,
		.known = 0x1ffff00ff,
		.register_count = EXPRESSION_REGISTERS,
		.bias = 0x555500000000,
		.read = read_memory,
		.memory = memory,
		.steps_left = &steps,
	};

	if (length < EXPRESSION_MEMORY)
		return;
	memcpy(memory, bytes, EXPRESSION_MEMORY);
	for (size_t i = 0; i < EXPRESSION_REGISTERS; i++)
		registers[i] = i & 1 ? i : i << 40;
	copy = fuzz_copy(bytes + EXPRESSION_MEMORY, length - EXPRESSION_MEMORY);
	(void)expression_evaluate(&context, copy, length - EXPRESSION_MEMORY, bytes[0] & 1 ? &initial : NULL, &value);
	fuzz_require(steps <= EXPRESSION_STEPS);
	free(copy);
}

static void unwind(const uint8_t *bytes, size_t length)
{
	struct fuzz_input input = fuzz_input_read(bytes, length);
	struct unwind_chain *chain = malloc(sizeof(*chain));
	struct cfi_section *section;

	if (chain && !cfi_section_create(&input.source, &section)) {
		check_section(section);
		run(input.source.arch, section, &input.rest, chain);
		cfi_section_destroy(section);
	}
	free(chain);
	fuzz_input_free(&input);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	if (length && bytes[0] & EXPRESSION)
		evaluate(bytes + 1, length - 1);
	else
		unwind(bytes, length);
	return 0;
}
