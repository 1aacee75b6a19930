/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Encodes snapshots for a SNAPSHOTS chunk: the first of each thread in the chunk is its key, later
 * ones are written as the difference to it, until one has so little in common with it that it
 * becomes the key for those that follow. Memory is allocated at creation; when it is used up, or
 * there are too many threads, snapshots are written without a key.
 */
#ifndef RWALKER_FORMAT_SNAPSHOT_KEYS_H
#define RWALKER_FORMAT_SNAPSHOT_KEYS_H

#include "format/event_encoder.h"
#include "format/snapshot_code.h"

struct snapshot_keys;

struct snapshot_owner {
	uint32_t tid;
	uint64_t space; /* the caller's number for the address space */
};

int snapshot_keys_create(struct snapshot_keys **ret_keys);
void snapshot_keys_destroy(struct snapshot_keys *keys);
/* To be called for each new chunk. */
void snapshot_keys_reset(struct snapshot_keys *keys);

/*
 * 0; -ENOSPC if the chunk is full: write it out, reset, and call again; -EINVAL beyond the format's
 * limits. *ret_known, valid until the next call: bit i % 64 of element i / 64 is set if word i is
 * one of an earlier snapshot of the owner; NULL if there are none.
 */
int snapshot_keys_encode(struct snapshot_keys *keys, struct event_encoder *encoder, struct snapshot_owner owner,
			 uint32_t number, const struct snapshot *snapshot, const uint64_t **ret_known);

#endif
