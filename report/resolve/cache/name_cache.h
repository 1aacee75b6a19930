/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Keeps expensive results between reports in one sqlite file: resolved frames (function, file:line,
 * inlined functions) and MiniDebugInfo symbols per module, and answers of debuginfod. Never symbol
 * tables of ordinary files or CFI rows: those are faster to rebuild. An answer is valid only for
 * the source that it was made from (a name_source: the caller's description of what it would read
 * now), so a report without a cache is the same, only slower. Answers of a better source replace
 * those of a poorer one.
 *
 * The file is opened on demand and nothing is written before name_cache_save(), which uses one
 * transaction. If the file cannot be used, that is reported once, on one line, and from then on the
 * cache is empty and stores nothing. Its content is as hostile as any file: sizes are checked and a
 * checksum detects damage, but texts must go through common/printable.h like those of a trace. A
 * NULL cache is an empty one. Not thread-safe: query before the threads start, store after they are
 * joined.
 */
#ifndef RWALKER_REPORT_RESOLVE_CACHE_NAME_CACHE_H
#define RWALKER_REPORT_RESOLVE_CACHE_NAME_CACHE_H

#include <stdbool.h>

#include "report/resolve/cache/line_levels.h"
#include "report/resolve/cache/name_source.h"
#include "report/resolve/symbol/symbol_index.h"
#include "report/sandbox/desk.h"

#define NAME_CACHE_LIMIT (UINT64_C(256) << 20) /* bytes, by default */

struct name_cache;

struct name_cache_settings {
	const char *path; /* stays the caller's */
	bool make_folders; /* missing parent folders, with mode 0700 */
	uint64_t limit;   /* bytes; 0: 256 MB. The least recently used modules make room */
	uint64_t now;     /* seconds since 1970; 0: the current time, at each save */
	struct desk desk; /* opens and changes the file (name_desk.h); serve NULL: this process does */
};

/* Does not access the file. -ENOMEM. */
int name_cache_create(const struct name_cache_settings *settings, struct name_cache **ret_cache);
/* Writes new answers. Reports a failure, but the report does not fail because of it. */
void name_cache_save(struct name_cache *cache);
void name_cache_destroy(struct name_cache *cache);

/* --- resolved frames --- */

struct name_frames; /* the frames of one module and source; owned by the cache, valid until it is destroyed */

/*
 * The first call loads them with one read; later calls return the same pointer. `name` is for
 * --cache-info. *ret_frames is NULL without a cache, for a module without a build-id, and if the
 * cache cannot be used. -ENOMEM.
 */
int name_cache_frames(struct name_cache *cache, const struct build_id *id, const char *name,
		      const struct name_source *source, struct name_frames **ret_frames);

/*
 * The levels of a module address. For callers, pass an address inside the call instruction. False:
 * not in the cache. True with *ret_count 0: the source knows nothing about it. Valid as long as the
 * frames.
 */
bool name_frames_find(const struct name_frames *frames, uint64_t address,
		      const struct line_level **ret_levels, size_t *ret_count);
/* Stores the source's answer; texts are copied. If the address is already there, the first answer stays. -ENOMEM. */
int name_frames_add(struct name_frames *frames, uint64_t address, const struct line_level *levels,
		    size_t count);

/* --- symbols that had to be decompressed (.gnu_debugdata) --- */

/* 1: appended the symbols to the list, which may be none; 0: not in the cache; -ENOMEM. */
int name_cache_find_symbols(struct name_cache *cache, const struct build_id *id,
			    const struct name_source *source, struct symbol_list *list);
/* Call it before symbol_index_create() empties the list. -ENOMEM. */
int name_cache_put_symbols(struct name_cache *cache, const struct build_id *id, const char *name,
			   const struct name_source *source, const struct symbol_list *list);

/* --- debuginfod --- */

enum name_answer {
	NAME_ANSWER_UNKNOWN, /* no query yet, or the last one was too long ago */
	NAME_ANSWER_NONE,    /* the servers do not have it; valid for 24 hours */
	NAME_ANSWER_FOUND,   /* it was at that path: open it and compare its build-id; valid for 30 days */
};

/*
 * `what` is "debuginfo", "executable" ..., `servers` the value of DEBUGINFOD_URLS: answers are not
 * valid for other servers. The cache owns the path. Only a server's response is an answer: a
 * failure to reach one is not.
 */
enum name_answer name_cache_answer(struct name_cache *cache, const struct build_id *id, const char *what,
				   const char *servers, const char **ret_path);
int name_cache_put_answer(struct name_cache *cache, const struct build_id *id, const char *what,
			  const char *servers, const char *path); /* NULL: the servers do not have it. -ENOMEM */

/* --- --cache-info and --cache-clear --- */

struct name_cache_module {
	char *name;
	struct build_id id;
	uint64_t last_used;		 /* seconds since 1970 */
	uint64_t frame_bytes, symbol_bytes; /* bytes stored; 0: none */
};

struct name_cache_contents {
	bool exists;
	uint64_t file_bytes, limit, found, none; /* answers of debuginfod */
	ARRAY(struct name_cache_module) modules; /* most recently used first, then by name and build-id */
};

const char *name_cache_path(const struct name_cache *cache);
/* 0, or -errno after reporting why. A missing file is an empty cache. */
int name_cache_contents(struct name_cache *cache, struct name_cache_contents *ret_contents);
void name_cache_contents_deinit(struct name_cache_contents *contents);
/* Empties it, even if it is damaged. If the file is not our cache, leaves it alone and reports an error. */
int name_cache_clear(struct name_cache *cache);

#endif
