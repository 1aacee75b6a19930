/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/gather/section_probes.h"

#include <fnmatch.h>
#include <string.h>

#include "report/profile/tables/profile_intern.h"

/* --- the section's probes --- */

/* "sched:sched_switch" is also known as "sched_switch". */
static bool name_is_wanted(const struct profile_filter *filter, const char *name)
{
	const char *colon = strchr(name, ':');

	for (size_t i = 0; i < filter->probe_count; i++)
		if (!fnmatch(filter->probes[i], name, 0) ||
		    (colon && !fnmatch(filter->probes[i], colon + 1, 0)))
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
	struct probe_binding binding = {.source = probe->source, .probe = PROFILE_NO_PROBE,
					.origin = NO_NUMBER};
	struct profile *profile = section->context.profile;
	int r;

	if (!source) /* then its samples cannot be distinguished */
		return array_push(&section->probes, binding);
	r = profile_intern_probe(profile, section_source(section, probe->source)->source,
				 probe->name, &binding.probe);
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

	for (size_t i = 0; i < model->probes.count && !r; i++)
		r = bind_probe(section, &model->probes.items[i]);
	return r;
}

struct probe_binding *section_probe(const struct section *section, const struct batch_sample *sample)
{
	const struct trace_model *model = section->context.model;
	const struct trace_probe *probe = sample->probe ? trace_model_probe(model, sample->probe) : NULL;
	struct probe_binding *binding = probe ? &section->probes.items[probe - model->probes.items] : NULL;

	return binding && binding->source == sample->source && binding->probe != PROFILE_NO_PROBE ?
	       binding : NULL;
}

bool section_wants_probe(const struct section *section, const struct source_binding *source,
			 const struct probe_binding *probe)
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

int section_keep_sample(struct section *section, const struct stream_event *event,
			struct probe_binding *probe, const struct profile_entry *entry)
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
