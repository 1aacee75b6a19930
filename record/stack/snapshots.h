/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Snapshots on their way from the rings into the log. In a ring, a snapshot comes right before the
 * record that it belongs to. It is written to the log at once, and its number is kept until that
 * record arrives.
 */
#ifndef RWALKER_RECORD_STACK_SNAPSHOTS_H
#define RWALKER_RECORD_STACK_SNAPSHOTS_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/ring_snapshot.h"
#include "format/snapshot_code.h"
#include "record/stack/hold_table.h"

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
	struct snapshot_told *told; /* RING_SLOTS for each CPU, the latest first */
	struct snapshot taken;
	struct hold_table table;
	struct held_snapshot *held; /* of waits that have begun; indexed by the table */
	uint64_t *lost; /* per CPU, of waits with a record: never written, or no longer held */
	uint64_t refused; /* malformed records */
};

/* Requests snapshots from the log. 0, -ENOMEM. */
int snapshots_init(struct snapshots *snapshots, struct recording *recording, const struct filter *filter);
/* The most memory for snapshots that are kept for their waits, if that is not halved; bytes. */
size_t snapshots_memory(void);
void snapshots_deinit(struct snapshots *snapshots);

/* One record of a ring, of kind RING_SNAPSHOT. */
void snapshots_take(struct snapshots *snapshots, const struct ring_head *head, size_t length);
/*
 * Writes one snapshot of a task to the log and marks what it points to. stack: 0, or 1 for another
 * stack of the thread at the same time. *ret_number: as in event_log_snapshot. 0; -EINVAL: the log
 * accepts no more of them; else as recording_check().
 */
int snapshots_add(struct recording *recording, const struct ring_task *task, unsigned int stack,
		  const struct snapshot *snapshot, uint32_t *ret_number);
/*
 * Marks every word that points into code, because it may be a return address: its module is needed
 * to unwind, and its function for the name. known: bits of the words that were marked before; NULL:
 * none were.
 */
void snapshots_mark(struct hits *hits, uint32_t tgid, const struct snapshot *snapshot, const uint64_t *known);
/* The number of the snapshot that was written for the record, once; 0: none. */
uint32_t snapshots_number(struct snapshots *snapshots, const struct ring_head *record);
/*
 * The same for a wait that began at `out` on the CPU. A snapshot copied then is written now; if it
 * is no longer held, it is lost.
 */
uint32_t snapshots_before(struct snapshots *snapshots, uint32_t tid, uint64_t out, uint32_t cpu);
/* Counts a wait with a record that began on the CPU and lacks its snapshot. */
void snapshots_lack(struct snapshots *snapshots, uint32_t cpu);

#endif
