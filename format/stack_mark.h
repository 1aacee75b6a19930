/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Marks (FORMAT.md §6.2): nodes of a user stack that are not addresses, but say how their chain was
 * found. `rwalker-report --condense` writes them when it replaces a snapshot by a chain; a stack
 * without a mark was found by frame pointers. The value of a mark cannot be a user address: bit 55
 * is set, and garbage is unlikely to equal it.
 */
#ifndef RWALKER_FORMAT_STACK_MARK_H
#define RWALKER_FORMAT_STACK_MARK_H

#include <stdbool.h>
#include <stdint.h>

enum stack_mark {
	MARK_NONE,
	/* Root-most: the stack was unwound, and ended like this. */
	MARK_CLEAN = 1,
	MARK_TRUNCATED = 2,
	MARK_NO_CFI = 3,
	MARK_BAD_RETURN = 4,
	MARK_TOO_DEEP = 5,
	MARK_CONTINUED = 6, /* truncated, but continued by frame pointers from a MARK_TAIL on */
	/* Between a frame and its callers: how the callers were found. */
	MARK_TAIL = 7,
	/* Directly root-ward of a frame that is not the leaf, but whose address is not a return address. */
	MARK_EXACT = 9,
	/* Root-most, too. */
	/* Continues on another stack, which was not copied; or this one was made by hand (a coroutine's). */
	MARK_SWITCHED = 10,
	MARK_SWITCHED_CONTINUED = 12, /* like MARK_CONTINUED, on another stack */
	MARK_NO_MEMORY = 13, /* the stack was not in memory, so that none of it was copied */
	MARK_CALLER_UNKNOWN = 14, /* between a frame and its callers: others may be missing between them */
	/*
	 * Between the leaf of a stack by frame pointers and its callers: what lies at the top of the stack. The node
	 * leaf-ward of a MARK_WORD or MARK_LINK is not a frame, but a word that is an address of code.
	 */
	MARK_LINK = 63,	  /* the link register */
	MARK_WORD = 64,	  /* plus n: the word at the stack pointer + 8 n */
	MARK_SAVED = 112, /* plus n: that word equals the frame pointer; its value is not in the trace */
	MARK_FRAME = 160, /* plus n: the frame pointer is n words above the stack pointer; several: digits, base 48 */
	MARK_TOP_END = 208,
};

enum { STACK_TOP_WORDS = 48 };

#define STACK_MARKS UINT64_C(0xffd2574b00000000) /* plus the mark */

static inline uint64_t stack_mark_address(enum stack_mark mark)
{
	return STACK_MARKS + mark;
}

/* Whether the mark belongs to the words at the top. */
static inline bool stack_mark_is_top(enum stack_mark mark)
{
	return mark >= MARK_LINK && mark < MARK_TOP_END;
}

/* MARK_NONE for an address. Values above these may be added. */
static inline enum stack_mark stack_mark_of(uint64_t address)
{
	return address >> 8 == STACK_MARKS >> 8 ? (enum stack_mark)(address & 0xff) : MARK_NONE;
}

#endif
