/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Access to the events of a finished profile. */
#include "report/profile/tables/profile_internal.h"
#include "report/profile/tables/profile_waits.h"

void profile_events_begin(const struct profile *profile, struct profile_events *ret_events)
{
	*ret_events = (struct profile_events){.profile = profile};
}

static bool next_sample(const struct profile_events *events, struct profile_event *event)
{
	const struct profile *profile = events->profile;
	const struct kept_sample *sample;
	const struct event_origin *origin;

	if (events->samples == profile->kept.count)
		return false;
	sample = &profile->kept.items[events->samples];
	origin = &profile->origins.items[sample->origin];
	*event = (struct profile_event){
		.kind = PROFILE_EVENT_SAMPLE,
		.time = sample->time,
		.weight = sample->weight,
		.recording = origin->recording,
		.source = origin->source,
		.probe = origin->probe,
		.task = sample->task,
		.node = sample->node,
		.flags = sample->flags,
		.cpu = sample->cpu,
	};
	return true;
}

static bool next_wakeup(const struct profile_events *events, struct profile_event *event)
{
	const struct profile *profile = events->profile;
	const struct profile_wait *wait;

	if (events->wakeups == profile->wakeups.count)
		return false;
	wait = &profile->waits.items[profile->wakeups.items[events->wakeups]];
	*event = (struct profile_event){
		.kind = PROFILE_EVENT_WAKEUP,
		.time = wait->woken,
		.weight = profile_waker_weight(wait),
		.recording = wait->recording,
		.source = profile->recording_notes.items[wait->recording].wakers,
		.probe = PROFILE_NO_PROBE,
		.task = wait->waker,
		.node = wait->waker_node,
		.cpu = PROFILE_NO_CPU,
		.wait = wait,
	};
	return true;
}

static bool next_wait(const struct profile_events *events, struct profile_event *event)
{
	const struct profile *profile = events->profile;
	const struct profile_wait *wait;

	if (events->waits == profile->ends.count)
		return false;
	wait = &profile->waits.items[profile->ends.items[events->waits]];
	*event = (struct profile_event){
		.kind = PROFILE_EVENT_WAIT,
		.time = wait->in,
		.weight = wait->weight,
		.recording = wait->recording,
		.source = wait->source,
		.probe = PROFILE_NO_PROBE,
		.task = wait->task,
		.node = wait->node,
		.flags = wait->chain_flags,
		.cpu = wait->in_cpu,
		.wait = wait,
	};
	return true;
}

static bool comes_before(const struct profile_event *a, const struct profile_event *b)
{
	if (a->recording != b->recording)
		return a->recording < b->recording;
	return a->time < b->time;
}

bool profile_events_next(struct profile_events *events, struct profile_event *ret_event)
{
	const struct {
		bool (*next)(const struct profile_events *events, struct profile_event *event);
		size_t *count;
	} lists[] = {{next_wakeup, &events->wakeups},
		     {next_sample, &events->samples},
		     {next_wait, &events->waits}};
	struct profile_event event;
	size_t *first = NULL;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (!lists[i].next(events, &event) || (first && !comes_before(&event, ret_event)))
			continue;
		*ret_event = event;
		first = lists[i].count;
	}
	if (!first)
		return false;
	++*first;
	return true;
}

void profile_recording_part(const struct profile *profile, uint32_t recording, uint64_t *ret_from,
			    uint64_t *ret_to)
{
	*ret_from = profile->recording_notes.items[recording].from;
	*ret_to = profile->recording_notes.items[recording].to;
}

size_t profile_probes(const struct profile *profile, const struct profile_probe **ret_probes)
{
	*ret_probes = profile->probes.items;
	return profile->probes.count;
}
