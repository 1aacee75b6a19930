/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Snapshots on their way from the rings into the log. A ring tells one right before the record that it belongs to: here it
 * is written at once, and its number kept until that record comes.
 */
#ifndef RWALKER_RECORD_SNAPSHOTS_H
#define RWALKER_RECORD_SNAPSHOTS_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/ring_snapshot.h"
#include "format/snapshot_code.h"

struct filter;
struct hits;
struct recording;

struct snapshot_told {
	uint64_t time;
	uint32_t source, number; /* number 0: none */
};

struct held_snapshot;

struct snapshots {
	struct recording *recording;
	const struct filter *filter;
	struct snapshot_told *told; /* RING_NEST_LEVELS for each CPU, the latest first */
	struct snapshot taken;
	struct held_snapshot *held; /* of waits that have begun; by thread, HELD places */
	uint64_t refused; /* records that are not what they should be */
};

/* Asks the log for snapshots. -ENOMEM. */
int snapshots_init(struct snapshots *snapshots, struct recording *recording, const struct filter *filter);
void snapshots_deinit(struct snapshots *snapshots);

/* One record of a ring, of kind RING_SNAPSHOT. */
void snapshots_take(struct snapshots *snapshots, const struct ring_head *head, size_t length);
/*
 * Writes one of a task into the log and marks what it points to. stack: 0, or 1 for another stack of the thread at the same
 * time. *ret_number: as in event_log_snapshot. -EINVAL: the log takes no more of them; else as recording_check().
 */
int snapshots_add(struct recording *recording, const struct ring_task *task, unsigned int stack, const struct snapshot *snapshot,
		  uint32_t *ret_number);
/*
 * Every word that points into code may be a return address: its module is needed to unwind, and its function to name. known:
 * bits of the words that were marked before; NULL: none were.
 */
void snapshots_mark(struct hits *hits, uint32_t tgid, const struct snapshot *snapshot, const uint64_t *known);
/* The number of the snapshot that was told for the record, once; 0: there is none. */
uint32_t snapshots_number(struct snapshots *snapshots, const struct ring_head *record);
/* The same for a wait that began at `out`, if what was copied then is still held: it is written now. */
uint32_t snapshots_before(struct snapshots *snapshots, uint32_t tid, uint64_t out);

#endif
