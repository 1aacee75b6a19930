/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The unwinder on any module, registers and stack: it ends, and its results are consistent. After
 * the sections come 33 registers of 16 bits (the high byte says what they point to, so that most
 * are useful), then the stack.
 */
#include "report/resolve/unwind/unwind_walk.h"

#include "common/unconst.h"
#include "tests/fuzz/unwind_input.h"

enum { STACK_ADDRESS = 0x7fff0000, JIT_ADDRESS = 0x40000000, BIAS = 0x5000000, TAIL = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static bool find(void *context, uint64_t address, struct unwind_mapping *ret_mapping)
{
	bool in_module = address >= BIAS + FUZZ_LINK_ADDRESS && address < BIAS + FUZZ_LINK_ADDRESS + FUZZ_CODE_BYTES;

	if (!in_module && (address < JIT_ADDRESS || address >= JIT_ADDRESS + FUZZ_CODE_BYTES))
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
		return BIAS + FUZZ_LINK_ADDRESS + low;
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct fuzz_input input = fuzz_input_read(bytes, length);
	struct unwind_chain *chain = malloc(sizeof(*chain));
	struct cfi_section *section;

	if (chain && !cfi_section_create(&input.source, &section)) {
		run(input.source.arch, section, &input.rest, chain);
		cfi_section_destroy(section);
	}
	free(chain);
	fuzz_input_free(&input);
	return 0;
}
