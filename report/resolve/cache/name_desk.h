/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The desk (report/sandbox/desk.h) behind which the cache's file is: it checks the place (name_place.h), opens the
 * store (name_store.h), and does what a request says. Whoever asks is not trusted: it may change what the cache says,
 * and nothing else; the path and the limit are the desk's.
 */
#ifndef RWALKER_REPORT_RESOLVE_CACHE_NAME_DESK_H
#define RWALKER_REPORT_RESOLVE_CACHE_NAME_DESK_H

#include "report/resolve/cache/name_cache.h"
#include "report/sandbox/desk.h"

struct name_desk;

/* The path stays the caller's. Opens nothing yet. -ENOMEM. */
int name_desk_create(const struct name_cache_settings *settings, struct name_desk **ret_desk);
void name_desk_destroy(struct name_desk *desk);

struct desk name_desk_of(struct name_desk *desk);

#endif
