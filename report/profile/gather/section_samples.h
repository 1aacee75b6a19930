/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The samples of one section, including hits of probes, while its events are added to the profile. */
#ifndef RWALKER_REPORT_PROFILE_GATHER_SECTION_SAMPLES_H
#define RWALKER_REPORT_PROFILE_GATHER_SECTION_SAMPLES_H

#include "report/profile/gather/section.h"

int section_add_sample(struct section *section, const struct stream_event *event);

#endif
