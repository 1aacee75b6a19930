/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The walks of one section, and their rows, while its events are added to the profile. */
#ifndef RWALKER_REPORT_PROFILE_GATHER_SECTION_WALKS_H
#define RWALKER_REPORT_PROFILE_GATHER_SECTION_WALKS_H

#include "report/profile/gather/section.h"

int section_add_walk(struct section *section, const struct stream_event *event);
int section_add_walk_task(struct section *section, const struct stream_event *event);

#endif
