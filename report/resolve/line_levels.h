/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What is known of one address, and room for many of them. The room belongs to the store, at addresses that stay until it goes;
 * texts are somebody else's.
 */
#ifndef RWALKER_REPORT_RESOLVE_LINE_LEVELS_H
#define RWALKER_REPORT_RESOLVE_LINE_LEVELS_H

#include <stdint.h>

#include "common/array.h"

/* Of one address: the innermost function first; the last one is the real one, and the others are inlined in it. */
struct line_level {
	const char *function; /* linkage name where there is one; NULL: not known */
	const char *file;     /* full path as far as it is known; NULL: not known */
	uint32_t line;	      /* 0: none in particular. Of outer levels: of the call */
};

struct line_levels {
	ARRAY(struct line_level *) blocks;
	struct line_level *next; /* in the last block */
	size_t left;
};

void line_levels_deinit(struct line_levels *levels);
/* A copy; with count 0 NULL. -ENOMEM. */
int line_levels_keep(struct line_levels *levels, const struct line_level *from, size_t count, const struct line_level **ret_kept);

#endif
