/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The desk (report/sandbox/desk.h) in front of the cache's file: checks the path (name_place.h),
 * opens the store (name_store.h), and serves requests. The client is not trusted: it can change the
 * content of the cache and nothing else; the desk sets the path and the limit.
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
