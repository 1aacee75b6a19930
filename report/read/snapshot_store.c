/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/snapshot_store.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"
#include "format/snapshot_batch.h"
#include "format/snapshot_number.h"

enum { UNPACKED = 4 };

struct snapshot_chunk {
	uint32_t number;      /* in the file */
	uint32_t first, last; /* its snapshots, once the range is known */
};

struct unpacked {
	uint32_t chunk;	 /* index in `chunks`, plus 1; 0: empty */
	uint64_t used;	 /* when it was last used */
	struct snapshot_batch batch;
};

struct snapshot_store {
	struct trace_file *file;
	struct event_decoder *events;
	struct snapshot_decoder *snapshots;
	ARRAY(struct snapshot_chunk) chunks; /* in the order of the file */
	size_t known;			     /* the range of the first `known` chunks is known */
	bool any;			     /* one of these chunks holds snapshots */
	struct unpacked slots[UNPACKED];
	uint64_t clock;
	uint64_t words[SNAPSHOT_PLACES][SNAPSHOT_WORDS];
};

int snapshot_store_create(struct trace_file *file, uint32_t section, struct snapshot_store **ret_store)
{
	const struct trace_model *model = &file->models[section];
	struct snapshot_store *store = calloc(1, sizeof(*store));
	int r = store ? event_decoder_create(&store->events) : -ENOMEM;

	if (r >= 0)
		r = snapshot_decoder_create(&store->snapshots);
	if (r < 0) {
		snapshot_store_destroy(store);
		return r;
	}
	store->file = file;
	for (uint32_t i = model->first_chunk; i < model->end_chunk && !r; i++)
		if (file->chunks[i].section == section && file->chunks[i].header.type == RWK_CHUNK_SNAPSHOTS)
			r = array_push(&store->chunks, (struct snapshot_chunk){.number = i});
	if (r < 0) {
		snapshot_store_destroy(store);
		return r;
	}
	*ret_store = store;
	return 0;
}

void snapshot_store_destroy(struct snapshot_store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < UNPACKED; i++)
		snapshot_batch_deinit(&store->slots[i].batch);
	event_decoder_destroy(store->events);
	snapshot_decoder_destroy(store->snapshots);
	array_free(&store->chunks);
	free(store);
}

bool snapshot_store_has(const struct snapshot_store *store)
{
	return store->chunks.count;
}

/* Empties the least recently used slot. */
static struct unpacked *free_slot(struct snapshot_store *store)
{
	struct unpacked *slot = &store->slots[0];

	for (size_t i = 1; i < UNPACKED; i++)
		if (store->slots[i].used < slot->used)
			slot = &store->slots[i];
	slot->chunk = 0;
	slot->batch.records.count = 0;
	return slot;
}

static int unpack(struct snapshot_store *store, uint32_t place, struct unpacked **ret_slot)
{
	uint32_t number = store->chunks.items[place].number;
	size_t length = store->file->chunks[number].header.raw_size;
	struct unpacked *slot = free_slot(store);
	const void *payload;
	int r = trace_file_load(store->file, number, &payload);

	slot->chunk = place + 1;
	slot->used = ++store->clock;
	*ret_slot = slot;
	if (r == -EBADMSG) /* damaged: none of its snapshots is available */
		return 0;
	return r < 0 ? r : snapshot_batch_read(&slot->batch, store->events, payload, length, 0);
}

static int find_slot(struct snapshot_store *store, uint32_t place, struct unpacked **ret_slot)
{
	for (size_t i = 0; i < UNPACKED; i++)
		if (store->slots[i].chunk == place + 1) {
			store->slots[i].used = ++store->clock;
			*ret_slot = &store->slots[i];
			return 0;
		}
	return unpack(store, place, ret_slot);
}

/* The range of an empty chunk is the end of the previous one; before the first nonempty chunk, the start of that. */
static void set_range(struct snapshot_store *store, const struct snapshot_batch *batch)
{
	struct snapshot_chunk *chunk = &store->chunks.items[store->known];

	if (!batch->records.count) {
		chunk->first = chunk->last = store->any ? chunk[-1].last : 0;
		return;
	}
	chunk->first = batch->records.items[0].number;
	chunk->last = batch->records.items[batch->records.count - 1].number;
	for (size_t i = store->known; !store->any && i-- > 0;)
		store->chunks.items[i].first = store->chunks.items[i].last = chunk->first;
	store->any = true;
}

/* Reads chunks until the range of the one that would contain the number is known. */
static int find_ranges(struct snapshot_store *store, uint32_t number)
{
	while (store->known < store->chunks.count &&
	       (!store->any || snapshot_precedes(store->chunks.items[store->known - 1].last, number))) {
		struct unpacked *slot;
		int r = unpack(store, (uint32_t)store->known, &slot);

		if (r < 0)
			return r;
		set_range(store, &slot->batch);
		store->known++;
	}
	return 0;
}

/* The last known chunk that begins at or before the number. */
static bool find_chunk(const struct snapshot_store *store, uint32_t number, uint32_t *ret_place)
{
	size_t above = SORTED_FIRST(i, store->known, snapshot_precedes(number, store->chunks.items[i].first));

	*ret_place = (uint32_t)above - 1;
	return above;
}

int snapshot_store_get(struct snapshot_store *store, uint32_t number, unsigned int place,
		       struct snapshot *ret_snapshot)
{
	struct unpacked *slot;
	uint32_t chunk;
	size_t at;
	int r = find_ranges(store, number);

	if (r < 0 || !find_chunk(store, number, &chunk))
		return r;
	r = find_slot(store, chunk, &slot);
	if (r < 0 || !snapshot_batch_find(&slot->batch, number, &at))
		return r;
	r = snapshot_decoder_get(store->snapshots, &slot->batch, chunk, at,
				 store->words[place % SNAPSHOT_PLACES], ret_snapshot);
	return r < 0 ? 0 : 1;
}
