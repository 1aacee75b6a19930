/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/snapshot_keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash_map.h"
#include "format/varint.h"

enum {
	KEYS_MAX = 2048, /* threads with a key per chunk */
	SLOTS = 2 * KEYS_MAX,
	POOL_WORDS = 512 << 10,
	LITTLE = 4, /* one part in this many of a snapshot may differ from its key */
};

struct key {
	struct snapshot_owner owner;
	uint32_t depth;	 /* keys in its chain */
	uint32_t record; /* its index in the chunk */
	struct snapshot snapshot;
};

struct snapshot_keys {
	struct key keys[KEYS_MAX];
	uint16_t slots[SLOTS]; /* number of a key plus 1, by tid */
	uint32_t key_count, records;
	uint32_t used; /* words used in the pool */
	uint64_t pool[POOL_WORDS];
	struct snapshot_coded coded; /* the last key */
	uint8_t registers[RWK_MAX_REGISTERS * VARINT_MAX];
	uint8_t stack[RWK_MAX_SNAPSHOT_CODED];
};

int snapshot_keys_create(struct snapshot_keys **ret_keys)
{
	struct snapshot_keys *keys = calloc(1, sizeof(*keys));

	if (!keys)
		return -ENOMEM;
	*ret_keys = keys;
	return 0;
}

void snapshot_keys_destroy(struct snapshot_keys *keys)
{
	free(keys);
}

void snapshot_keys_reset(struct snapshot_keys *keys)
{
	memset(keys->slots, 0, sizeof(keys->slots));
	keys->key_count = keys->records = keys->used = 0;
}

/* The thread's slot, which may be empty: there are twice as many slots as keys. */
static uint16_t *find_slot(struct snapshot_keys *keys, uint32_t tid)
{
	uint32_t place = hash_spread_32(tid) >> 16;

	for (;; place++) {
		uint16_t *slot = &keys->slots[place % SLOTS];

		if (!*slot || keys->keys[*slot - 1].owner.tid == tid)
			return slot;
	}
}

/* Keeps a copy as the thread's key, if there is room. */
static void keep(struct snapshot_keys *keys, uint16_t *slot, struct snapshot_owner owner, uint32_t depth,
		 const struct snapshot *snapshot)
{
	struct key *key;

	if (snapshot->count > POOL_WORDS - keys->used || (!*slot && keys->key_count == KEYS_MAX))
		return;
	if (!*slot)
		*slot = (uint16_t)++keys->key_count;
	key = &keys->keys[*slot - 1];
	*key = (struct key){.owner = owner, .depth = depth, .record = keys->records, .snapshot = *snapshot};
	memcpy(keys->pool + keys->used, snapshot->words, (size_t)snapshot->count * SNAPSHOT_WORD);
	key->snapshot.words = keys->pool + keys->used;
	keys->used += snapshot->count;
}

int snapshot_keys_encode(struct snapshot_keys *keys, struct event_encoder *encoder, struct snapshot_owner owner,
			 uint32_t number, const struct snapshot *snapshot, const uint64_t **ret_known)
{
	struct event event = {.kind = EVENT_SNAPSHOT};
	struct event_snapshot *record = &event.snapshot;
	struct snapshot_coded *coded = &keys->coded;
	const struct key *key;
	uint16_t *slot;
	bool other; /* than the key: the next ones will be more similar to this one */
	int r;

	if (snapshot->count > SNAPSHOT_WORDS)
		return -EINVAL;
	slot = find_slot(keys, owner.tid);
	key = *slot ? &keys->keys[*slot - 1] : NULL;
	snapshot_encode(snapshot, key ? &key->snapshot : NULL, keys->registers, keys->stack, coded);
	other = !key || coded->literal > coded->filled / LITTLE;
	if (other && key && key->depth == RWK_MAX_SNAPSHOT_CHAIN - 1) {
		key = NULL;
		snapshot_encode(snapshot, NULL, keys->registers, keys->stack, coded);
	}
	*record = (struct event_snapshot){
		.time = snapshot->time, .number = number,
		.key = key ? keys->records - key->record : 0, .flags = snapshot->flags,
		.known = snapshot->known,
		.registers = {(const char *)keys->registers, (uint32_t)coded->registers},
		.address = snapshot->address, .size = snapshot->count * SNAPSHOT_WORD,
		.stack = {(const char *)keys->stack, (uint32_t)coded->stack}, .more = snapshot->more};
	r = event_encode(encoder, &event);
	if (r < 0)
		return r;
	*ret_known = key && key->owner.space == owner.space ? coded->same : NULL;
	if (other)
		keep(keys, slot, owner, key ? key->depth + 1 : 0, snapshot);
	keys->records++;
	return 0;
}
