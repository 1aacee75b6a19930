/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A task's state in letters: R running or runnable, S, D, K (killable, printed "D (killable)"), I
 * idle, T stopped, t traced, F frozen (printed "F (frozen)"), P parked, Z zombie, X dead, and other
 * bits of the kernel's mask in brackets. Bits: include/linux/sched.h, the same from 6.1 to 6.18.
 */
#ifndef RWALKER_REPORT_PROFILE_SEAM_PROFILE_STATE_H
#define RWALKER_REPORT_PROFILE_SEAM_PROFILE_STATE_H

#include <stdbool.h>
#include <stdint.h>

enum { PROFILE_STATE_TEXT = 24 }; /* as in struct profile_walk_task */

/* exit_state: 0 for a living task. */
void profile_state_text(uint64_t state, uint64_t exit_state, char text[static PROFILE_STATE_TEXT]);
/* Whether the state is one of `letters`; D matches every kind of D, K only the killable one. */
bool profile_state_matches(const char *text, const char *letters);

#endif
