/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What kernel frames are, judged by their names. The recorder's own frames do not belong to the
 * task: a stack walked by a BPF program ends in that program, its callers, and the stack walker.
 * Each frame is judged once, and the profile keeps the result.
 */
#ifndef RWALKER_REPORT_PROFILE_GATHER_CHAIN_OVERHEAD_H
#define RWALKER_REPORT_PROFILE_GATHER_CHAIN_OVERHEAD_H

#include "report/profile/tables/profile_internal.h"

/* `frame`: a number in profile->frames. Never OVERHEAD_UNKNOWN. */
enum overhead chain_judge_frame(struct profile *profile, uint32_t frame);
/* Whether the frame is in the traced function, by the name that the recording has for it. */
bool chain_is_traced(struct profile *profile, uint32_t frame, const char *traced);
/*
 * Whether the address of a caller is the first byte of a function, and whether the frame on top of
 * it is an interrupt or fault entry. If both, the address is where the interrupt came, not a return
 * address. Elsewhere in a function this makes no difference.
 */
bool chain_begins_function(struct profile *profile, const struct profile_frame *frame);
bool chain_is_interruption(struct profile *profile, const struct profile_frame *frame);

#endif
