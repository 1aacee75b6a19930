/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Puts the cache of names (name_cache.h) in front of expensive sources of names: MiniDebugInfo,
 * which must be decompressed, and debuginfod servers. The cache may be NULL.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_CACHED_SOURCES_H
#define RWALKER_REPORT_RESOLVE_MODULE_CACHED_SOURCES_H

#include "report/resolve/cache/name_cache.h"
#include "report/resolve/file/debug_server.h"
#include "report/resolve/file/local_files.h"
#include "report/resolve/symbol/symbol_index.h"

/* Like mini_symbols_add(), for a binary with this build-id. */
int cached_sources_add_mini(struct name_cache *cache, const struct build_id *id,
			    const struct local_elf *binary, struct symbol_list *list);

/* A memory for a debug_server that uses the cache, which must outlive it. */
struct debug_server_memory cached_sources_memory(struct name_cache *cache);

#endif
