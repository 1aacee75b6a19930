/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/gather/section_samples.h"

#include "report/profile/gather/section_probes.h"
#include "report/profile/gather/stack_parts.h"
#include "report/profile/tables/profile_intern.h"

/* In the source's unit: the sample's period, else the source's nominal one, else one. */
static uint64_t weigh(struct profile *profile, const struct source_binding *source,
		      const struct batch_sample *sample)
{
	uint64_t weight = sample->flags & SAMPLE_HAS_PERIOD ? sample->period : source->period;

	if (!weight)
		return 1;
	profile->source_notes.items[source->source].periods = true;
	return weight;
}

static uint16_t cpu_of(const struct profile *profile, const struct batch_sample *sample)
{
	bool known = profile->filter->needs & PROFILE_EACH_CPU && sample->cpu < PROFILE_NO_CPU;

	return known ? (uint16_t)sample->cpu : PROFILE_NO_CPU;
}

static unsigned int half_of(const struct profile *profile, const struct source_binding *source, uint64_t time)
{
	return profile->filter->needs & PROFILE_EACH_HALF && time >= source->middle ? CHAIN_LATE : 0;
}

static struct user_record user_record_of(const struct batch_sample *sample)
{
	return (struct user_record){
		.truncated = sample->flags & SAMPLE_USER_TRUNCATED,
		.missing = sample->flags & SAMPLE_USER_MISSING,
		.reason = sample->missing,
	};
}

static int count_sample(struct section *section, const struct stream_event *event,
			struct probe_binding *probe, const struct profile_entry *entry)
{
	struct profile *profile = section->context.profile;
	struct profile_source *source = &profile->sources.items[entry->source];
	int r = profile_add_entry(profile, entry);

	source->samples++;
	source->weight += entry->weight;
	if (probe)
		profile->probes.items[probe->probe].samples++;
	return r < 0 || !(profile->filter->needs & PROFILE_EACH_EVENT) ? r : section_keep_sample(section, event, probe, entry);
}

/* The sample has passed all filters except those for its task. */
static int take_sample(struct section *section, const struct stream_event *event,
		       const struct source_binding *source, struct probe_binding *probe)
{
	struct profile *profile = section->context.profile;
	const struct batch_sample *sample = &event->batch->samples.items[event->event->index];
	const struct user_record user_record = user_record_of(sample);
	const char *traced = section_traced_function(section, source, probe);
	struct profile_entry entry = {.source = source->source, .samples = 1};
	const struct task_binding *task;
	struct section_slot *slot;
	struct user_part user;
	int r = section_slot(section, event, &slot);

	if (!r)
		r = section_task(section, slot, event, sample->task, &task);
	if (r < 0 || !task || !task->wanted)
		return r;
	r = stack_user(&section->context, task->process, sample->user, sample->snapshot, &user);
	if (!r)
		r = stack_kernel(&section->context, user.node, sample->kernel,
				 source->kind != PROFILE_CPU, traced, &entry.node);
	if (r < 0)
		return r;
	entry.task = task->task;
	section_count(section, event->event->time);
	entry.cpu = cpu_of(profile, sample);
	entry.flags = (uint16_t)(half_of(profile, source, event->event->time) |
				 stack_kernel_flags(profile, sample->flags & SAMPLE_KERNEL_TRUNCATED) |
				 stack_user_flags(profile, &user_record, user.unwound, NULL));
	entry.weight = weigh(profile, source, sample);
	return count_sample(section, event, probe, &entry);
}

int section_add_sample(struct section *section, const struct stream_event *event)
{
	struct profile *profile = section->context.profile;
	const struct batch_sample *sample = &event->batch->samples.items[event->event->index];
	const struct source_binding *source = section_source(section, sample->source);
	struct probe_binding *probe = section_probe(section, sample);

	section_judge(section, source ? source->kind : PROFILE_SOURCE_KINDS);
	profile->quality->unknown_source += !source;
	if (probe)
		profile->probes.items[probe->probe].events++;
	if (!source || !source->wanted || !section_wants(section, event->event->time, sample->cpu) ||
	    !section_wants_probe(section, source, probe))
		return 0;
	return take_sample(section, event, source, probe);
}
