/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Waits in a hand-made profile (fake_profile.h). */
#pragma once

#include "tests/unit/report/view/fake_profile.h"

static inline uint32_t fake_recording(struct profile *profile, uint64_t start, uint64_t stop)
{
	profile->recordings[profile->recording_count] = (struct profile_recording){.start = start, .stop = stop};
	return (uint32_t)profile->recording_count++;
}

/* A blocked wait without a waker, of the source added last; with its entry, source and totals. */
static inline struct profile_wait *fake_wait(struct profile *profile, const char *comm, uint32_t tid, const char *chain,
					     uint64_t out, uint64_t in)
{
	uint32_t source = (uint32_t)profile->source_count - 1;
	struct profile_class_total *total = &profile->totals[source].classes[PROFILE_BLOCKED];
	struct profile_wait *wait = &profile->waits[profile->wait_count++];
	struct profile_entry *entry = &profile->entries[profile->entry_count++];

	*wait = (struct profile_wait){
		.out = out,
		.in = in,
		.weight = in - out,
		.source = source,
		.task = fake_task(profile, comm, tid, tid),
		.node = fake_chain(profile, chain),
		.waker = PROFILE_NO_TASK,
		.state = 1,
		.wait_class = PROFILE_BLOCKED,
	};
	*entry = (struct profile_entry){
		.source = source, .node = wait->node, .task = wait->task, .samples = 1, .weight = wait->weight};
	profile->sources[source].samples++;
	profile->sources[source].weight += wait->weight;
	total->count++;
	total->weight += wait->weight;
	return wait;
}

/* The waker that ended it, called for the wakeup at `woken`; chain "" is no stack. */
static inline void fake_waker(struct profile *profile, struct profile_wait *wait, const char *comm, uint32_t tid,
			      const char *chain, uint64_t woken)
{
	wait->waker = fake_task(profile, comm, tid, tid);
	wait->waker_node = fake_chain(profile, chain);
	wait->waker_context = PROFILE_WAKER_TASK;
	wait->woken = woken;
	wait->run_queue = wait->in - woken;
}
