/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Frame-pointer chains on hand-made stacks: a frame is the caller's frame pointer,
 * then the return address.
 */
#include "record/stack/frame_chain.h"

#include "format/snapshot_code.h"
#include "tests/test.h"

enum { ROOM = 8, WORDS = 8 };
#define BASE UINT64_C(0x7ffc00001000)
#define CODE UINT64_C(0x400000)
#define AT(word) (BASE + 8 * (word))

#if defined(__x86_64__)
enum { FRAME = 6, INSTRUCTION = 16 };
#else
enum { FRAME = 29, INSTRUCTION = 32 };
#endif

struct stack {
	struct snapshot snapshot;
	uint64_t words[WORDS], frames[ROOM];
	bool cut;
};

/* Two frames: one at word 1, the next at word 4, which ends the chain. */
static void stack_init(struct stack *stack)
{
	*stack = (struct stack){.snapshot = {.address = BASE, .count = WORDS}};
	stack->snapshot.words = stack->words;
	stack->snapshot.registers[INSTRUCTION] = CODE;
	stack->snapshot.registers[FRAME] = AT(1);
	stack->words[1] = AT(4);
	stack->words[2] = CODE + 1;
	stack->words[4] = 0;
	stack->words[5] = CODE + 2;
}

static uint32_t chain(struct stack *stack, uint32_t room)
{
	return frame_chain(&stack->snapshot, stack->frames, room, &stack->cut);
}

static void ends_where_frames_do_not_grow(struct test *t)
{
	static const uint64_t nexts[] = {AT(1), AT(0), BASE - 8, AT(2), AT(4) + 1, 0, UINT64_MAX, UINT64_MAX - 7};
	static const uint64_t firsts[] = {0, BASE - 8, AT(1) + 4, AT(WORDS - 1), AT(WORDS), UINT64_MAX - 7};
	struct stack stack;

	stack_init(&stack);
	CHECK_INT(t, chain(&stack, ROOM), 3);
	for (uint64_t i = 0; i < 3; i++)
		CHECK_INT(t, stack.frames[i], CODE + i);
	for (size_t i = 0; i < sizeof(nexts) / sizeof(nexts[0]); i++) {
		stack_init(&stack);
		stack.words[1] = nexts[i];
		CHECK_INT(t, chain(&stack, ROOM), 2);
	}
	for (size_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
		stack_init(&stack);
		stack.snapshot.registers[FRAME] = firsts[i];
		CHECK_INT(t, chain(&stack, ROOM), 1);
	}
	CHECK(t, !stack.cut);
}

/* The last word alone is not a frame; a frame beyond the copy is truncated only if the stack is known to continue. */
static void says_what_is_cut(struct test *t)
{
	struct stack stack;

	stack_init(&stack);
	stack.words[4] = AT(WORDS - 1);
	CHECK_INT(t, chain(&stack, ROOM), 3);
	CHECK(t, !stack.cut);
	stack.snapshot.flags = SNAPSHOT_CUT;
	CHECK_INT(t, chain(&stack, ROOM), 3);
	CHECK(t, stack.cut);
	stack_init(&stack);
	CHECK_INT(t, chain(&stack, 2), 2);
	CHECK(t, stack.cut);
	CHECK_INT(t, chain(&stack, 3), 3);
	CHECK(t, !stack.cut);
}

static void copies_of_next_to_nothing(struct test *t)
{
	struct stack stack;

	stack_init(&stack);
	for (uint32_t count = 0; count < 3; count++) {
		stack.snapshot.count = count;
		CHECK_INT(t, chain(&stack, ROOM), 1);
	}
	CHECK_INT(t, chain(&stack, 0), 0);
}

TEST_MAIN(TEST(ends_where_frames_do_not_grow),
	  TEST(says_what_is_cut), TEST(copies_of_next_to_nothing))
