/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The cache's file: its schema and every query on it. Does not interpret the stored bytes. The file
 * must exist and be usable (name_place.h). A damaged cache, or one of another version, is emptied
 * when it is opened. Errors are those of sqlite_file.h; they are not reported here.
 */
#ifndef RWALKER_REPORT_RESOLVE_CACHE_NAME_STORE_H
#define RWALKER_REPORT_RESOLVE_CACHE_NAME_STORE_H

#include <stdbool.h>

#include "report/resolve/cache/name_cache.h"
#include "report/resolve/cache/sqlite_file.h"

/* Increment it with each change of the schema, of the encoding of the bytes, or of the choice of names. */
enum { NAME_STORE_VERSION = 2 };

enum name_content { NAME_CONTENT_FRAMES = 1, NAME_CONTENT_SYMBOLS = 2 };

enum name_store_state {
	NAME_STORE_SOUND,
	NAME_STORE_WAS_DAMAGED,	      /* and is empty now */
	NAME_STORE_WAS_OTHER_VERSION, /* likewise */
};

struct name_store;

/* `named`: the header identifies the file as ours. -EMEDIUMTYPE: it does not, and the file is not empty. */
int name_store_open(const char *path, bool named, struct name_store **ret_store,
		    enum name_store_state *ret_state);
void name_store_close(struct name_store *store);
/* Empties the file, whatever its content. */
int name_store_reset(struct name_store *store);

/* --- reading --- */

struct name_row { /* holds a lock on the file until it is released */
	struct sqlite_query *query;
	const void *bytes;
	size_t size;
};

/* 1; 0: there is none. */
int name_store_find(struct name_store *store, const struct build_id *id, enum name_content kind,
		    const struct name_source *source, struct name_row *ret_row);
void name_row_release(struct name_row *row);

struct name_answer_row {
	uint64_t tried, checksum;
	char *path; /* new memory; NULL: none */
};

/* 1; 0: there is none. */
int name_store_find_answer(struct name_store *store, const struct build_id *id, const char *what,
			   const char *servers, struct name_answer_row *ret_row);

int name_store_contents(struct name_store *store, struct name_cache_contents *contents);

/* --- writing: all of it between begin and commit or undo --- */

int name_store_begin(struct name_store *store);
int name_store_commit(struct name_store *store);
void name_store_undo(struct name_store *store);

/* Marks the module as used at `now`; does nothing if that was recorded within the last `slack` seconds. */
int name_store_touch(struct name_store *store, const struct build_id *id, uint64_t now, uint64_t slack);
/*
 * Replaces the module's bytes of that kind that come from this source or from poorer ones. Of
 * sources with the same rank, the last four stay. If there is no room, removes modules that were
 * not used at `now`, least recently used first. 1; 0: there is no room below `limit` bytes.
 */
int name_store_put(struct name_store *store, const struct build_id *id, const char *name,
		   enum name_content kind, const struct name_source *source, const void *bytes,
		   size_t size, uint64_t now, uint64_t limit);
int name_store_put_answer(struct name_store *store, const struct build_id *id, const char *what,
			  const char *servers, const struct name_answer_row *row);
/* Removes older answers: negative ones from before `none_before`, others from before `found_before`. */
int name_store_forget_answers(struct name_store *store, uint64_t none_before, uint64_t found_before);

#endif
