/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The groups of a trace that PARITY chunks protect (parity.h): which chunk is in which group,
 * chunks of which only the header in the PARITY chunk is left, and recovery of one lost chunk per
 * group. A chunk belongs to at most one group, and PARITY chunks are not compressed, so all work is
 * linear in the file size.
 */
#ifndef RWALKER_FORMAT_TRACE_REPAIR_H
#define RWALKER_FORMAT_TRACE_REPAIR_H

#include "format/parity.h"
#include "format/trace_scan.h"

static const uint32_t TRACE_REPAIR_BROKEN = UINT32_MAX; /* the PARITY chunk itself is damaged */

struct trace_repair {
	struct trace_scan *scan;
	/* By chunk: its PARITY chunk's number + 1; 0: none; a PARITY chunk's own: TRACE_REPAIR_BROKEN. */
	uint32_t *group_of;
	struct parity parity;
	uint8_t *stored; /* large enough for any chunk */
	size_t stored_room;
};

/* Adds lost chunks to scan->chunks, keeping them ordered by section and sequence. -ENOMEM, -errno of pread. */
int trace_repair_init(struct trace_repair *repair, struct trace_scan *scan);
void trace_repair_deinit(struct trace_repair *repair);

/* Like rwk_chunk_unpack(), from the rest of the chunk's group; -EBADMSG if that is incomplete or there is no group. */
int trace_repair_load(struct trace_repair *repair, const struct trace_chunk *chunk, void *buffer);

#endif
