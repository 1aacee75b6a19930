/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Between who asks for lines and the child that reads DWARF (line_child.h) stands the cache of names: only what it does not
 * know is read, and all that the child said in full is kept in it.
 */
#ifndef RWALKER_REPORT_RESOLVE_LINE_CACHE_H
#define RWALKER_REPORT_RESOLVE_LINE_CACHE_H

#include "report/resolve/line_child.h"
#include "report/resolve/name_cache.h"

struct line_owner { /* whose lines they are */
	const struct build_id *id;
	const char *name;
};

struct line_query { /* a module's question */
	struct name_frames *frames; /* the cache's */
	struct line_child child;
	struct line_answers rest; /* what the cache does not know */
	size_t *numbers;	  /* of these in all answers */
};

/*
 * Asks for what has no answer yet. 0: all is answered; 1: the child is asked; -ENOMEM, -errno. Answers may point into the cache, which
 * must outlive them; it may be NULL. `reading` false: the child would have been asked, but is not: -ECANCELED. To be deinited in all cases.
 */
int line_query_start(struct line_query *query, struct name_cache *cache, const struct line_owner *owner, const struct line_job *job,
		     bool reading, struct line_answers *answers);
/* As line_child_finish(), where the child was asked. */
int line_query_finish(struct line_query *query, struct text_pool *texts, struct line_answers *answers);
void line_query_deinit(struct line_query *query);

#endif
