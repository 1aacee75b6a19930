/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile_events.h"

#include <fnmatch.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/profile_events_read.h"
#include "report/read/radix_sort.h"

/* --- the section's probes --- */

/* "sched:sched_switch" is known as "sched_switch", too. */
static bool name_is_wanted(const struct profile_filter *filter, const char *name)
{
	const char *colon = strchr(name, ':');

	for (size_t i = 0; i < filter->probe_count; i++)
		if (!fnmatch(filter->probes[i], name, 0) || (colon && !fnmatch(filter->probes[i], colon + 1, 0)))
			return true;
	return filter->probe_count == 0;
}

static void add_counts(struct profile_probe *probe, const struct trace_probe *counted, uint64_t duration)
{
	probe->hits += counted->hits.hits;
	probe->skipped += counted->hits.skipped;
	probe->missed += counted->hits.missed;
	probe->counted &= counted->counted;
	probe->duration += duration;
}

static int bind_probe(struct section *section, const struct trace_probe *probe)
{
	const struct trace_model *model = section->context.model;
	const struct trace_source *source = trace_model_source(model, probe->source);
	struct probe_binding binding = {.source = probe->source, .probe = PROFILE_NO_PROBE, .origin = NO_NUMBER};
	struct profile *profile = section->context.profile;
	int r;

	if (!source) /* its samples cannot be told apart, then */
		return array_push(&section->probes, binding);
	r = profile_intern_probe(profile, section_source(section, probe->source)->source, probe->name, &binding.probe);
	if (r < 0)
		return r;
	profile->probe_wanted.items[binding.probe] = name_is_wanted(profile->filter, probe->name);
	add_counts(&profile->probes.items[binding.probe], probe, profile_duration_of(model, &source->event));
	return array_push(&section->probes, binding);
}

int section_bind_probes(struct section *section)
{
	const struct trace_model *model = section->context.model;
	int r = 0;

	for (size_t i = 0; i < model->probes.count && r == 0; i++)
		r = bind_probe(section, &model->probes.items[i]);
	return r;
}

struct probe_binding *section_probe(const struct section *section, const struct batch_sample *sample)
{
	const struct trace_model *model = section->context.model;
	const struct trace_probe *probe = sample->probe ? trace_model_probe(model, sample->probe) : NULL;
	struct probe_binding *binding = probe ? &section->probes.items[probe - model->probes.items] : NULL;

	return binding && binding->source == sample->source && binding->probe != PROFILE_NO_PROBE ? binding : NULL;
}

bool section_wants_probe(const struct section *section, const struct source_binding *source, const struct probe_binding *probe)
{
	const struct profile *profile = section->context.profile;

	if (!profile->filter->probe_count)
		return true;
	if (probe)
		return profile->probe_wanted.items[probe->probe];
	return name_is_wanted(profile->filter, profile->sources.items[source->source].name);
}

const char *section_traced_function(const struct section *section, const struct source_binding *source,
				    const struct probe_binding *probe)
{
	const struct profile *profile = section->context.profile;

	if (source->kind != PROFILE_KFUNC)
		return NULL;
	return probe ? profile->probes.items[probe->probe].name : profile->sources.items[source->source].name;
}

/* --- samples that are kept --- */

static int find_origin(struct profile *profile, struct event_origin origin, uint32_t *origin_number)
{
	if (*origin_number != NO_NUMBER)
		return 0;
	if (profile->origins.count >= NO_NUMBER - 1 || array_push(&profile->origins, origin) < 0)
		return -ENOMEM;
	*origin_number = (uint32_t)(profile->origins.count - 1);
	return 0;
}

int section_keep_sample(struct section *section, const struct stream_event *event, struct probe_binding *probe,
			const struct profile_entry *entry)
{
	const struct batch_sample *sample = &event->batch->samples.items[event->event->index];
	const struct trace_model *model = section->context.model;
	const struct trace_source *source = trace_model_source(model, sample->source);
	struct source_binding *binding = &section->sources.items[source - model->sources.items];
	uint32_t *origin = probe ? &probe->origin : &binding->origin;
	struct profile *profile = section->context.profile;
	struct kept_sample kept = {
		.time = event->event->time,
		.weight = entry->weight,
		.node = entry->node,
		.task = entry->task,
		.cpu = sample->cpu < PROFILE_NO_CPU ? (uint16_t)sample->cpu : PROFILE_NO_CPU,
		.flags = (uint8_t)entry->flags,
	};
	int r = find_origin(profile,
			    (struct event_origin){.recording = section->recording,
						  .source = binding->source,
						  .probe = probe ? probe->probe : PROFILE_NO_PROBE},
			    origin);

	kept.origin = *origin;
	return r < 0 ? r : array_push(&profile->kept, kept);
}

/* --- order --- */

static uint32_t recording_of(const struct profile *profile, size_t kept)
{
	return profile->origins.items[profile->kept.items[kept].origin].recording;
}

/* They came recording by recording, and in the order of time unless the trace is out of order. */
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

	for (size_t i = 0; i < count && r == 0; i++)
		keys[i] = (struct radix_key){.key = samples[i].time, .number = (uint32_t)i};
	if (r == 0)
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

	for (size_t first = 0, end; first < count && r == 0; first = end) {
		for (end = first + 1; end < count && recording_of(profile, end) == recording_of(profile, first);)
			end++;
		if (!is_sorted(profile, first, end))
			r = sort_samples(profile, first, end);
	}
	return r;
}

static bool has_end(const struct profile *profile, const struct profile_wait *wait)
{
	(void)wait;
	return !profile->waits_hidden;
}

static bool has_wakeup(const struct profile *profile, const struct profile_wait *wait)
{
	return wait->waker != PROFILE_NO_TASK && profile->recording_notes.items[wait->recording].wakers != NO_NUMBER;
}

static uint64_t end_of(const struct profile_wait *wait)
{
	return wait->in;
}

static uint64_t wakeup_of(const struct profile_wait *wait)
{
	return wait->woken;
}

/* A moment of waits: of which it is, and when. */
struct wait_moment {
	bool (*has)(const struct profile *profile, const struct profile_wait *wait);
	uint64_t (*time)(const struct profile_wait *wait);
};

/* Of the waits of one recording. */
static int order_recording(const struct profile *profile, const struct wait_moment *moment, size_t from, size_t to,
			   struct event_numbers *numbers)
{
	const struct profile_wait *waits = profile->waits.items;
	_cleanup_free_ struct radix_key *keys = calloc(to - from + 1, sizeof(*keys));
	size_t found = 0;
	int r;

	if (!keys)
		return -ENOMEM;
	for (size_t i = from; i < to; i++)
		if (moment->has(profile, &waits[i]))
			keys[found++] = (struct radix_key){.key = moment->time(&waits[i]), .number = (uint32_t)i};
	r = radix_sort(&keys, found);
	for (size_t i = 0; i < found && r == 0; i++)
		numbers->items[numbers->count++] = keys[i].number;
	return r;
}

/* Waits come by recording; the moments of each are put in order. */
static int order_moments(const struct profile *profile, const struct wait_moment *moment, struct event_numbers *numbers)
{
	const struct profile_wait *waits = profile->waits.items;
	size_t count = profile->waits.count;
	int r = 0;

	numbers->items = calloc(count + 1, sizeof(*numbers->items));
	if (!numbers->items)
		return -ENOMEM;
	for (size_t from = 0, to; from < count && r == 0; from = to) {
		for (to = from + 1; to < count && waits[to].recording == waits[from].recording;)
			to++;
		r = order_recording(profile, moment, from, to, numbers);
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

	if (a->probe->source != b->probe->source)
		return a->probe->source < b->probe->source ? -1 : 1;
	return strcmp(a->probe->name, b->probe->name); /* equal names of one source are one probe */
}

static void renumber(struct profile *profile, const uint32_t *source_places, const uint32_t *probe_places)
{
	for (size_t i = 0; i < profile->recording_notes.count; i++) {
		uint32_t *wakers = &profile->recording_notes.items[i].wakers;

		*wakers = *wakers == NO_NUMBER ? NO_NUMBER : source_places[*wakers];
	}
	for (size_t i = 0; i < profile->origins.count; i++) {
		struct event_origin *origin = &profile->origins.items[i];

		origin->source = source_places[origin->source];
		if (origin->probe != PROFILE_NO_PROBE)
			origin->probe = probe_places[origin->probe];
	}
}

static int order_probes(struct profile *profile, const uint32_t *places)
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
		profile->probes.items[i].source = places[profile->probes.items[i].source];
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
	renumber(profile, places, probe_places);
	return 0;
}

int profile_order_events(struct profile *profile, const uint32_t *places)
{
	static const struct wait_moment wakeups = {has_wakeup, wakeup_of}, ends = {has_end, end_of};
	int r = order_probes(profile, places);

	if (r == 0 && profile->filter->each_event)
		r = order_samples(profile);
	if (r == 0 && profile->filter->each_event)
		r = order_moments(profile, &wakeups, &profile->wakeups);
	if (r == 0 && profile->filter->each_event)
		r = order_moments(profile, &ends, &profile->ends);
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
