/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The groups of a trace that PARITY chunks protect (parity.h): which chunk lies in which group, chunks of which nothing is
 * left but their header in the PARITY chunk, and the way back for one lost chunk of a group. A chunk belongs to
 * one group at most, and PARITY chunks are not compressed, so that all work stays linear in the file's size.
 */
#ifndef RWALKER_FORMAT_TRACE_REPAIR_H
#define RWALKER_FORMAT_TRACE_REPAIR_H

#include "format/parity.h"
#include "format/trace_scan.h"

static const uint32_t TRACE_REPAIR_BROKEN = UINT32_MAX; /* the PARITY chunk itself is damaged */

struct trace_repair {
	struct trace_scan *scan;
	uint32_t *group_of; /* by chunk: its PARITY chunk's number + 1; 0: none; a PARITY chunk's own: TRACE_REPAIR_BROKEN */
	struct parity parity;
	uint8_t *stored; /* room for any chunk */
	size_t stored_room;
};

/* Adds lost chunks to scan->chunks, which stay in the order of section and sequence. -ENOMEM, -errno of pread. */
int trace_repair_init(struct trace_repair *repair, struct trace_scan *scan);
void trace_repair_deinit(struct trace_repair *repair);

/* As rwk_chunk_unpack(), from the rest of the chunk's group; -EBADMSG where that is not whole or there is none. */
int trace_repair_load(struct trace_repair *repair, const struct trace_chunk *chunk, void *buffer);

#endif
