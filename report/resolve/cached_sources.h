/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Between the sources of names that are dear to ask and the cache of names (name_cache.h), which remembers what they said:
 * MiniDebugInfo, which must be unpacked, and debuginfod servers. The cache may be NULL.
 */
#ifndef RWALKER_REPORT_RESOLVE_CACHED_SOURCES_H
#define RWALKER_REPORT_RESOLVE_CACHED_SOURCES_H

#include "report/resolve/debug_server.h"
#include "report/resolve/local_files.h"
#include "report/resolve/name_cache.h"
#include "report/resolve/symbol_index.h"

/* As file_symbols_add_mini(), of a binary with this build-id. */
int cached_sources_add_mini(struct name_cache *cache, const struct build_id *id, const struct local_elf *binary,
			    struct symbol_list *list);

/* What a debug_server remembers, in the cache, which must outlive it. */
struct debug_server_memory cached_sources_memory(struct name_cache *cache);

#endif
