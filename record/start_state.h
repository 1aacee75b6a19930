/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The mappings of all processes that were there before us, read by a helper process. A target whose mm lock is held
 * would hang it: 200 ms, then that helper is left behind, the process is told as unavailable, and another helper goes on;
 * after four left behind the rest is told as unavailable. Run after the sideband is open, in steps, so that
 * a long list or stuck targets never delay the start of the recording by more than the caller allows.
 */
#ifndef RWALKER_RECORD_START_STATE_H
#define RWALKER_RECORD_START_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct nursery;
struct recording;
struct start_state;

/* Makes the list of processes. 0, -errno. */
int start_state_create(struct recording *recording, struct nursery *nursery, struct start_state **ret_state);
void start_state_destroy(struct start_state *state);

/* Works for at most budget_ms (0: takes what has come and asks for what is next). True when all is done. */
bool start_state_step(struct start_state *state, unsigned int budget_ms);

/* At the end of the recording: works for at most budget_ms more, then tells what is left as unavailable. */
void start_state_end(struct start_state *state, unsigned int budget_ms);

#endif
