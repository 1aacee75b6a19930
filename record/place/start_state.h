/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The mappings of all processes that existed before us, read by a helper process. A target whose
 * mm lock is held would hang it: after 200 ms that helper is left behind, the process is recorded
 * as unavailable, and another helper goes on; after four left behind, the rest is recorded as
 * unavailable. Run after the sideband is open, in steps, so that a long list or stuck targets
 * never delay the start of the recording by more than the caller allows.
 */
#ifndef RWALKER_RECORD_PLACE_START_STATE_H
#define RWALKER_RECORD_PLACE_START_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct spawner;
struct recording;
struct start_state;

/*
 * since: 0 at the start; later the time (CLOCK_MONOTONIC ns) since which records may have been
 * missed: then only what is not yet known is written. 0, -errno.
 */
int start_state_create(struct recording *recording, struct spawner *spawner, uint64_t since,
		       struct start_state **ret_state);
void start_state_destroy(struct start_state *state);

/* Works for at most budget_ms (0: handles what has arrived and sends the next requests). True when all is done. */
bool start_state_step(struct start_state *state, unsigned int budget_ms);

/* At the end of the recording: works for at most budget_ms more, then records what is left as unavailable. */
void start_state_end(struct start_state *state, unsigned int budget_ms);

#endif
