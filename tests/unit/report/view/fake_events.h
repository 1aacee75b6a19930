/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Events and probes in a hand-made profile (fake_profile.h), each with the entry to which it belongs. */
#pragma once

#include "report/profile/seam/profile_events.h"
#include "tests/unit/report/view/fake_view.h"

/* A probe of the source added last. */
static inline uint32_t fake_probe(struct profile *profile, const char *name, uint64_t hits)
{
	profile->probes[profile->probe_count] = (struct profile_probe){.source = (uint32_t)profile->source_count - 1,
								       .name = name,
								       .hits = hits,
								       .duration = 5 * SECOND,
								       .counted = true};
	return (uint32_t)profile->probe_count++;
}

/* A sample of weight 1 in recording 0, of one thread; events must be added in time order. */
static inline struct profile_event *fake_event(struct profile *profile, uint32_t source,
					       uint32_t probe, const char *comm, uint32_t tid,
					       uint64_t time, const char *chain)
{
	struct profile_event *event = &profile->events[profile->event_count++];

	fake_entry(profile, source, comm, tid, chain, 1);
	*event = (struct profile_event){
		.kind = PROFILE_EVENT_SAMPLE,
		.time = time,
		.weight = 1,
		.source = source,
		.probe = probe,
		.task = profile->entries[profile->entry_count - 1].task,
		.node = profile->entries[profile->entry_count - 1].node,
		.cpu = 1,
	};
	if (probe != PROFILE_NO_PROBE) {
		profile->probes[probe].events++;
		profile->probes[probe].samples++;
	}
	return event;
}

