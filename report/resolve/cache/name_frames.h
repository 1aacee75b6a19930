/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The resolved frames of one module in memory: a list of levels for each address, innermost first.
 * Those loaded from the cache come first; those added afterwards are new and are written at the
 * end. Equal texts are kept once. What exceeds the limits is not kept: it is resolved again the
 * next time.
 */
#ifndef RWALKER_REPORT_RESOLVE_CACHE_NAME_FRAMES_H
#define RWALKER_REPORT_RESOLVE_CACHE_NAME_FRAMES_H

#include "report/read/text_pool.h"
#include "report/resolve/cache/name_cache.h"

enum {
	NAME_FRAMES_MAX = 1 << 20,	/* addresses of a module */
	NAME_LEVELS_MAX = 4 << 20,	/* levels of all addresses */
	NAME_LEVELS_OF_ADDRESS = 1024,
	NAME_TEXT_MAX = 1 << 20,	/* bytes of a name or path */
};

struct name_frame {
	uint64_t address;
	const struct line_level *levels;
	size_t count;
};

struct name_frames {
	struct build_id id;
	const char *name; /* of the module; in `texts` */
	struct name_source source;
	ARRAY(struct name_frame) items;
	struct line_levels levels;
	size_t level_count; /* of all items */
	struct text_pool texts;
	size_t sorted;		  /* number of items at the beginning with ascending addresses */
	struct index_table table; /* numbers of the other items, by address */
	size_t loaded;		  /* number of items that were in the cache */
};

int name_frames_create(const struct build_id *id, const char *name, const struct name_source *source,
		       struct name_frames **ret_frames);
void name_frames_destroy(struct name_frames *frames);
/* Like name_frames_add(), for texts that are already in the frames' pool. */
int name_frames_add_kept(struct name_frames *frames, uint64_t address,
			 const struct line_level *levels, size_t count);
/* The same with the levels of the last item. */
int name_frames_add_same(struct name_frames *frames, uint64_t address);
/*
 * Like name_frames_find(), for addresses that ascend from call to call: all calls together make one
 * pass over the items. *place starts at 0.
 */
bool name_frames_find_next(const struct name_frames *frames, size_t *place, uint64_t address,
			   const struct line_level **ret_levels, size_t *ret_count);
/* Removes all items. */
void name_frames_clear(struct name_frames *frames);

#endif
