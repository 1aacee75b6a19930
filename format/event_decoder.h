/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A chunk's payload back into events. The bytes are hostile: every length is checked, unknown kinds are
 * skipped (counted), a malformed record ends the chunk with -EBADMSG after all records before it were given out.
 * Texts and symbols point into the payload, which must outlive them. A decoder is reused from chunk to
 * chunk; its tables grow with the chunk and are bounded by RWK_MAX_RAW_CHUNK.
 */
#ifndef RWALKER_FORMAT_EVENT_DECODER_H
#define RWALKER_FORMAT_EVENT_DECODER_H

#include "common/byte_cursor.h"
#include "format/event.h"

struct event {
	enum event_kind kind;
	union {
		struct event_meta meta;
		struct event_clock clock;
		struct event_source source;
		struct event_module module;
		struct event_mapping mapping;
		struct event_fork fork;
		struct event_comm comm;
		struct event_exit exit;
		struct event_kernel_symbol kernel_symbol;
		struct event_loss loss;
		struct event_cost cost;
		struct event_maps_unavailable maps_unavailable;
		struct event_task task;
		struct event_sample sample;
		struct event_walk walk;
		struct event_walk_task walk_task;
		struct event_embed_module embed_module;
		struct event_embed_symbols embed_symbols;
		struct event_perf_map perf_map;
	};
	struct byte_cursor symbols; /* EMBED_SYMBOLS, PERF_MAP: for event_next_symbol() */
};

struct stack_node {
	uint64_t address;
	uint32_t parent;     /* node number */
	uint32_t last_child; /* 0: none yet */
};

struct event_decoder;

int event_decoder_create(struct event_decoder **ret_decoder);
void event_decoder_destroy(struct event_decoder *decoder);

/* Begins a payload whose chunk header says first_time. */
void event_decoder_start(struct event_decoder *decoder, const void *payload, size_t length, uint64_t first_time);

/* 1: *ret_event is the next event (TASK events too); 0: end; -EBADMSG: malformed here; -ENOMEM. */
int event_decoder_next(struct event_decoder *decoder, struct event *ret_event);

/* The chunk's dictionaries so far. Nodes 0 and 1 are the roots. NULL for a task number that is not defined. */
const struct stack_node *event_decoder_nodes(const struct event_decoder *decoder, size_t *ret_count);
const struct event_task *event_decoder_task(const struct event_decoder *decoder, uint32_t number);
uint64_t event_decoder_unknown(const struct event_decoder *decoder); /* records skipped */

/* The next symbol of an EMBED_SYMBOLS or PERF_MAP event. 1, 0 at the end, -EBADMSG. Start with *address = 0. */
int event_next_symbol(struct event *event, uint64_t *address, struct event_symbol *ret_symbol);

#endif
