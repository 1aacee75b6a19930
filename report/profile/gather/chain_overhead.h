/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tells the recorder's own kernel frames from those of the task, by their names: a stack that a BPF
 * program has walked ends in that program, in what called it, and in the stack walker. A frame is
 * judged once; the profile keeps the judgement.
 */
#ifndef RWALKER_REPORT_PROFILE_GATHER_CHAIN_OVERHEAD_H
#define RWALKER_REPORT_PROFILE_GATHER_CHAIN_OVERHEAD_H

#include "report/profile/tables/profile_internal.h"

/* `frame`: a number in profile->frames. Never OVERHEAD_UNKNOWN. */
enum overhead chain_judge_frame(struct profile *profile, uint32_t frame);
/* Whether the frame is in the function that was traced, as the recording named it. */
bool chain_is_traced(struct profile *profile, uint32_t frame, const char *traced);

#endif
