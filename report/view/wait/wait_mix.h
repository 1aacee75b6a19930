/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The composition of some waits: shares of their time by initial state and by class, and the shares
 * of run queue and iowait.
 *
 *	state S 90.12%, D 9.88%; blocked 99.00%, preempted 1.00%; run queue 0.10%, iowait 9.88%
 */
#ifndef RWALKER_REPORT_VIEW_WAIT_WAIT_MIX_H
#define RWALKER_REPORT_VIEW_WAIT_WAIT_MIX_H

#include <stdio.h>

#include "report/view/look/waits.h"

enum { WAIT_MIX_STATES = 8 }; /* states that are distinguished; there are hardly more */

struct wait_mix {
	uint64_t total, run_queue, iowait, other_states;
	uint64_t classes[WAIT_CLASSES];
	struct wait_mix_state {
		char text[24];
		uint64_t time;
	} states[WAIT_MIX_STATES];
	size_t state_count;
};

void wait_mix_add(struct wait_mix *mix, const struct profile_wait *wait);

/* Prints it, largest shares first. Sorts the states. */
void wait_mix_write(struct wait_mix *mix, FILE *out);

#endif
