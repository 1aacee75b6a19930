/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where the cache of names is: given by --cache, else rwalker/names.sqlite in $XDG_CACHE_HOME or
 * ~/.cache. There is none without a home, or if the home belongs to another user: a report run by
 * sudo must not leave files of root there.
 */
#ifndef RWALKER_REPORT_OPTIONS_REPORT_CACHE_H
#define RWALKER_REPORT_OPTIONS_REPORT_CACHE_H

#include <stddef.h>

/* The default, from the environment. 0; -ENOENT if there is none. */
int report_cache_default(char *path, size_t room);

#endif
