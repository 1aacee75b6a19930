/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks whether a path may be used for the cache of names, before sqlite sees it: it must be a
 * regular file of our own user that is empty, or whose header identifies it as such a cache; root
 * does not use files in another user's folder. *ret_why is a static text if the errno does not
 * explain the error, else NULL. *ret_named: the header identifies it; otherwise the file must turn
 * out to be empty.
 */
#ifndef RWALKER_REPORT_RESOLVE_CACHE_NAME_PLACE_H
#define RWALKER_REPORT_RESOLVE_CACHE_NAME_PLACE_H

#include <stdbool.h>

enum { NAME_APPLICATION_ID = 0x52574b4e }; /* "RWKN", at byte 68 of the file, big-endian */

/* 0; -ENOENT: there is no file; -errno. */
int name_place_check(const char *path, bool *ret_named, const char **ret_why);
/* Creates an empty file if there is none, and its parents if `folders` is set, accessible only to us. As above. */
int name_place_make(const char *path, bool folders, bool *ret_named, const char **ret_why);

#endif
