/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What name_cache.c (asking) and name_cache_write.c (saving, showing, clearing) share. For nobody else.
 */
#ifndef RWALKER_REPORT_RESOLVE_NAME_CACHE_INTERNAL_H
#define RWALKER_REPORT_RESOLVE_NAME_CACHE_INTERNAL_H

#include "common/hash_map.h"
#include "report/resolve/name_blob.h"
#include "report/resolve/name_store.h"

#define NAME_CACHE_LIMIT (UINT64_C(256) << 20)

enum {
	NAME_NONE_HOLDS = 24 * 3600, /* seconds that an answer holds */
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
	char *what, *servers, *path; /* path NULL: none */
	enum name_answer answer;
	bool fresh;
};

struct name_cache {
	struct name_cache_settings settings;
	struct name_store *store; /* NULL: not open */
	bool unusable;
	ARRAY(struct name_frames *) frames;
	struct hash_map frame_keys; /* number in frames by build-id and source */
	ARRAY(struct new_symbols) symbols;
	ARRAY(struct known_answer) answers;
	struct hash_map answer_keys; /* number in answers by build-id, what, servers */
	ARRAY(struct build_id) asked; /* modules whose entries were of use */
};

uint64_t name_cache_now(const struct name_cache *cache);
/* 1: it is open; 0: there is none and it was not to be made, or it cannot be used (and that was said). */
int name_cache_open(struct name_cache *cache, bool make);
/* Says so, once; from now on it is empty. `why` is for what no errno says, else NULL. */
void name_cache_give_up(struct name_cache *cache, int r, const char *why);

/* Checksums begin with what the bytes belong to. */
uint64_t name_content_seed(const struct build_id *id, enum name_content kind, const struct name_source *source);
uint64_t name_answer_checksum(const struct known_answer *answer, uint64_t tried);

#endif
