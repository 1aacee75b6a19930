/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * User stacks of waits that have not ended when the recording does: no system call returns at which
 * they could be taken. They are copied from outside like those of walked tasks (walk_users.h), and
 * written like the stacks of calls that did return.
 */
#ifndef RWALKER_RECORD_SOURCE_UNENDED_WAITS_H
#define RWALKER_RECORD_SOURCE_UNENDED_WAITS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/ring_event.h"
#include "bpf/ring_wait.h"

struct recording;
struct walk_user;
struct walk_users;

struct unended_waits {
	struct recording *recording;
	struct walk_users *users; /* NULL: no user stacks. Shared with walks: only one of the two uses it at a time */
	uint32_t source;
	uint64_t refused; /* by the log */
	bool pending;	  /* some are waiting for their stacks */
};

/* A wait that is in the log, of a task with this number of switches. May block for as long as a walk's last step. */
void unended_waits_add(struct unended_waits *waits, const struct ring_wait *wait, uint64_t switches);
/* After the last of them. */
void unended_waits_begin(struct unended_waits *waits);
/* Writes what has arrived, waiting for at most timeout_ms. */
void unended_waits_step(struct unended_waits *waits, int timeout_ms);
/* Writes all that arrive within budget_ms; the others are recorded as missing. */
void unended_waits_finish(struct unended_waits *waits, unsigned int budget_ms);

/* For whoever has the stacks copied by themselves: a wait as a row of a walk; and what is written once it has come. */
struct ring_walk_task unended_waits_row(const struct ring_wait *wait, uint64_t switches);
void unended_waits_tell(struct unended_waits *waits, const struct ring_walk_task *row, const struct walk_user *user);

#endif
