/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The cache's access to its file: name_store.h through a desk, which may be in another process
 * (name_desk.h). All functions return what the store returns, or -EIO if the desk cannot be
 * reached. Those whose counterpart needs an open store must be called after name_shelf_open()
 * returned 0.
 */
#ifndef RWALKER_REPORT_RESOLVE_CACHE_NAME_SHELF_H
#define RWALKER_REPORT_RESOLVE_CACHE_NAME_SHELF_H

#include "report/resolve/cache/name_store.h"
#include "report/sandbox/desk.h"

enum { NAME_WHY_MAX = 96 };

/*
 * Checks the path and opens the file; creates it if `make` is set. As name_place_make() or
 * name_place_check(), and name_store_open(). `why` becomes "" if the errno explains the error.
 */
int name_shelf_open(const struct desk *desk, bool make, enum name_store_state *ret_state,
		    char why[static NAME_WHY_MAX]);
void name_shelf_close(const struct desk *desk);
int name_shelf_reset(const struct desk *desk);
/* Opens the file and empties it. */
int name_shelf_clear(const struct desk *desk, char why[static NAME_WHY_MAX]);

struct name_piece {
	struct desk_answer answer; /* owns the bytes */
	const void *bytes;
	size_t size;
};

/* 1: found; 0: not in the file. */
int name_shelf_find(const struct desk *desk, const struct build_id *id, enum name_content kind,
		    const struct name_source *source, struct name_piece *ret_piece);
void name_piece_release(struct name_piece *piece);
int name_shelf_find_answer(const struct desk *desk, const struct build_id *id, const char *what, const char *servers,
			   struct name_answer_row *ret_row);
int name_shelf_contents(const struct desk *desk, struct name_cache_contents *contents);

int name_shelf_begin(const struct desk *desk);
int name_shelf_commit(const struct desk *desk);
void name_shelf_undo(const struct desk *desk);
int name_shelf_touch(const struct desk *desk, const struct build_id *id, uint64_t slack);
int name_shelf_put(const struct desk *desk, const struct build_id *id, const char *name, enum name_content kind,
		   const struct name_source *source, const void *bytes, size_t size);
int name_shelf_put_answer(const struct desk *desk, const struct build_id *id, const char *what, const char *servers,
			  const struct name_answer_row *row);
int name_shelf_forget_answers(const struct desk *desk, uint64_t none_before, uint64_t found_before);

#endif
