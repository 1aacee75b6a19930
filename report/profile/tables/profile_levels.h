/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The source lines of a frame, as far as DWARF has them: of each function inlined there, and of the real function. */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_LEVELS_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_LEVELS_H

#include "report/profile/tables/profile_internal.h"

/* The byte of code to look up for the frame: a return address points after the call. */
uint64_t profile_frame_code(const struct profile_frame *frame);

/* Returns the number of levels, innermost first; 0 if nothing is known. They are valid as long as the profile. */
size_t profile_find_levels(const struct profile *profile, const struct profile_frame *frame,
			   const struct line_level **ret_levels);

#endif
