/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The levels of one address, and a store for many of them. The store owns the levels; their
 * addresses are stable for its lifetime. It does not own the texts.
 */
#ifndef RWALKER_REPORT_RESOLVE_CACHE_LINE_LEVELS_H
#define RWALKER_REPORT_RESOLVE_CACHE_LINE_LEVELS_H

#include <stdint.h>

#include "common/array.h"

/* One function at an address. Innermost first; the last one is the real function, the others are inlined in it. */
struct line_level {
	const char *function; /* linkage name if there is one; NULL: unknown */
	const char *file;     /* full path as far as known; NULL: unknown */
	uint32_t line;	      /* 0: no particular line. In outer levels: the line of the call */
};

struct line_levels {
	ARRAY(struct line_level *) blocks;
	struct line_level *next; /* used in the last block */
	size_t left;
};

void line_levels_deinit(struct line_levels *levels);
/* Stores a copy; NULL if count is 0. -ENOMEM. */
int line_levels_keep(struct line_levels *levels, const struct line_level *from, size_t count,
		     const struct line_level **ret_kept);

#endif
