/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What DWARF says about some addresses of a module: for each one its functions, innermost first;
 * the last is the real one, and the others are inlined in it. The addresses are fixed at the start;
 * answers are added in any order.
 */
#ifndef RWALKER_REPORT_RESOLVE_DWARF_LINE_ANSWERS_H
#define RWALKER_REPORT_RESOLVE_DWARF_LINE_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array.h"
#include "report/resolve/symbol/address_buckets.h"

/* One function at an address. Innermost first; the last one is the real function, the others are inlined in it. */
struct line_level {
	const char *function; /* linkage name if there is one; NULL: unknown */
	const char *file;     /* full path as far as known; NULL: unknown */
	uint32_t line;	      /* 0: no particular line. In outer levels: the line of the call */
};

struct line_place { /* the answer for one address */
	const struct line_level *levels;
	size_t count; /* 0: nothing is known */
};

struct line_answers {
	uint64_t *addresses; /* ascending, each once */
	struct line_place *places;
	size_t count;
	struct address_buckets buckets; /* of the addresses */
	ARRAY(struct line_level *) blocks; /* of levels; their addresses do not change */
	struct line_level *next;	   /* used in the last block */
	size_t left;
};

/* Copies the addresses, which must ascend. -ENOMEM. */
int line_answers_init(struct line_answers *answers, const uint64_t *addresses, size_t count);
void line_answers_deinit(struct line_answers *answers);

/* Texts must outlive the answers. A second answer replaces the first. -ENOMEM. */
int line_answers_put(struct line_answers *answers, size_t number, const struct line_level *levels,
		     size_t count);

/* The same without copying: the levels must outlive the answers. */
void line_answers_point(struct line_answers *answers, size_t number,
			const struct line_level *levels, size_t count);

/* The number of levels; 0: the address was not requested, or nothing is known about it. */
size_t line_answers_find(const struct line_answers *answers, uint64_t address,
			 const struct line_level **ret_levels);

#endif
