/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/snapshot_batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "format/snapshot_number.h"

enum { KEPT = RWK_MAX_SNAPSHOT_CHAIN + 8 }; /* keys: for a few threads that take turns */

struct decoded_key { /* a thread's snapshots are differences to the same one for a while */
	uint64_t id;
	size_t place;
	uint32_t depth; /* length of the chain of keys that it ends */
	uint64_t used;	/* when it was last used; 0: empty */
	struct snapshot snapshot;
	uint64_t words[SNAPSHOT_WORDS];
};

struct snapshot_decoder {
	uint64_t clock;
	struct decoded_key keys[KEPT];
};

void snapshot_batch_deinit(struct snapshot_batch *batch)
{
	free(batch->payload);
	array_free(&batch->records);
	*batch = (struct snapshot_batch){0};
}

static int copy(struct snapshot_batch *batch, const void *payload, size_t length)
{
	if (!batch->payload || batch->room < length) {
		free(batch->payload);
		batch->payload = malloc(length + 1); /* exactly as long as needed: many of them are kept */
		batch->room = batch->payload ? length : 0;
	}
	if (!batch->payload)
		return -ENOMEM;
	memcpy(batch->payload, payload, length);
	batch->length = length;
	return 0;
}

int snapshot_batch_read(struct snapshot_batch *batch, struct event_decoder *decoder, const void *payload, size_t length,
			uint32_t after)
{
	struct event event;

	batch->records.count = batch->length = 0;
	if (copy(batch, payload, length) < 0)
		return -ENOMEM;
	event_decoder_start(decoder, batch->payload, length);
	while (event_decoder_next(decoder, &event) > 0) {
		if (event.kind != EVENT_SNAPSHOT)
			continue;
		if (!event.snapshot.number || (after && !snapshot_precedes(after, event.snapshot.number)))
			break;
		after = event.snapshot.number;
		if (array_push(&batch->records, event.snapshot) < 0)
			return -ENOMEM;
	}
	return 0;
}

bool snapshot_batch_find(const struct snapshot_batch *batch, uint32_t number, size_t *ret_place)
{
	size_t place = SORTED_FIRST(i, batch->records.count,
				    !snapshot_precedes(batch->records.items[i].number, number));

	*ret_place = place;
	return place < batch->records.count && batch->records.items[place].number == number;
}

int snapshot_decoder_create(struct snapshot_decoder **ret_decoder)
{
	struct snapshot_decoder *decoder = calloc(1, sizeof(*decoder)); /* pages are allocated when used */

	if (!decoder)
		return -ENOMEM;
	*ret_decoder = decoder;
	return 0;
}

void snapshot_decoder_destroy(struct snapshot_decoder *decoder)
{
	free(decoder);
}

static struct decoded_key *find_kept(struct snapshot_decoder *decoder, uint64_t id, size_t place)
{
	for (size_t i = 0; i < KEPT; i++) {
		struct decoded_key *key = &decoder->keys[i];

		if (!key->used || key->id != id || key->place != place)
			continue;
		key->used = ++decoder->clock;
		return key;
	}
	return NULL;
}

/* The least recently used slot: never that of the key's own key, which was used just before. */
static struct decoded_key *free_place(struct snapshot_decoder *decoder)
{
	struct decoded_key *oldest = &decoder->keys[0];

	for (size_t i = 1; i < KEPT; i++)
		if (decoder->keys[i].used < oldest->used)
			oldest = &decoder->keys[i];
	oldest->used = 0;
	return oldest;
}

static int decode_key(struct snapshot_decoder *decoder, const struct snapshot_batch *batch, uint64_t id, size_t place,
		      struct decoded_key **key)
{
	struct decoded_key *own = free_place(decoder);
	int r = snapshot_decode(&batch->records.items[place], *key ? &(*key)->snapshot : NULL,
				own->words, &own->snapshot);

	own->depth = *key ? (*key)->depth + 1 : 1;
	if (r >= 0 && own->depth > RWK_MAX_SNAPSHOT_CHAIN)
		r = -EBADMSG;
	if (r < 0)
		return r;
	own->id = id;
	own->place = place;
	own->used = ++decoder->clock;
	*key = own;
	return 0;
}

/* The key of the record at that place; NULL if it has none. */
static int find_key(struct snapshot_decoder *decoder, const struct snapshot_batch *batch, uint64_t id, size_t place,
		    struct decoded_key **ret_key)
{
	const struct event_snapshot *records = batch->records.items;
	size_t chain[RWK_MAX_SNAPSHOT_CHAIN], length = 0;
	struct decoded_key *key = NULL;
	int r = 0;

	while (!key && records[place].key) {
		if (records[place].key > place || length == RWK_MAX_SNAPSHOT_CHAIN)
			return -EBADMSG;
		place -= records[place].key;
		key = find_kept(decoder, id, place);
		if (!key)
			chain[length++] = place;
	}
	while (length && !r)
		r = decode_key(decoder, batch, id, chain[--length], &key);
	*ret_key = key;
	return r;
}

int snapshot_decoder_get(struct snapshot_decoder *decoder, const struct snapshot_batch *batch,
			 uint64_t id, size_t place, uint64_t *words, struct snapshot *ret_snapshot)
{
	struct decoded_key *key;
	int r = find_key(decoder, batch, id, place, &key);

	return r < 0 ? r : snapshot_decode(&batch->records.items[place],
					   key ? &key->snapshot : NULL, words, ret_snapshot);
}
