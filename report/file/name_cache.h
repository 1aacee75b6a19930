/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Keeps expensive results between reports: the lines of a module's addresses, and MiniDebugInfo
 * unpacked. Never symbol tables of ordinary files or CFI rows: those are faster to rebuild. A result
 * is bytes, found by a key: a line of text with the module's build-id, what the result is, and all
 * that it depends on. So a report without a cache is the same, only slower.
 *
 * The bytes come from the store, which is another process. If that cannot use its file, this is
 * reported once, on one line, and from then on the cache is empty and stores nothing. Results are as
 * hostile as any file, but damage is noticed by a checksum. A NULL cache is an empty one.
 */
#ifndef RWALKER_REPORT_FILE_NAME_CACHE_H
#define RWALKER_REPORT_FILE_NAME_CACHE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "common/elf/elf_file.h"
#include "report/sandbox/service.h"

struct database;

/*
 * The cache's file, one sqlite table of results by key, behind a service (report/sandbox/service.h) that
 * gives and takes them for the cache (below). It is opened at the first request, and made
 * when there is something to put. It must be a regular file of our own user, and either empty or
 * such a cache; root uses no file in another user's folder. If it exceeds its limit, results that
 * were not asked for longest make room. Whoever asks is not trusted: he can change the content of
 * the cache and nothing else.
 *
 * A request is its kind, a key that ends with NUL, and the bytes to put. The answer's result is 1 and
 * the bytes, 0: there are none, or -errno with a message for the user (none if there is no cache),
 * after which the store is of no use. A damaged file is emptied.
 */
#define NAME_STORE_LIMIT (UINT64_C(256) << 20) /* bytes, by default */

enum { NAME_KEY_ROOM = 1536 }; /* bytes of a key */

enum name_store_request { NAME_STORE_GET = 1, NAME_STORE_PUT };

struct name_store {
	char path[PATH_MAX]; /* "": there is no cache */
	bool by_default;     /* missing folders are made, with mode 0700 */
	uint64_t limit;	     /* bytes */
	struct database *database; /* NULL: not open */
};

/*
 * `path` NULL: rwalker/names.sqlite in $XDG_CACHE_HOME or ~/.cache, but none without a home or if
 * that belongs to another user: a report run by sudo must not leave files of root there.
 */
void name_store_init(struct name_store *store, const char *path);
void name_store_deinit(struct name_store *store);
struct service name_store_service(struct name_store *store);

enum { NAME_CACHE_VALUE_MAX = 64 << 20 }; /* bytes; larger results are not kept */

struct name_cache {
	struct service store; /* serve NULL: none */
	bool unusable;
};

struct name_key {
	char text[NAME_KEY_ROOM]; /* NUL-terminated */
	size_t used;
	bool full; /* something did not fit, or the module has no build-id: nothing is kept for this key */
};

/* `what` is the kind of result, with a number that is incremented when the same files yield others than before. */
void name_key_start(struct name_key *key, const struct build_id *id, const char *what);
/* Adds path, device, inode, ctime and size. The caller has checked that only the user can write it (file_is_ours()). */
void name_key_add_file(struct name_key *key, const char *path, const struct stat *status);
void name_key_add_text(struct name_key *key, const char *text);

struct name_value {
	struct service_answer answer; /* owns the bytes */
	const uint8_t *bytes;
	size_t size;
};

/* True: found; the caller calls name_value_deinit(). */
bool name_cache_get(struct name_cache *cache, const struct name_key *key, struct name_value *ret_value);
void name_value_deinit(struct name_value *value);
/* Replaces what the key had. Failures are reported, but no report fails because of them. */
void name_cache_put(struct name_cache *cache, const struct name_key *key, const void *bytes, size_t size);

#endif
