/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Rounds in which a helper process (iterator_helper.h) copies the user stacks of sleeping tasks. The
 * caller names the tasks, begins, and collects the results in steps that never block for longer
 * than specified. A helper that a target holds up for 200 ms is left behind, and another one
 * continues after that target. After four such helpers, or two seconds in all, the round ends as it
 * is.
 */
#ifndef RWALKER_RECORD_SOURCE_SLEEPERS_H
#define RWALKER_RECORD_SOURCE_SLEEPERS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/ring.h"

struct spawner;
struct probe;
struct sleepers;

enum sleeper_left { /* why there is no answer */
	SLEEPER_GONE,  /* the task no longer existed */
	SLEEPER_STUCK, /* its memory, or that of an earlier task, could not be read in time */
};

typedef void sleeper_take(void *context, const struct ring_sleeper *sleeper);

/* The probe must have the program. most: bytes of a stack, whole words. 0, -errno. */
int sleepers_create(const struct probe *probe, struct spawner *spawner, uint32_t most, struct sleepers **ret_sleepers);
void sleepers_destroy(struct sleepers *sleepers);

/* To be called between rounds. 0, -E2BIG: no room for more. */
int sleepers_want(struct sleepers *sleepers, uint32_t tid, const struct ring_sleeper_wanted *wanted);
void sleepers_begin(struct sleepers *sleepers);
/*
 * Waits for at most timeout_ms, and some more while answers arrive; `take` gets each answer once or more, valid
 * during the call.
 * Returns true if the round is over.
 */
bool sleepers_step(struct sleepers *sleepers, int timeout_ms, sleeper_take *take, void *context);
void sleepers_give_up(struct sleepers *sleepers);
/* To be called after the round, for each task that was wanted. */
enum sleeper_left sleepers_forget(struct sleepers *sleepers, uint32_t tid);

#endif
