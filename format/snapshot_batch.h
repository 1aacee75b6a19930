/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads the snapshots of a SNAPSHOTS chunk: finds them by number, and decodes them with their keys
 * (FORMAT.md §12). A batch owns a copy of the chunk's payload; if that is malformed, the batch ends
 * there. A key is decoded once and kept for the snapshots that follow; a decoder serves many
 * batches.
 */
#ifndef RWALKER_FORMAT_SNAPSHOT_BATCH_H
#define RWALKER_FORMAT_SNAPSHOT_BATCH_H

#include "common/array.h"
#include "format/event_decoder.h"
#include "format/snapshot_code.h"

struct snapshot_batch { /* all zeros: empty */
	uint8_t *payload;
	size_t length, room;
	ARRAY(struct event_snapshot) records; /* numbers ascend; texts are in the payload */
};

/* Replaces the content of the batch. The first number that does not come after `after` (0: any) ends it. -ENOMEM. */
int snapshot_batch_read(struct snapshot_batch *batch, struct event_decoder *decoder, const void *payload, size_t length,
			uint32_t after);
void snapshot_batch_deinit(struct snapshot_batch *batch);

/* The position of that number among the records. */
bool snapshot_batch_find(const struct snapshot_batch *batch, uint32_t number, size_t *ret_place);

struct snapshot_decoder;

int snapshot_decoder_create(struct snapshot_decoder **ret_decoder);
void snapshot_decoder_destroy(struct snapshot_decoder *decoder);

/*
 * Decodes the snapshot at that position into `words`, which has room for SNAPSHOT_WORDS. id:
 * identifies the batch's content, and nothing else passed to this decoder. -EBADMSG.
 */
int snapshot_decoder_get(struct snapshot_decoder *decoder, const struct snapshot_batch *batch,
			 uint64_t id, size_t place, uint64_t *words, struct snapshot *ret_snapshot);

#endif
