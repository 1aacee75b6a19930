/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Interned copies of strings (names, paths, comms of a trace), at addresses that are stable for the
 * lifetime of the pool. Equal texts have the same pointer. A NUL inside is kept in the pool's
 * bytes, but ends the C string.
 */
#ifndef RWALKER_REPORT_READ_TEXT_POOL_H
#define RWALKER_REPORT_READ_TEXT_POOL_H

#include "common/array.h"
#include "common/hash_map.h"

struct text_place {
	const char *bytes;
	uint32_t length;
};

struct text_pool {
	struct index_table table;
	ARRAY(struct text_place) texts;
	ARRAY(char *) blocks;
	char *next; /* used in the last block */
	size_t left;
};

int text_pool_init(struct text_pool *pool);
void text_pool_deinit(struct text_pool *pool);

/* NUL-terminated. -ENOMEM. */
int text_pool_add(struct text_pool *pool, const void *bytes, size_t length, const char **ret_text);

#endif
