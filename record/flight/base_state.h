/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the records of STATE and NAMES chunks that have left the window add up to: the state at
 * the window's trailing edge, with which a dump begins. Of each thing the latest record is kept
 * (state_rules.h); mappings, forks, execs and exits become the address spaces of the processes
 * that live then. Memory is fixed.
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
 * keep: ns, after which what is written again as long as it is used (objects) counts as gone.
 * halvings: of all that can be kept. -ENOMEM.
 */
int base_state_create(uint64_t keep, unsigned int halvings, struct base_state **ret_base);
/* The most that it takes without any, in bytes. */
size_t base_state_memory(void);
void base_state_destroy(struct base_state *base);

/* A STATE or NAMES chunk leaves the window; `stored` with its padding. */
void base_state_take(struct base_state *base, const struct rwk_chunk_header *header, const void *stored);

/*
 * A record of a STATE chunk within the window. What is older than the span and about address
 * spaces belongs to the state with which a dump begins: to be called for all of them, in their
 * order, before that is written.
 */
void base_state_reach(struct base_state *base, const struct state_span *span,
		      const struct event *event);

/* Writes the state as that at the beginning of the span. 0, or the log's error. */
int base_state_write(struct base_state *base, struct event_log *log, const struct state_span *span);

/*
 * Writes a record of a STATE or NAMES chunk within the window, with which a dump goes on: as if
 * the recording were no longer than the span, that is without what was counted before it, and what
 * base_state_reach() took.
 */
int base_state_follow(struct base_state *base, struct event_log *log, const struct state_span *span,
		      const struct event *event);

/* No event names the module any more, and no mapping. */
void base_state_forget(struct base_state *base, uint32_t module);
/* Each mapping of each process at the edge, as address_spaces_each(). */
int base_state_each_mapping(const struct base_state *base, address_spaces_visit *visit, void *context);

struct base_state_usage {
	size_t facts, processes, mappings;
	uint64_t left_out; /* for lack of room */
};

void base_state_usage(const struct base_state *base, struct base_state_usage *ret_usage);

#endif
