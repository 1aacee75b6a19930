/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A table of data that was taken when a thread left the CPU, kept until it is known whether the
 * thread's wait gets a record: one item per thread, the latest. The hash of a thread's tid selects
 * a set; the thread may have any place of it. If others occupy them all, a random one is evicted:
 * if it were the oldest, five threads that take turns would lose everything. The caller owns the
 * places themselves. Nothing is allocated after init.
 */
#ifndef RWALKER_RECORD_SOURCE_HELD_STACKS_H
#define RWALKER_RECORD_SOURCE_HELD_STACKS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/ring.h"
#include "format/snapshot_code.h"

struct filter;
struct held_snapshot;
struct hits;
struct recording;
struct user_stacks;

enum { HOLD_WAYS = 4 }; /* places in a set */

struct hold {
	uint64_t out; /* the switch-out; 0: nothing is held */
	uint32_t tid;
};

struct hold_table {
	struct hold *holds;
	uint32_t count; /* places; a power of two */
};

struct hold_limits {
	uint32_t threads, least; /* places for twice as many threads, and for this many at least */
	size_t place, most;	 /* bytes: of one place, and of all of them; the latter has precedence */
};

/* 0, -ENOMEM. */

/* Stores an item for the thread. Returns the number of its place. */
/*
 * Takes an item out, once: its place stays as it is until the next put. Returns false if it is not
 * held (any more).
 */

/*
 * User stacks that were taken when their thread went to sleep, kept until it is known whether the
 * wait is long enough to get a record (hold_table.h). If a stack was evicted and its wait gets a
 * record after all, that record says that the stack was not kept.
 */

struct user_stack {
	uint64_t out; /* the switch-out at which it was taken */
	uint32_t tid, count;
	uint32_t top; /* words of the struct ring_top behind the frames */
	uint32_t reason; /* enum user_missing */
	bool truncated;
	bool snapshot, no_snapshot; /* a snapshot was written with it; one should have been, but could not */
	const uint64_t *frames;
};

/* threads: estimated number; max_frames: of one stack; halvings: of their most memory. 0, -errno. */
int user_stacks_create(uint32_t threads, uint32_t max_frames, unsigned int halvings, struct user_stacks **ret_stacks);
size_t user_stacks_memory(void); /* bytes */
void user_stacks_destroy(struct user_stacks *stacks);

void user_stacks_keep(struct user_stacks *stacks, const struct user_stack *stack);
/*
 * Returns what was kept for the thread's wait that began at `out`, once; valid until the next stack
 * is kept. False: not there (any more).
 */
bool user_stacks_take(struct user_stacks *stacks, uint32_t tid, uint64_t out, struct user_stack *ret_stack);

/*
 * Snapshots on their way from the rings into the log. In a ring, a snapshot comes right before the
 * record that it belongs to. It is written to the log at once, and its number is kept until that
 * record arrives.
 */

struct snapshot_told {
	uint64_t time;
	uint32_t source, number; /* number 0: none */
};

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
