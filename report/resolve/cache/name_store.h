/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The cache's file, one sqlite table of results by key, behind a service (report/sandbox/service.h) that
 * gives and takes them for the cache (name_cache.h). It is opened at the first request, and made
 * when there is something to put. It must be a regular file of our own user, and either empty or
 * such a cache; root uses no file in another user's folder. If it exceeds its limit, results that
 * were not asked for longest make room. Whoever asks is not trusted: he can change the content of
 * the cache and nothing else.
 *
 * A request is its kind, a key that ends with NUL, and the bytes to put. The answer's result is 1 and
 * the bytes, 0: there are none, or -errno with a message for the user (none if there is no cache),
 * after which the store is of no use. A damaged file is emptied.
 */
#ifndef RWALKER_REPORT_RESOLVE_CACHE_NAME_STORE_H
#define RWALKER_REPORT_RESOLVE_CACHE_NAME_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "report/sandbox/service.h"

#define NAME_STORE_LIMIT (UINT64_C(256) << 20) /* bytes, by default */

enum { NAME_KEY_ROOM = 1536 }; /* bytes of a key */

enum name_store_request { NAME_STORE_GET = 1, NAME_STORE_PUT };

struct database;

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

#endif
