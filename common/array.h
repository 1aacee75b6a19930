/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A growable array of any type: `ARRAY(struct mapping) maps = {0};`. Memory doubles; an element's
 * address is valid until the next push. The owner frees it with array_free().
 */
#ifndef RWALKER_COMMON_ARRAY_H
#define RWALKER_COMMON_ARRAY_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#define ARRAY(type)                                                                                \
	struct {                                                                                   \
		type *items;                                                                       \
		size_t count, capacity;                                                            \
	}

/* Makes room for `wanted` elements of `size` bytes; 0 or -ENOMEM, the array is unchanged on failure. */
static inline int array_reserve_raw(void **items, size_t *capacity, size_t wanted, size_t size)
{
	size_t room = *capacity ? *capacity : 16, bytes;
	void *grown;

	if (wanted <= *capacity)
		return 0;
	while (room < wanted)
		if (__builtin_mul_overflow(room, 2, &room))
			return -ENOMEM;
	if (__builtin_mul_overflow(room, size, &bytes))
		return -ENOMEM;
	grown = realloc(*items, bytes);
	if (!grown)
		return -ENOMEM;
	*items = grown;
	*capacity = room;
	return 0;
}

#define array_reserve(array, wanted)                                                               \
	array_reserve_raw((void **)&(array)->items, &(array)->capacity, (wanted), sizeof(*(array)->items))

/* Appends a copy of `value`; 0 or -ENOMEM. */
#define array_push(array, ...)                                                                     \
	(array_reserve((array), (array)->count + 1) ?                                              \
		 -ENOMEM :                                                                         \
		 ((array)->items[(array)->count++] = (__VA_ARGS__), 0))

#define array_free(array)                                                                          \
	do {                                                                                       \
		free((array)->items);                                                              \
		(array)->items = NULL;                                                             \
		(array)->count = (array)->capacity = 0;                                            \
	} while (0)

#endif
