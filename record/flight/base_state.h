/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The state at the window's trailing edge, with which a dump begins: the sum of the STATE and NAMES
 * records that have left the window. The latest record about each thing is kept (state_rules.h);
 * mappings, forks, execs and exits become the address spaces of the processes that are alive at
 * the edge. Memory is fixed.
 */
#ifndef RWALKER_RECORD_FLIGHT_BASE_STATE_H
#define RWALKER_RECORD_FLIGHT_BASE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/address_space.h"
#include "format/event.h"

struct base_state;
struct event_log;
struct state_span;
struct rwk_chunk_header;

/*
 * keep: ns; records that are repeated as long as they are used (objects) count as gone when older.
 * halvings: how often all capacities are halved. 0, -ENOMEM.
 */
int base_state_create(uint64_t keep, unsigned int halvings, struct base_state **ret_base);
/* The most memory that it takes without halvings, in bytes. */
size_t base_state_memory(void);
void base_state_destroy(struct base_state *base);

/* A STATE or NAMES chunk leaves the window; `stored` with its padding. */
void base_state_take(struct base_state *base, const struct rwk_chunk_header *header, const void *stored);

/*
 * Passes a record of a STATE chunk within the window. If it is about address spaces and older than
 * the span, it belongs to the state with which a dump begins. Call this for all such records, in
 * order, before base_state_write().
 */
void base_state_reach(struct base_state *base, const struct state_span *span,
		      const struct event *event);

/* Writes the state as of the beginning of the span. 0, or the log's error. */
int base_state_write(struct base_state *base, struct event_log *log, const struct state_span *span);

/*
 * Writes a record of a STATE or NAMES chunk within the window, after base_state_write(), as if the
 * recording covered only the span: without what was counted before it, and without what
 * base_state_reach() applied.
 */
int base_state_follow(struct base_state *base, struct event_log *log, const struct state_span *span,
		      const struct event *event);

/* Forgets a module that no event and no mapping refers to any more. */
void base_state_forget(struct base_state *base, uint32_t module);
/* Visits each mapping of each process at the edge, like address_spaces_each(). */
int base_state_each_mapping(const struct base_state *base, address_spaces_visit *visit, void *context);

struct base_state_usage {
	size_t facts, processes, mappings;
	uint64_t left_out; /* for lack of room */
};

void base_state_usage(const struct base_state *base, struct base_state_usage *ret_usage);

#endif
