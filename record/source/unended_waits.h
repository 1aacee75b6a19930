/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Waits that go on while a dump is made. A look at all tasks finds them. It comes before the last
 * pass over the rings; waits that end in between are in the rings, so they are removed from the
 * list again. The child that writes the dump writes the others into it as waits that have not
 * ended; in the recording they go on. Memory is reserved at the start, its pages are used from the
 * first dump on.
 */
#ifndef RWALKER_RECORD_SOURCE_UNENDED_WAITS_H
#define RWALKER_RECORD_SOURCE_UNENDED_WAITS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/ring.h"

struct open_waits;
struct recording;
struct waits;
struct walk_user;
struct walk_users;

/* The most memory that it takes, if that is not halved; bytes. */
uint64_t open_waits_memory(void);

/* 0, -ENOMEM. */
int open_waits_create(struct waits *waits, struct open_waits **ret_open);
void open_waits_destroy(struct open_waits *open);

/* Lists the waits. 0; -errno: the list is incomplete. */
int open_waits_look(struct open_waits *open);
/* A wait of the task ended at this time, CLOCK_MONOTONIC ns. */
void open_waits_end(struct open_waits *open, uint32_t tid, uint64_t time);
/* Writes what is left of the list to the recording's log, once. */
void open_waits_tell(struct open_waits *open);

/*
 * User stacks of waits that have not ended when the recording does: their system call does not
 * return, so the stacks cannot be taken then. They are copied from outside like those of walked
 * tasks (walk_users.h), and written like the stacks of calls that did return.
 */

struct unended_waits {
	struct recording *recording;
	struct walk_users *users; /* NULL: no user stacks. Shared with walks: only one of the two uses it at a time */
	uint32_t source;
	uint64_t refused; /* by the log */
	bool pending;	  /* some waits still lack their stacks */
};

/*
 * Adds a wait that is in the log, of a task with this number of switches. May block for as long as
 * a walk's last step.
 */
void unended_waits_add(struct unended_waits *waits, const struct ring_wait *wait, uint64_t switches);
/* Called after the last of them. */
void unended_waits_begin(struct unended_waits *waits);
/* Writes what has arrived, waiting for at most timeout_ms. */
void unended_waits_step(struct unended_waits *waits, int timeout_ms);
/* Writes all that arrive within budget_ms; the others are recorded as missing. */
void unended_waits_finish(struct unended_waits *waits, unsigned int budget_ms);

/*
 * For callers that have the stacks copied themselves: converts a wait to a row of a walk, and
 * writes its stack once that has arrived.
 */

#endif
