/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The chains, weights and entries of a section's waits, which are known only after all records were read. */
#ifndef RWALKER_REPORT_PROFILE_GATHER_SECTION_WAIT_CHAINS_H
#define RWALKER_REPORT_PROFILE_GATHER_SECTION_WAIT_CHAINS_H

#include "report/profile/gather/section.h"

/* Call after the last event. -ENOMEM. */
int section_finish_waits(struct section *section);

#endif
