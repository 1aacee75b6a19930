/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whether a path may hold the cache of names, looked at before sqlite sees it: a regular file of our own user that is empty,
 * or that says in its header that it is such a cache; root makes none in a folder of somebody else. *ret_why is a text
 * that lasts where the errno does not say it, else NULL. *ret_named: the header says so; otherwise the file must prove
 * empty.
 */
#ifndef RWALKER_REPORT_RESOLVE_NAME_PLACE_H
#define RWALKER_REPORT_RESOLVE_NAME_PLACE_H

#include <stdbool.h>

enum { NAME_APPLICATION_ID = 0x52574b4e }; /* "RWKN", at byte 68 of the file, big-endian */

/* 0; -ENOENT: there is no file; -errno. */
int name_place_check(const char *path, bool *ret_named, const char **ret_why);
/* Makes an empty file where there is none, and with `folders` those above it, for nobody but us. As above. */
int name_place_make(const char *path, bool folders, bool *ret_named, const char **ret_why);

#endif
