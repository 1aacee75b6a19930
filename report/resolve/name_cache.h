/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What was dear to find out, kept in one sqlite file between reports: resolved frames (function, file:line, inlined
 * ones) and MiniDebugInfo symbols per module, and what debuginfod answered. Never symbol tables of ordinary files nor
 * CFI rows: those are faster made anew. An answer counts only for the source it was made from (a name_source: the caller's
 * word on what it would read now), so that a report is the same without a cache, only slower; and a better source's
 * answers replace a poorer one's.
 *
 * The file is opened at the first question and nothing is written before name_cache_save(), which does it in one
 * transaction. If it cannot be used that is said once, on one line, and from then on the cache is empty and takes
 * nothing. What comes out of it is as hostile as any file: sizes are checked and a checksum says that it is what was put
 * in, but texts must go through common/printable.h as those of a trace do. A NULL cache is an empty one.
 * Not for several threads at once: ask before work is divided, put when it is joined.
 */
#ifndef RWALKER_REPORT_RESOLVE_NAME_CACHE_H
#define RWALKER_REPORT_RESOLVE_NAME_CACHE_H

#include <stdbool.h>
#include "report/resolve/line_levels.h"
#include "report/resolve/name_source.h"
#include "report/resolve/symbol_index.h"

struct name_cache;

struct name_cache_settings {
	const char *path; /* stays the caller's */
	bool make_folders; /* that are missing above it, with mode 0700 */
	uint64_t limit;   /* bytes; 0: 256 MB. Modules that nobody asked for longest make room */
	uint64_t now;     /* seconds since 1970; 0: of the clock, at each save */
};

/* Touches no file. -ENOMEM. */
int name_cache_create(const struct name_cache_settings *settings, struct name_cache **ret_cache);
/* Writes what is new; failing is said, and no failure of the report. */
void name_cache_save(struct name_cache *cache);
void name_cache_destroy(struct name_cache *cache);

/* --- resolved frames --- */

struct name_frames; /* those of one module and source; the cache's, until it is destroyed */

/*
 * Loaded with one read at the first call, the same afterwards. `name` is for --cache-info. *ret_frames is NULL without a cache,
 * for a module without build-id, and where the cache cannot be used. -ENOMEM.
 */
int name_cache_frames(struct name_cache *cache, const struct build_id *id, const char *name,
		      const struct name_source *source, struct name_frames **ret_frames);

/*
 * Of a module address; for callers give the one that is looked up, before the call's end. False: not known to the cache. True with
 * *ret_count 0: the source knows nothing of it. Valid as long as the frames.
 */
bool name_frames_find(const struct name_frames *frames, uint64_t address, const struct line_level **ret_levels,
		      size_t *ret_count);
/* What the source said; texts are copied. Of an address that is there already the first word stays. -ENOMEM. */
int name_frames_add(struct name_frames *frames, uint64_t address, const struct line_level *levels, size_t count);

/* --- symbols that took unpacking (.gnu_debugdata) --- */

/* 1: appended to the list (which may be none: so the source says); 0: not known; -ENOMEM. */
int name_cache_find_symbols(struct name_cache *cache, const struct build_id *id, const struct name_source *source,
			    struct symbol_list *list);
/* To be called before symbol_index_create() empties the list. -ENOMEM. */
int name_cache_put_symbols(struct name_cache *cache, const struct build_id *id, const char *name,
			   const struct name_source *source, const struct symbol_list *list);

/* --- debuginfod --- */

enum name_answer {
	NAME_ANSWER_UNKNOWN, /* nobody asked, or too long ago */
	NAME_ANSWER_NONE,    /* the servers do not have it; holds for 24 hours */
	NAME_ANSWER_FOUND,   /* at that path then: open it and compare its build-id; holds for 30 days */
};

/*
 * `what` is "debuginfo", "executable" ..., `servers` the value of DEBUGINFOD_URLS: others are asked anew. The path is the
 * cache's. Only what a server said is an answer: a network that is down is not.
 */
enum name_answer name_cache_answer(struct name_cache *cache, const struct build_id *id, const char *what,
				   const char *servers, const char **ret_path);
int name_cache_put_answer(struct name_cache *cache, const struct build_id *id, const char *what, const char *servers,
			  const char *path); /* NULL: none. -ENOMEM */

/* --- --cache-info and --cache-clear --- */

struct name_cache_module {
	char *name;
	struct build_id id;
	uint64_t last_used;		 /* seconds since 1970 */
	uint64_t frame_bytes, symbol_bytes; /* stored; 0: none */
};

struct name_cache_contents {
	bool exists;
	uint64_t file_bytes, limit, found, none; /* answers of debuginfod */
	ARRAY(struct name_cache_module) modules; /* last used first, then by name and build-id */
};

const char *name_cache_path(const struct name_cache *cache);
/* 0, or -errno after it said why. A file that is not there is an empty cache. */
int name_cache_contents(struct name_cache *cache, struct name_cache_contents *ret_contents);
void name_cache_contents_deinit(struct name_cache_contents *contents);
/* Empties it, also a damaged one. A file that is no cache of ours is left alone, which is an error, and said. */
int name_cache_clear(struct name_cache *cache);

#endif
