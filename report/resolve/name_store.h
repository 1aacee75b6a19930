/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The cache's file: its schema and every query on it. Knows nothing of what the bytes mean. The file exists and may be used
 * (name_place.h). A damaged one of ours, or one of another version, is emptied at the opening. Errors are those of
 * sqlite_file.h; nobody is told of them here.
 */
#ifndef RWALKER_REPORT_RESOLVE_NAME_STORE_H
#define RWALKER_REPORT_RESOLVE_NAME_STORE_H

#include <stdbool.h>

#include "report/resolve/name_cache.h"
#include "report/resolve/sqlite_file.h"

/* To be raised with each change of the schema or of the bytes in it. */
enum { NAME_STORE_VERSION = 1 };

enum name_content { NAME_CONTENT_FRAMES = 1, NAME_CONTENT_SYMBOLS = 2 };

enum name_store_state {
	NAME_STORE_SOUND,
	NAME_STORE_WAS_DAMAGED,	      /* and is empty now */
	NAME_STORE_WAS_OTHER_VERSION, /* likewise */
};

struct name_store;

/* `named`: its header says that it is ours. -EMEDIUMTYPE: it does not, and is not empty. */
int name_store_open(const char *path, bool named, struct name_store **ret_store, enum name_store_state *ret_state);
void name_store_close(struct name_store *store);
/* Empties it, whatever is in it. */
int name_store_reset(struct name_store *store);

/* --- reading --- */

struct name_row { /* holds a lock on the file until it is released */
	struct sqlite_query *query;
	const void *bytes;
	size_t size;
};

/* 1, 0: there is none. */
int name_store_find(struct name_store *store, const struct build_id *id, enum name_content kind,
		    const struct name_source *source, struct name_row *ret_row);
void name_row_release(struct name_row *row);

struct name_answer_row {
	uint64_t tried, checksum;
	char *path; /* new memory; NULL: none */
};

/* 1, 0: there is none. */
int name_store_find_answer(struct name_store *store, const struct build_id *id, const char *what, const char *servers,
			   struct name_answer_row *ret_row);

int name_store_contents(struct name_store *store, struct name_cache_contents *contents);

/* --- writing: all between begin and commit or undo --- */

int name_store_begin(struct name_store *store);
int name_store_commit(struct name_store *store);
void name_store_undo(struct name_store *store);

/* The module was asked for at `now`; nothing to note where it was also within `slack` seconds before. */
int name_store_touch(struct name_store *store, const struct build_id *id, uint64_t now, uint64_t slack);
/*
 * In place of what the module has of that kind from this source or from poorer ones. Of those of its rank the last four stay.
 * Modules that were not asked for at `now` make room, longest ago first. 1; 0: there is no room below `limit` bytes.
 */
int name_store_put(struct name_store *store, const struct build_id *id, const char *name, enum name_content kind,
		   const struct name_source *source, const void *bytes, size_t size, uint64_t now, uint64_t limit);
int name_store_put_answer(struct name_store *store, const struct build_id *id, const char *what, const char *servers,
			  const struct name_answer_row *row);
/* Answers that were got before. */
int name_store_forget_answers(struct name_store *store, uint64_t none_before, uint64_t found_before);

#endif
