/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/kernel_chains.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include <linux/types.h>

#include "bpf/ring_event.h"
#include "common/chain_key.h"
#include "record/place/kernel_map.h"

enum { PLACE_BITS = 11,
       KEPT_FRAMES = 64 }; /* longer ones are rare, and looked up each time */

/* The latest chain here: its callers, and its leaf. */
struct place {
	struct chain_key key; /* of the callers' addresses */
	uint64_t number;      /* of the callers, 0: empty */
	uint64_t revision;    /* of the map */
	uint64_t leaf;	      /* address that frames[0] belongs to */
	uint64_t frames[KEPT_FRAMES];
};

struct kernel_chains {
	struct kernel_map *map;
	struct chain_factors factors;
	struct place *places;
	uint64_t *frames; /* of a chain that has no place */
	uint64_t numbers; /* given so far */
};

int kernel_chains_create(struct kernel_map *map, struct kernel_chains **ret_chains)
{
	struct kernel_chains *chains = calloc(1, sizeof(*chains));
	int r;

	if (!chains)
		return -ENOMEM;
	chains->map = map;
	/* Pages are allocated as they are used. */
	chains->places = calloc((size_t)1 << PLACE_BITS, sizeof(*chains->places));
	chains->frames = calloc(RING_MAX_FRAMES, sizeof(*chains->frames));
	r = chains->places && chains->frames ? chain_factors_draw(&chains->factors) : -ENOMEM;
	if (r < 0) {
		kernel_chains_destroy(chains);
		return r;
	}
	*ret_chains = chains;
	return 0;
}

void kernel_chains_destroy(struct kernel_chains *chains)
{
	if (!chains)
		return;
	free(chains->places);
	free(chains->frames);
	free(chains);
}

/* Returns whether all addresses are known. */
static bool name_all(struct kernel_chains *chains, const uint64_t *addresses, uint32_t count, uint64_t *frames)
{
	bool all = true;

	for (uint32_t i = 0; i < count; i++) {
		frames[i] = kernel_map_normalize(chains->map, addresses[i]);
		all &= frames[i] != 0;
	}
	return all;
}

/* A leaf in unknown code is looked up each time: it may have become known, and it is counted. */
static void name_leaf(struct kernel_chains *chains, struct place *place, uint64_t address)
{
	if (place->leaf == address && place->frames[0])
		return;
	place->frames[0] = kernel_map_normalize(chains->map, address);
	place->leaf = address;
}

static bool is_here(const struct kernel_chains *chains, const struct place *place, const struct chain_key *key)
{
	return place->number && chain_key_equal(&place->key, key) &&
	       place->revision == kernel_map_revision(chains->map);
}

static void settle(struct kernel_chains *chains, struct place *place, const struct chain_key *key,
		   const uint64_t *addresses, uint32_t count)
{
	bool all = name_all(chains, addresses + 1, count - 1, place->frames + 1);

	place->key = *key;
	place->number = all ? ++chains->numbers : 0;
	place->revision = kernel_map_revision(chains->map);
	place->frames[0] = 0;
}

struct kernel_chain kernel_chains_take(struct kernel_chains *chains, const uint64_t *addresses, uint32_t count)
{
	struct chain_key key;
	struct place *place;

	if (count < 2 || count > KEPT_FRAMES) {
		(void)name_all(chains, addresses, count, chains->frames);
		return (struct kernel_chain){.frames = chains->frames};
	}
	key = chain_key(&chains->factors, addresses + 1, count - 1, 0, 0);
	place = &chains->places[chain_key_slot(&key, PLACE_BITS)];
	if (!is_here(chains, place, &key))
		settle(chains, place, &key, addresses, count);
	name_leaf(chains, place, addresses[0]);
	return (struct kernel_chain){.frames = place->frames, .callers = place->number};
}
