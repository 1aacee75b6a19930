/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/hits.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/address_space.h"
#include "common/cleanup.h"
#include "common/hash_map.h"

enum {
	MAX_PROCESSES = 65536,
	MAX_MAPPINGS = 1 << 20, /* memory is used as they come */
	/* Tables of growing size follow one another: few pages are touched as long as there are few hits. */
	LEAST_BITS = 12,
	MOST_BITS = 19,
	SLOTS = 2 << MOST_BITS, /* of all tables */
	MAX_HITS = (1 << MOST_BITS) / 4 * 3,
	CACHE_SIZE = 4096,
	WORDS_SIZE = 32768,
	LEAST_CODE = 4096, /* nothing is mapped below */
	USER_BITS = 56,
	MADE_BITS = 1 << 16, /* ids of modules; larger ones are rare, and files */
};

struct seen { /* an address that has been marked in one state of an address space */
	uint64_t generation, address;
};

struct hits {
	struct address_spaces *spaces;
	struct hit *slots;  /* open addressing; offset 0 and module 0: free (no module maps anything there) */
	unsigned int bits;  /* the table in use: slots [1 << bits, 2 << bits), at most 3/4 of them taken */
	struct hit *sorted; /* copy for hits_sorted() */
	unsigned int halvings;
	struct hit *older;  /* what was marked before the last turn; NULL: there are no turns */
	size_t older_count;
	size_t count;
	uint64_t dropped;
	bool wanted;
	uint32_t anonymous_module;
	struct seen cache[CACHE_SIZE];
	struct seen code[CACHE_SIZE]; /* callers that are code */
	struct seen data[CACHE_SIZE]; /* words of stacks that are not */
	uint8_t made[MADE_BITS / 8];
	struct seen words[WORDS_SIZE]; /* of snapshots: most are not addresses, and they recur */
};

static bool slot_free(const struct hit *slot)
{
	return !slot->module && !slot->jit_tgid;
}

static bool hit_equal(const struct hit *a, const struct hit *b)
{
	return a->module == b->module && a->jit_tgid == b->jit_tgid && a->offset == b->offset;
}

static size_t most_hits(const struct hits *hits)
{
	return (size_t)MAX_HITS >> hits->halvings;
}

static struct hit *table_of(const struct hits *hits)
{
	return hits->slots + ((size_t)1 << hits->bits);
}

/* The slot that holds the hit, or the free one for it. */
static struct hit *find_slot(const struct hits *hits, const struct hit *hit)
{
	size_t mask = ((size_t)1 << hits->bits) - 1;
	size_t at = hash_mix(hit->offset ^ hash_mix((uint64_t)hit->module << 32 | hit->jit_tgid)) & mask;
	struct hit *table = table_of(hits);

	while (!slot_free(&table[at]) && !hit_equal(&table[at], hit))
		at = (at + 1) & mask;
	return &table[at];
}

static void grow(struct hits *hits)
{
	const struct hit *old = table_of(hits);
	size_t count = (size_t)1 << hits->bits++;

	for (size_t i = 0; i < count; i++)
		if (!slot_free(&old[i]))
			*find_slot(hits, &old[i]) = old[i];
}

static void hit_add(struct hits *hits, const struct hit *hit)
{
	struct hit *slot = find_slot(hits, hit);

	if (!slot_free(slot))
		return;
	if (hits->count == most_hits(hits)) {
		hits->dropped++;
		return;
	}
	*slot = *hit;
	if (++hits->count > ((size_t)1 << hits->bits) / 4 * 3 && hits->bits < MOST_BITS - hits->halvings)
		grow(hits);
}

/* A task in execve() still has its old program's addresses. */
static bool find_mapping(const struct hits *hits, uint32_t tgid, uint64_t address, struct mapping *ret_mapping)
{
	return address_spaces_find(hits->spaces, tgid, address, ret_mapping) ||
	       address_spaces_find(hits->spaces, address_spaces_before_exec(tgid), address, ret_mapping);
}

void hits_note_made(struct hits *hits, uint32_t module, bool made)
{
	if (module >= MADE_BITS)
		return;
	hits->made[module / 8] &= (uint8_t) ~(1 << module % 8);
	if (!made)
		return;
	hits->made[module / 8] |= (uint8_t)(1 << module % 8);
	memset(hits->cache, 0, sizeof(hits->cache));
	memset(hits->words, 0, sizeof(hits->words));
}

bool hits_is_made(const struct hits *hits, uint32_t module)
{
	return module == hits->anonymous_module ||
	       (module < MADE_BITS && hits->made[module / 8] >> module % 8 & 1);
}

static void mark_one(struct hits *hits, uint32_t tgid, uint64_t address)
{
	struct mapping mapping;

	if (!find_mapping(hits, tgid, address, &mapping) || !mapping.module)
		return;
	if (hits_is_made(hits, mapping.module) || mapping.note)
		hit_add(hits, &(struct hit){.jit_tgid = tgid, .offset = address});
	if (mapping.module != hits->anonymous_module)
		hit_add(hits, &(struct hit){.module = mapping.module,
					    .offset = address - mapping.start + mapping.file_offset});
}

uint64_t hits_generation(const struct hits *hits, uint32_t tgid)
{
	return address_spaces_generation(hits->spaces, tgid);
}

static void mark_unseen(struct hits *hits, uint32_t tgid, uint64_t generation, uint64_t address)
{
	struct seen *seen = &hits->cache[hash_mix(address ^ generation << 48) % CACHE_SIZE];

	if (seen->generation == generation && seen->address == address)
		return;
	*seen = (struct seen){generation, address};
	mark_one(hits, tgid, address);
}

static bool is_code(struct hits *hits, uint32_t tgid, uint64_t generation, uint64_t address)
{
	struct seen *seen = &hits->code[hash_mix(address ^ generation << 48) % CACHE_SIZE];
	struct mapping mapping;

	if (seen->generation == generation && seen->address == address)
		return true;
	if (!address_spaces_find(hits->spaces, tgid, address, &mapping))
		return false;
	*seen = (struct seen){generation, address};
	return true;
}

uint32_t hits_code(struct hits *hits, uint32_t tgid, uint64_t generation, const uint64_t *frames, uint32_t count)
{
	uint32_t good = count ? 1 : 0;

	while (generation && good < count && is_code(hits, tgid, generation, frames[good] - 1))
		good++;
	return good;
}

bool hits_is_code(struct hits *hits, uint32_t tgid, uint64_t generation, uint64_t word)
{
	struct seen *seen = &hits->data[hash_mix(word ^ generation << 48) % CACHE_SIZE];

	if (word <= LEAST_CODE || word >> USER_BITS || !generation ||
	    (seen->generation == generation && seen->address == word))
		return false;
	if (is_code(hits, tgid, generation, word - 1))
		return true;
	*seen = (struct seen){generation, word};
	return false;
}

void hits_mark(struct hits *hits, uint32_t tgid, uint64_t generation, const uint64_t *addresses, size_t count)
{
	/* Callers: the byte before the return address decides which function and mapping it belongs to. */
	for (size_t i = 0; hits->wanted && generation && i < count; i++)
		mark_unseen(hits, tgid, generation, addresses[i] - (i > 0));
}

void hits_mark_word(struct hits *hits, uint32_t tgid, uint64_t generation, uint64_t word)
{
	struct seen *seen = &hits->words[hash_mix(word ^ generation << 48) % WORDS_SIZE];

	if (seen->generation == generation && seen->address == word)
		return;
	*seen = (struct seen){generation, word};
	mark_one(hits, tgid, word - 1);
}

int hit_compare(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	if (a->jit_tgid != b->jit_tgid)
		return a->jit_tgid < b->jit_tgid ? -1 : 1;
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static size_t copy_all(const struct hits *hits, struct hit *out)
{
	const struct hit *table = table_of(hits);
	size_t count = 0;

	for (size_t i = 0; i < (size_t)1 << hits->bits; i++)
		if (!slot_free(&table[i]))
			out[count++] = table[i];
	return count;
}

int hits_want_turns(struct hits *hits)
{
	struct hit *sorted = calloc(2 * most_hits(hits), sizeof(*sorted));

	hits->older = calloc(most_hits(hits), sizeof(*hits->older));
	if (!hits->older || !sorted) {
		free(sorted);
		return -ENOMEM;
	}
	free(hits->sorted);
	hits->sorted = sorted;
	return 0;
}

void hits_turn(struct hits *hits)
{
	hits->older_count = copy_all(hits, hits->older);
	memset(hits->slots, 0, ((size_t)2 << hits->bits) * sizeof(*hits->slots));
	memset(hits->cache, 0, sizeof(hits->cache));
	memset(hits->words, 0, sizeof(hits->words));
	hits->bits = LEAST_BITS;
	hits->count = 0;
}

size_t hits_sorted(struct hits *hits, struct hit **ret_hits)
{
	size_t count = copy_all(hits, hits->sorted);

	if (hits->older_count)
		memcpy(hits->sorted + count, hits->older, hits->older_count * sizeof(*hits->older));
	count += hits->older_count;
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

bool hits_are_wanted(const struct hits *hits)
{
	return hits->wanted;
}

size_t hits_memory(bool turns)
{
	return (SLOTS + (turns ? 4 : 1) * (size_t)MAX_HITS) * sizeof(struct hit) +
	       address_spaces_memory(MAX_PROCESSES, MAX_MAPPINGS);
}

int hits_create(uint32_t anonymous_module, bool wanted, unsigned int halvings, struct hits **ret_hits)
{
	struct hits *hits = calloc(1, sizeof(*hits));
	int rc = hits ? 0 : -ENOMEM;

	if (rc)
		return rc;
	hits->anonymous_module = anonymous_module;
	hits->wanted = wanted;
	hits->bits = LEAST_BITS;
	hits->halvings = halvings;
	hits->slots = calloc(SLOTS >> halvings, sizeof(*hits->slots));
	hits->sorted = calloc(most_hits(hits), sizeof(*hits->sorted));
	if (!hits->slots || !hits->sorted)
		rc = -ENOMEM;
	if (!rc)
		rc = address_spaces_create(MAX_PROCESSES >> halvings, MAX_MAPPINGS >> halvings, &hits->spaces);
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
	free(hits->older);
	free(hits);
}
