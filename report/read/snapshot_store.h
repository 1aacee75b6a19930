/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The snapshots of one section, found by number. Numbers ascend in the file, and events refer to
 * them nearly in that order, so a few chunks are kept decompressed and the others are read on
 * demand: memory does not grow with the trace.
 */
#ifndef RWALKER_REPORT_READ_SNAPSHOT_STORE_H
#define RWALKER_REPORT_READ_SNAPSHOT_STORE_H

#include "format/snapshot_code.h"
#include "report/read/trace_file.h"

struct snapshot_store;

int snapshot_store_create(struct trace_file *file, uint32_t section, struct snapshot_store **ret_store);
void snapshot_store_destroy(struct snapshot_store *store);

/* Whether the section holds any. */
bool snapshot_store_has(const struct snapshot_store *store);

enum { SNAPSHOT_PLACES = 2 };

/*
 * 1: *ret_snapshot, whose words are valid until the next call with that `place`; 0: there is no
 * snapshot with that number (any more), or it is malformed; -ENOMEM, -errno of reading.
 */
int snapshot_store_get(struct snapshot_store *store, uint32_t number, unsigned int place,
		       struct snapshot *ret_snapshot);

#endif
