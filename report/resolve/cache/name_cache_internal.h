/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Private to name_cache.c (queries) and name_cache_write.c (saving, showing, clearing). */
#ifndef RWALKER_REPORT_RESOLVE_CACHE_NAME_CACHE_INTERNAL_H
#define RWALKER_REPORT_RESOLVE_CACHE_NAME_CACHE_INTERNAL_H

#include "common/hash_map.h"
#include "report/resolve/cache/name_blob.h"
#include "report/resolve/cache/name_desk.h"
#include "report/resolve/cache/name_shelf.h"

enum {
	NAME_NONE_HOLDS = 24 * 3600, /* seconds that an answer is valid */
	NAME_FOUND_HOLDS = 30 * 24 * 3600,
};

struct new_symbols { /* to be written */
	struct build_id id;
	struct name_source source;
	char *name;
	struct name_blob blob;
};

struct known_answer { /* in memory: read, or to be written */
	struct build_id id;
	char *what, *servers, *path; /* path NULL: the servers do not have it */
	enum name_answer answer;
	bool fresh;
};

struct name_cache {
	struct name_cache_settings settings;
	struct desk desk;      /* opens and changes the file */
	struct name_desk *own; /* set if this process does that */
	bool is_open, unusable;
	ARRAY(struct name_frames *) frames;
	struct hash_map frame_keys; /* number in frames by build-id and source */
	ARRAY(struct new_symbols) symbols;
	ARRAY(struct known_answer) answers;
	struct hash_map answer_keys; /* number in answers by build-id, what, servers */
	ARRAY(struct build_id) asked; /* modules whose entries were used */
};

uint64_t name_cache_now(const struct name_cache *cache);
/* 1: open; 0: the file does not exist and `make` is false, or it cannot be used (which was reported). */
int name_cache_open(struct name_cache *cache, bool make);
/* Reports the error, once; from then on the cache is empty. `why` is for causes without an errno, else NULL. */
void name_cache_give_up(struct name_cache *cache, int r, const char *why);

/* The seed of checksums: identifies the owner of the bytes. */
uint64_t name_content_seed(const struct build_id *id, enum name_content kind,
			   const struct name_source *source);
uint64_t name_answer_checksum(const struct known_answer *answer, uint64_t tried);

#endif
