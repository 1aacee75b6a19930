/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/hits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/address_space.h"
#include "common/cleanup.h"

enum {
	MAX_PROCESSES = 65536,
	MAX_MAPPINGS = 1 << 18,
	SLOTS = 1 << 19, /* of the set; at most 3/4 are used */
	MAX_HITS = SLOTS / 4 * 3,
	CACHE_SIZE = 8192,
};

struct seen { /* an address of one state of an address space that has been marked */
	uint64_t generation, address;
};

struct hits {
	struct address_spaces *spaces;
	struct hit *slots;  /* open addressing; offset 0 and module 0: free (no module maps anything there) */
	struct hit *sorted; /* copy for hits_sorted() */
	size_t count;
	uint64_t dropped;
	uint32_t anonymous_module;
	struct seen cache[CACHE_SIZE];
};

static uint64_t mix(uint64_t value)
{
	value ^= value >> 32;
	value *= 0xd6e8feb86659fd93u;
	value ^= value >> 32;
	value *= 0xd6e8feb86659fd93u;
	return value ^ value >> 32;
}

static bool slot_free(const struct hit *slot)
{
	return !slot->module && !slot->jit_tgid;
}

static bool hit_equal(const struct hit *a, const struct hit *b)
{
	return a->module == b->module && a->jit_tgid == b->jit_tgid && a->offset == b->offset;
}

static void hit_add(struct hits *hits, const struct hit *hit)
{
	size_t at = mix(hit->offset ^ mix((uint64_t)hit->module << 32 | hit->jit_tgid)) % SLOTS;

	while (!slot_free(&hits->slots[at])) {
		if (hit_equal(&hits->slots[at], hit))
			return;
		at = (at + 1) % SLOTS;
	}
	if (hits->count == MAX_HITS) {
		hits->dropped++;
		return;
	}
	hits->slots[at] = *hit;
	hits->count++;
}

static void mark_one(struct hits *hits, uint32_t tgid, uint64_t address)
{
	struct hit hit = {0};
	struct mapping mapping;

	if (!address_spaces_find(hits->spaces, tgid, address, &mapping) || !mapping.module)
		return;
	if (mapping.module == hits->anonymous_module) {
		hit.jit_tgid = tgid;
		hit.offset = address;
	} else {
		hit.module = mapping.module;
		hit.offset = address - mapping.start + mapping.file_offset;
	}
	hit_add(hits, &hit);
}

void hits_mark(struct hits *hits, uint32_t tgid, const uint64_t *addresses, size_t count)
{
	uint64_t generation = address_spaces_generation(hits->spaces, tgid);

	if (!generation)
		return;
	for (size_t i = 0; i < count; i++) {
		/* Callers: the byte before the return address decides which function and which mapping it is. */
		uint64_t address = addresses[i] - (i > 0);
		struct seen *seen = &hits->cache[mix(address ^ generation << 48) % CACHE_SIZE];

		if (seen->generation == generation && seen->address == address)
			continue;
		*seen = (struct seen){generation, address};
		mark_one(hits, tgid, address);
	}
}

static int hit_compare(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	if (a->jit_tgid != b->jit_tgid)
		return a->jit_tgid < b->jit_tgid ? -1 : 1;
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

size_t hits_sorted(struct hits *hits, const struct hit **ret_hits)
{
	size_t count = 0;

	for (size_t i = 0; i < SLOTS; i++)
		if (!slot_free(&hits->slots[i]))
			hits->sorted[count++] = hits->slots[i];
	qsort(hits->sorted, count, sizeof(*hits->sorted), hit_compare);
	*ret_hits = hits->sorted;
	return count;
}

struct address_spaces *hits_spaces(struct hits *hits)
{
	return hits->spaces;
}

uint64_t hits_dropped(const struct hits *hits)
{
	return hits->dropped;
}

int hits_create(uint32_t anonymous_module, struct hits **ret_hits)
{
	struct hits *hits = calloc(1, sizeof(*hits));
	int rc = hits ? 0 : -ENOMEM;

	if (rc)
		return rc;
	hits->anonymous_module = anonymous_module;
	hits->slots = calloc(SLOTS, sizeof(*hits->slots));
	hits->sorted = calloc(MAX_HITS, sizeof(*hits->sorted));
	rc = hits->slots && hits->sorted ? address_spaces_create(MAX_PROCESSES, MAX_MAPPINGS, &hits->spaces) : -ENOMEM;
	if (rc) {
		hits_destroy(hits);
		return rc;
	}
	*ret_hits = hits;
	return 0;
}

void hits_destroy(struct hits *hits)
{
	if (!hits)
		return;
	address_spaces_destroy(hits->spaces);
	free(hits->slots);
	free(hits->sorted);
	free(hits);
}
