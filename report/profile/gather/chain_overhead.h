/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What frames of the kernel are, by their names. The recorder's own are not the task's: a stack that a
 * BPF program has walked ends in that program, in what called it, and in the stack walker. A frame is
 * judged once; the profile keeps the judgement.
 */
#ifndef RWALKER_REPORT_PROFILE_GATHER_CHAIN_OVERHEAD_H
#define RWALKER_REPORT_PROFILE_GATHER_CHAIN_OVERHEAD_H

#include "report/profile/tables/profile_internal.h"

/* `frame`: a number in profile->frames. Never OVERHEAD_UNKNOWN. */
enum overhead chain_judge_frame(struct profile *profile, uint32_t frame);
/* Whether the frame is in the function that was traced, as the recording named it. */
bool chain_is_traced(struct profile *profile, uint32_t frame, const char *traced);
/*
 * Whether the address of a caller is a function's first byte: if what is above it is where the kernel takes an
 * interrupt or a fault, it is where that came, and no return address. Elsewhere in a function it makes no difference.
 */
bool chain_begins_function(struct profile *profile, const struct profile_frame *frame);
bool chain_is_interruption(struct profile *profile, const struct profile_frame *frame);

#endif
