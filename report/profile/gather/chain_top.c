/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/gather/chain_top.h"

#include "report/profile/gather/chain_unwind.h"

_Static_assert((int)UNWIND_TOP_WORDS == STACK_TOP_WORDS, "a word has a bit");

static enum stack_mark mark_at(const struct chain_context *context, uint32_t node)
{
	return node < STACK_FIRST_NODE ? MARK_NONE : stack_mark_of(context->nodes[node].address);
}

static void note_mark(enum stack_mark mark, struct unwind_top *top)
{
	if (mark >= MARK_FRAME)
		top->frame = (top->frame == UNWIND_NO_FRAME ? 0 : top->frame * STACK_TOP_WORDS) + (mark - MARK_FRAME);
	else if (mark >= MARK_SAVED)
		top->saved |= UINT64_C(1) << (mark - MARK_SAVED);
}

static void note_word(enum stack_mark mark, uint64_t word, struct unwind_top *top)
{
	if (mark == MARK_LINK) {
		top->link = word;
		return;
	}
	top->words[mark - MARK_WORD] = word;
	top->known |= UINT64_C(1) << (mark - MARK_WORD);
}

uint32_t chain_top_read(const struct chain_context *context, uint32_t leaf, struct unwind_top *ret_top)
{
	uint32_t node = context->nodes[leaf].parent;
	struct unwind_top unused, *top = ret_top ? ret_top : &unused;

	top->known = top->saved = 0;
	top->link = 0;
	top->frame = UNWIND_NO_FRAME;
	while (node >= STACK_FIRST_NODE) {
		uint32_t parent = context->nodes[node].parent;
		enum stack_mark mark = mark_at(context, node), above = mark_at(context, parent);

		if (stack_mark_is_top(mark)) {
			note_mark(mark, top);
			node = parent;
		} else if (!mark && above >= MARK_LINK && above < MARK_SAVED) {
			note_word(above, context->nodes[node].address, top);
			node = context->nodes[parent].parent;
		} else {
			break;
		}
	}
	top->next = node < STACK_FIRST_NODE || mark_at(context, node) ? 0 : context->nodes[node].address;
	return node;
}

int chain_top_path(const struct chain_context *context, uint32_t process, uint32_t leaf, uint64_t *path, uint32_t room)
{
	struct unwind_callers callers = {.joined = UNWIND_JOINED};
	struct unwind_top top;
	uint32_t rest = chain_top_read(context, leaf, &top), count = 0;
	int r = 0;

	if (room < 2 + sizeof(callers.addresses) / sizeof(callers.addresses[0]))
		return 0;
	if (rest != context->nodes[leaf].parent)
		r = profile_unwinding_callers(context, process, context->nodes[leaf].address, &top, &callers);
	if (r < 0)
		return r;
	path[count++] = context->nodes[leaf].address;
	for (size_t i = 0; i < callers.count; i++)
		path[count++] = callers.addresses[i];
	if (callers.joined != UNWIND_JOINED)
		path[count++] = stack_mark_address(MARK_CALLER_UNKNOWN);
	if (callers.joined == UNWIND_JOINED_NEVER)
		return (int)count;
	for (; rest >= STACK_FIRST_NODE && count < room; rest = context->nodes[rest].parent)
		path[count++] = context->nodes[rest].address;
	return (int)count;
}
