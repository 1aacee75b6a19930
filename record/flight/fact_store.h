/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The latest fact about each of many things: byte strings by key, in memory that is allocated at
 * the start. Superseded and removed facts stay until they take most of the memory in use or there
 * is no room. Then the current facts are copied into the other half, in the order in which they
 * were said. What does not fit even then is left out and counted.
 */
#ifndef RWALKER_RECORD_FLIGHT_FACT_STORE_H
#define RWALKER_RECORD_FLIGHT_FACT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fact_store;

struct fact {
	const void *key, *bytes; /* the key: 8-byte aligned; both are valid until the next change */
	uint32_t key_length, length;
	uint64_t time; /* when it was said */
};

/* Whether a fact need not be kept any longer. */
typedef bool fact_is_stale(const void *context, const struct fact *fact);

/* bytes, entries: of one half. is_stale may be NULL. -ENOMEM. */
int fact_store_create(size_t bytes, size_t entries, fact_is_stale *is_stale, const void *context,
		      struct fact_store **ret_store);
size_t fact_store_memory(size_t bytes, size_t entries); /* of both halves */
void fact_store_destroy(struct fact_store *store);

void fact_store_put(struct fact_store *store, const struct fact *fact);
void fact_store_remove(struct fact_store *store, const void *key, size_t length);

bool fact_store_find(const struct fact_store *store, const void *key, size_t length, struct fact *ret_fact);
/* Iterates over all current facts, also stale ones, in the order in which they were said. *cursor is 0 at first. */
bool fact_store_next(const struct fact_store *store, size_t *cursor, struct fact *ret_fact);

uint64_t fact_store_left_out(const struct fact_store *store);
size_t fact_store_count(const struct fact_store *store); /* keys, also removed ones until they are collected */

#endif
