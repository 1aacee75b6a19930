/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Marks (FORMAT.md §6.2): nodes of a user stack that are no address, but say how the chain was found that they are part of.
 * `rwalker-report --condense` writes them where it puts a chain in the place of a snapshot; a stack without a mark is as the
 * frame pointers told it. What stands for a mark can be no user address: bit 55 is set, and no garbage is likely to be it.
 */
#ifndef RWALKER_FORMAT_STACK_MARK_H
#define RWALKER_FORMAT_STACK_MARK_H

#include <stdint.h>

enum stack_mark {
	MARK_NONE,
	/* Root-most: the stack was unwound, and so it ended. */
	MARK_CLEAN = 1,
	MARK_TRUNCATED = 2,
	MARK_NO_CFI = 3,
	MARK_BAD_RETURN = 4,
	MARK_TOO_DEEP = 5,
	MARK_CONTINUED = 6, /* truncated, but a MARK_TAIL says from where on it goes on by frame pointers */
	/* Between a frame and its callers: how those were found. */
	MARK_TAIL = 7,
	MARK_GUESSED = 8,
	/* Right root-ward of a frame that is not the leaf, and yet its address is no return address. */
	MARK_EXACT = 9,
};

#define STACK_MARKS UINT64_C(0xffd2574b00000000) /* plus the mark */

static inline uint64_t stack_mark_address(enum stack_mark mark)
{
	return STACK_MARKS + mark;
}

/* MARK_NONE for what is an address. Values above MARK_EXACT may come. */
static inline enum stack_mark stack_mark_of(uint64_t address)
{
	return address >> 8 == STACK_MARKS >> 8 ? (enum stack_mark)(address & 0xff) : MARK_NONE;
}

#endif
