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

/* As line_child_resolve(), for what has no answer yet. Answers may point into the cache, which must outlive them; it may be NULL. */
int line_cache_resolve(struct name_cache *cache, const struct line_owner *owner, const struct line_job *job,
		       struct text_pool *texts, struct line_answers *answers);

#endif
