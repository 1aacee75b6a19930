/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Keeps expensive results between reports: the lines of a module's addresses, and MiniDebugInfo
 * unpacked. Never symbol tables of ordinary files or CFI rows: those are faster to rebuild. A result
 * is bytes, found by a key: a line of text with the module's build-id, what the result is, and all
 * that it depends on. So a report without a cache is the same, only slower.
 *
 * The bytes come from name_store.h, which is another process. If that cannot use its file, this is
 * reported once, on one line, and from then on the cache is empty and stores nothing. Results are as
 * hostile as any file, but damage is noticed by a checksum. A NULL cache is an empty one.
 */
#ifndef RWALKER_REPORT_RESOLVE_CACHE_NAME_CACHE_H
#define RWALKER_REPORT_RESOLVE_CACHE_NAME_CACHE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "common/elf/elf_file.h"
#include "report/resolve/cache/name_store.h"

enum { NAME_CACHE_VALUE_MAX = 64 << 20 }; /* bytes; larger results are not kept */

struct name_cache {
	struct service store; /* of name_store.h; serve NULL: none */
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
