/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The recording of a section: when it began and ended, and what was summed instead of recorded. */
#ifndef RWALKER_REPORT_PROFILE_GATHER_SECTION_RECORDING_H
#define RWALKER_REPORT_PROFILE_GATHER_SECTION_RECORDING_H

#include "report/profile/gather/section.h"

/* Adds the section to the profile's recordings. -ENOMEM. */
int section_begin_recording(struct section *section);

#endif
