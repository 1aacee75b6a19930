/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * User stacks of waits that have not ended when the recording does: no system call returns to take them at. They are copied
 * from outside as those of walked tasks are (walk_users.h), and told as the stacks of calls that did return.
 */
#ifndef RWALKER_RECORD_UNENDED_WAITS_H
#define RWALKER_RECORD_UNENDED_WAITS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/ring_wait.h"

struct recording;
struct walk_users;

struct unended_waits {
	struct recording *recording;
	struct walk_users *users; /* NULL: no user stacks. Shared with walks: one of them at a time */
	uint32_t source;
	uint64_t refused; /* by the log */
	bool pending;	  /* some wait for their stacks */
};

/* A wait that is in the log, of a task that had switched so many times. May block for as long as a walk's last step does. */
void unended_waits_add(struct unended_waits *waits, const struct ring_wait *wait, uint64_t switches);
/* After the last of them. */
void unended_waits_begin(struct unended_waits *waits);
/* Tells what has come, waiting for at most timeout_ms. */
void unended_waits_step(struct unended_waits *waits, int timeout_ms);
/* All that comes within budget_ms; the others are told to be missing. */
void unended_waits_finish(struct unended_waits *waits, unsigned int budget_ms);

#endif
