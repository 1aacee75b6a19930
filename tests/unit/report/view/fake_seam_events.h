/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The part of fake_seam.h that is report/profile/seam/profile_events.h: events and probes as the test added them. */
#pragma once

#include "tests/unit/report/view/fake_seam_struct.h"

void profile_events_begin(const struct profile *profile, struct profile_events *ret_events)
{
	*ret_events = (struct profile_events){.profile = profile};
}

bool profile_events_next(struct profile_events *events, struct profile_event *ret_event)
{
	if (events->samples == events->profile->event_count)
		return false;
	*ret_event = events->profile->events[events->samples++];
	return true;
}

/* All of it. */
void profile_recording_part(const struct profile *profile, uint32_t recording, uint64_t *ret_from, uint64_t *ret_to)
{
	*ret_from = profile->recordings[recording].start;
	*ret_to = profile->recordings[recording].stop;
}

size_t profile_probes(const struct profile *profile, const struct profile_probe **ret_probes)
{
	*ret_probes = profile->probes;
	return profile->probe_count;
}
