/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "report/profile/profile.h"
#include "report/profile/profile_internal.h"

/* --- access to the events of a finished profile --- */

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

/* --- the order in which single samples, waits and probes are returned --- */

static uint32_t recording_of(const struct profile *profile, size_t kept)
{
	return profile->origins.items[profile->kept.items[kept].origin].recording;
}

/* Samples were added recording by recording, in time order unless the trace is out of order. */
static bool is_sorted(const struct profile *profile, size_t first, size_t end)
{
	for (size_t i = first + 1; i < end; i++)
		if (profile->kept.items[i].time < profile->kept.items[i - 1].time)
			return false;
	return true;
}

static int sort_samples(struct profile *profile, size_t first, size_t end)
{
	struct kept_sample *samples = profile->kept.items + first;
	size_t count = end - first;
	_cleanup_free_ struct radix_key *keys = calloc(count + 1, sizeof(*keys));
	_cleanup_free_ struct kept_sample *sorted = calloc(count + 1, sizeof(*sorted));
	int r = keys && sorted && count < NO_NUMBER ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !r; i++)
		keys[i] = (struct radix_key){.key = samples[i].time, .number = (uint32_t)i};
	if (!r)
		r = radix_sort(&keys, count);
	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++)
		sorted[i] = samples[keys[i].number];
	memcpy(samples, sorted, count * sizeof(*samples));
	return 0;
}

static int order_samples(struct profile *profile)
{
	size_t count = profile->kept.count;
	int r = 0;

	for (size_t first = 0, end; first < count && !r; first = end) {
		for (end = first + 1;
		     end < count && recording_of(profile, end) == recording_of(profile, first);)
			end++;
		if (!is_sorted(profile, first, end))
			r = sort_samples(profile, first, end);
	}
	return r;
}

/* Whether a wait is listed by the wakeup that ended it, or by its end. */
static bool has_moment(const struct profile *profile, const struct profile_wait *wait, bool wakeup)
{
	if (wait->flags & PROFILE_WAIT_BESIDE)
		return false;
	if (!wakeup)
		return !profile->waits_hidden;
	return wait->waker != PROFILE_NO_TASK &&
	       profile->recording_notes.items[wait->recording].wakers != NO_NUMBER;
}

/* Orders the waits of one recording by that time. */
static int order_recording(const struct profile *profile, bool wakeup,
			   size_t from, size_t to, struct event_numbers *numbers)
{
	const struct profile_wait *waits = profile->waits.items;
	_cleanup_free_ struct radix_key *keys = calloc(to - from + 1, sizeof(*keys));
	size_t found = 0;
	int r;

	if (!keys)
		return -ENOMEM;
	for (size_t i = from; i < to; i++)
		if (has_moment(profile, &waits[i], wakeup))
			keys[found++] = (struct radix_key){.key = wakeup ? waits[i].woken : waits[i].in,
							   .number = (uint32_t)i};
	r = radix_sort(&keys, found);
	for (size_t i = 0; i < found && !r; i++)
		numbers->items[numbers->count++] = keys[i].number;
	return r;
}

/* Waits are already ordered by recording; sorts them by time within each. */
static int order_moments(const struct profile *profile, bool wakeup,
			 struct event_numbers *numbers)
{
	const struct profile_wait *waits = profile->waits.items;
	size_t count = profile->waits.count;
	int r = 0;

	numbers->items = calloc(count + 1, sizeof(*numbers->items));
	if (!numbers->items)
		return -ENOMEM;
	for (size_t from = 0, to; from < count && !r; from = to) {
		for (to = from + 1; to < count && waits[to].recording == waits[from].recording;)
			to++;
		r = order_recording(profile, wakeup, from, to, numbers);
	}
	return r;
}

struct probe_order {
	const struct profile_probe *probe;
	uint32_t number;
};

static int compare_probes(const void *one, const void *two)
{
	const struct probe_order *a = one, *b = two;

	/* Equal names of one source are one probe. */
	return COMPARE(a->probe->source, b->probe->source) ?: strcmp(a->probe->name, b->probe->name);
}

static void renumber(struct profile *profile, const uint32_t *probe_places)
{
	for (size_t i = 0; i < profile->recording_notes.count; i++) {
		uint32_t *wakers = &profile->recording_notes.items[i].wakers;

		*wakers = *wakers == NO_NUMBER ? NO_NUMBER : profile->places[*wakers];
	}
	for (size_t i = 0; i < profile->origins.count; i++) {
		struct event_origin *origin = &profile->origins.items[i];

		origin->source = profile->places[origin->source];
		if (origin->probe != PROFILE_NO_PROBE)
			origin->probe = probe_places[origin->probe];
	}
}

static int order_probes(struct profile *profile)
{
	size_t count = profile->probes.count;
	_cleanup_free_ struct probe_order *order = calloc(count + 1, sizeof(*order));
	_cleanup_free_ uint32_t *probe_places = calloc(count + 1, sizeof(*probe_places));
	struct profile_probe *sorted = calloc(count + 1, sizeof(*sorted));

	if (!order || !probe_places || !sorted) {
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		profile->probes.items[i].source = profile->places[profile->probes.items[i].source];
		order[i] = (struct probe_order){.probe = &profile->probes.items[i], .number = (uint32_t)i};
	}
	qsort(order, count, sizeof(*order), compare_probes);
	for (size_t i = 0; i < count; i++) {
		sorted[i] = *order[i].probe;
		probe_places[order[i].number] = (uint32_t)i;
	}
	free(profile->probes.items);
	profile->probes.items = sorted;
	profile->probes.capacity = count + 1;
	renumber(profile, probe_places);
	return 0;
}

/* Sorting them takes as long as reading them, so it is done only if wanted. */
static bool wants_moments(const struct profile *profile)
{
	uint32_t needs = profile->filter->needs;

	return needs & PROFILE_EACH_EVENT && (!(needs & PROFILE_WAITS_APART) || profile->waits_hidden);
}

int profile_order_events(struct profile *profile)
{
	int r = order_probes(profile);

	if (!r && profile->filter->needs & PROFILE_EACH_EVENT)
		r = order_samples(profile);
	if (!r && wants_moments(profile))
		r = order_moments(profile, true, &profile->wakeups);
	if (!r && wants_moments(profile))
		r = order_moments(profile, false, &profile->ends);
	return r;
}

void profile_free_events(struct profile *profile)
{
	array_free(&profile->probes);
	array_free(&profile->probe_wanted);
	array_free(&profile->kept);
	array_free(&profile->origins);
	free(profile->wakeups.items);
	free(profile->ends.items);
	index_table_deinit(&profile->probe_table);
}
