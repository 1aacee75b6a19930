/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/stack_words.h"

#include <assert.h>
#include <string.h>

#include "format/stack_mark.h"
#include "record/place/hits.h"
#include "record/plan/recording.h"
#include "record/stack/arch_registers.h"

static_assert((int)RING_TOP_WORDS == STACK_TOP_WORDS, "the marks have room for all words");

/* Writes a word that is an address of code, and its mark. */
static uint64_t *write_word(const struct recording *recording, uint32_t tgid, uint64_t owner, uint64_t word,
			    enum stack_mark mark, uint64_t *at)
{
	word = arch_code_address(word);
	if (!hits_is_code(recording->hits, tgid, owner, word))
		return at;
	*at++ = word;
	*at++ = stack_mark_address(mark);
	return at;
}

/* The distance of the frame pointer in words, the digit of the greatest weight first; nothing if it is elsewhere. */
static uint64_t *write_frame(uint64_t distance, uint64_t *at)
{
	const uint64_t square = STACK_TOP_WORDS * STACK_TOP_WORDS;
	const bool more = distance >= square;

	if (distance >= square * STACK_TOP_WORDS)
		return at;
	if (more)
		*at++ = stack_mark_address((enum stack_mark)(MARK_FRAME + distance / square));
	distance %= square;
	if (more || distance >= STACK_TOP_WORDS)
		*at++ = stack_mark_address((enum stack_mark)(MARK_FRAME + distance / STACK_TOP_WORDS));
	*at++ = stack_mark_address((enum stack_mark)(MARK_FRAME + distance % STACK_TOP_WORDS));
	return at;
}

void stack_words_add(struct recording *recording, uint32_t tgid, const struct ring_top *top, uint32_t words,
		     struct event_stacks *stacks)
{
	const uint32_t count = words - RING_TOP_HEAD, callers = stacks->user_count - 1;
	uint64_t *path = recording->user_path, *at = path;

	if (stacks->user_count + 2 * (words + 2) > RWK_MAX_FRAMES)
		return;
	*at++ = stacks->user[0];
	if (top->link)
		at = write_word(recording, tgid, stacks->user_owner, top->link, MARK_LINK, at);
	for (uint32_t i = 0; i < count; i++)
		if (top->words[i] && top->words[i] == top->frame)
			*at++ = stack_mark_address((enum stack_mark)(MARK_SAVED + i));
		else
			at = write_word(recording, tgid, stacks->user_owner, top->words[i],
					(enum stack_mark)(MARK_WORD + i), at);
	if (at == path + 1 && !top->link)
		return;
	at = write_frame((top->frame - top->stack) / sizeof(*at), at);
	if (at == path + 1)
		return;
	memcpy(at, stacks->user + 1, callers * sizeof(*at));
	stacks->user_words = (uint32_t)(at - path) - 1;
	stacks->user = path;
	stacks->user_count += stacks->user_words;
}
