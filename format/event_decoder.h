/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Decodes a chunk's payload into events. The bytes are hostile: every length is checked, unknown
 * kinds are skipped (and counted), a malformed record ends the chunk with -EBADMSG after all
 * records before it were returned. Texts and symbols point into the payload, which must outlive
 * them. A decoder is reused from chunk to chunk; its tables grow with the chunk and are bounded by
 * RWK_MAX_RAW_CHUNK.
 */
#ifndef RWALKER_FORMAT_EVENT_DECODER_H
#define RWALKER_FORMAT_EVENT_DECODER_H

#include "format/event.h"

/* A path from a root to a node is a stack, root-most frame first. Intern per node, not per sample: paths are shared. */
struct stack_node {
	uint64_t address;
	uint32_t parent; /* node number, less than the node's own; the roots: themselves */
	uint16_t depth;	 /* frames on the path, including the node; 0 for roots; at most RWK_MAX_FRAMES, RWK_MAX_PATH */
	uint16_t root;	 /* STACK_USER_ROOT or STACK_KERNEL_ROOT */
};

struct event_decoder;

int event_decoder_create(struct event_decoder **ret_decoder);
void event_decoder_destroy(struct event_decoder *decoder);

/* Starts a payload. */
void event_decoder_start(struct event_decoder *decoder, const void *payload, size_t length);

/*
 * 1: *ret_event is the next event (TASK events too); 0: end; -EBADMSG: malformed here, and on every later call;
 * -ENOMEM.
 */
int event_decoder_next(struct event_decoder *decoder, struct event *ret_event);

/* The chunk's dictionaries so far. Nodes 0 and 1 are the roots. NULL if the task number is not defined. */
const struct stack_node *event_decoder_nodes(const struct event_decoder *decoder, size_t *ret_count);
const struct event_task *event_decoder_task(const struct event_decoder *decoder, uint32_t number);
uint64_t event_decoder_unknown(const struct event_decoder *decoder); /* records skipped */

/* The next symbol of an EMBED_SYMBOLS or PERF_MAP event. 1, 0 at the end, -EBADMSG. Start with *address = 0. */
int event_next_symbol(struct event *event, uint64_t *address, struct event_symbol *ret_symbol);

#endif
