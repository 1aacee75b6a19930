/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Puts the cache of names in front of the child that reads DWARF (line_child.h): only addresses
 * missing in the cache are read, and complete answers of the child are stored in it.
 */
#ifndef RWALKER_REPORT_RESOLVE_DWARF_LINE_CACHE_H
#define RWALKER_REPORT_RESOLVE_DWARF_LINE_CACHE_H

#include "report/resolve/cache/name_cache.h"
#include "report/resolve/dwarf/line_child.h"

struct line_query { /* one query for a module */
	struct name_cache *cache; /* NULL: the answers may not be cached */
	struct name_key key;
	struct line_child child;
	struct line_answers known; /* from the cache */
	struct line_answers rest;  /* addresses missing in the cache */
	size_t *numbers;	   /* index of each of these in all answers */
};

/*
 * Queries the addresses without an answer. 0: all are answered; 1: the child was started; -ENOMEM,
 * -errno. The cache may be NULL. If `reading` is false, returns -ECANCELED instead of starting the
 * child. Texts are stored in the pool. Call line_query_deinit() in all cases.
 */
int line_query_start(struct line_query *query, struct name_cache *cache, const struct build_id *id,
		     const struct line_job *job, bool reading, struct text_pool *texts, struct line_answers *answers);
/* Like line_child_finish(), if the child was started. Answers that may not be cached count as success, too. */
int line_query_finish(struct line_query *query, struct text_pool *texts, struct line_answers *answers);
void line_query_deinit(struct line_query *query);

#endif
