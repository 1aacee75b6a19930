/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "report/profile/gather/chain.h"

int chain_cache_init(struct chain_cache *cache)
{
	*cache = (struct chain_cache){0};
	return index_table_init(&cache->pair_table);
}

void chain_cache_deinit(struct chain_cache *cache)
{
	free(cache->user);
	free(cache->kernel);
	array_free(&cache->pairs);
	index_table_deinit(&cache->pair_table);
}

int chain_cache_reset(struct chain_cache *cache, size_t nodes)
{
	if (array_reserve_raw((void **)&cache->user, &cache->user_room, nodes,
			      sizeof(*cache->user)) < 0 ||
	    array_reserve_raw((void **)&cache->kernel, &cache->kernel_room, nodes,
			      sizeof(*cache->kernel)) < 0)
		return -ENOMEM;
	memset(cache->user, 0, nodes * sizeof(*cache->user));
	memset(cache->kernel, 0xff, nodes * sizeof(*cache->kernel)); /* NO_NUMBER */
	cache->pairs.count = 0;
	index_table_clear(&cache->pair_table);
	return 0;
}
