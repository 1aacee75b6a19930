/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module/cached_sources.h"

#include <errno.h>
#include <string.h>

#include "report/resolve/symbol/mini_symbols.h"

/* Increment it when the same section yields other symbols than before. */
static const char mini_resolver[] = "minidebuginfo 1";

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool describe(const struct local_elf *binary, struct name_source *source)
{
	struct stat status;

	if (!binary->ours || fstat(binary->fd, &status) < 0)
		return false;
	name_source_start(source, 1, mini_resolver);
	name_source_add_file(source, binary->path ? binary->path : "", &status);
	return true;
}

/* Uses the cache only if the list is empty: what is stored must be the section's symbols only. */
int cached_sources_add_mini(struct name_cache *cache, const struct build_id *id,
			    const struct local_elf *binary, struct symbol_list *list)
{
	struct name_source source;
	int r;

	if (!cache || list->symbols.count || !describe(binary, &source))
		return mini_symbols_add(binary->elf, list);
	r = name_cache_find_symbols(cache, id, &source, list);
	if (r)
		return r < 0 ? r : 0;
	r = mini_symbols_add(binary->elf, list);
	if (r < 0)
		return r;
	return name_cache_put_symbols(cache, id, base_name(binary->path ? binary->path : ""), &source, list);
}

static int recall(void *context, const struct build_id *id, const char *what, const char *servers,
		  const char **ret_path)
{
	switch (name_cache_answer(context, id, what, servers, ret_path)) {
	case NAME_ANSWER_FOUND:
		return 1;
	case NAME_ANSWER_NONE:
		return 0;
	default:
		return -ENOENT;
	}
}

static void remember(void *context, const struct build_id *id, const char *what,
		     const char *servers, const char *path)
{
	(void)name_cache_put_answer(context, id, what, servers, path); /* if it fails, the next report queries again */
}

struct debug_server_memory cached_sources_memory(struct name_cache *cache)
{
	return (struct debug_server_memory){.context = cache, .recall = recall, .remember = remember};
}
