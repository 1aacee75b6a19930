/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/gather/section.h"

#include <string.h>

#include "common/log.h"
#include "report/profile/gather/chain_unwind.h"
#include "report/profile/tables/profile_cgroups.h"
#include "report/profile/tables/profile_intern.h"
#include "report/profile/tables/profile_moment.h"
#include "report/profile/tables/profile_processes.h"
#include "report/profile/tables/profile_scopes.h"

/* --- mapping of a section's numbers to the profile's --- */

static bool has_probes(enum profile_source_kind kind)
{
	return kind == PROFILE_TRACEPOINT || kind == PROFILE_KFUNC;
}

static uint64_t shifted(uint64_t start, uint64_t offset)
{
	uint64_t sum;

	return __builtin_add_overflow(start, offset, &sum) ? UINT64_MAX : sum;
}

/* The length of the requested part of the source, and its middle. */
static uint64_t find_middle(const struct section *section, const struct event_source *source, uint64_t *ret_middle)
{
	uint64_t stop = shifted(source->start, profile_duration_of(section->context.model, source));
	uint64_t from = source->start > section->from ? source->start : section->from;
	uint64_t to = stop < section->to ? stop : section->to;

	*ret_middle = from + (to > from ? (to - from) / 2 : 0);
	return to > from ? to - from : 0;
}

static int bind_sources(struct section *section)
{
	const struct trace_model *model = section->context.model;

	for (size_t i = 0; i < model->sources.count; i++) {
		const struct trace_source *source = &model->sources.items[i];
		struct source_binding binding = {.period = source->event.period, .origin = NO_NUMBER};
		struct profile *profile = section->context.profile;
		uint32_t kinds = profile->filter->sources;
		struct profile_source *bound;
		bool known;
		int r = profile_intern_source(profile, model, source, &binding.source);

		if (r < 0)
			return r;
		bound = &profile->sources.items[binding.source];
		known = bound->kind < PROFILE_SOURCE_KINDS;
		binding.kind = bound->kind;
		binding.wanted = known && (!kinds || kinds >> binding.kind & 1) &&
				 (!profile->filter->probe_count || has_probes(binding.kind));
		bound->left_out = known && !binding.wanted;
		bound->recorded += find_middle(section, &source->event, &binding.middle);
		if (array_push(&section->sources, binding) < 0)
			return -ENOMEM;
	}
	return 0;
}

const struct source_binding *section_source(const struct section *section, uint32_t id)
{
	const struct trace_model *model = section->context.model;
	const struct trace_source *source = trace_model_source(model, id);

	return source ? &section->sources.items[source - model->sources.items] : NULL;
}

const struct source_binding *section_source_of(const struct section *section, enum profile_source_kind kind)
{
	for (size_t i = 0; i < section->sources.count; i++)
		if (section->sources.items[i].kind == kind)
			return &section->sources.items[i];
	return NULL;
}

/* Finds the times for limits given as a time of day. */
static int find_moments(struct section *section)
{
	const struct profile_filter *filter = section->context.profile->filter;
	const struct trace_model *model = section->context.model;

	if ((filter->from_moment.kind && !profile_moment_of(model, &filter->from_moment, &section->from)) ||
	    (filter->to_moment.kind && !profile_moment_of(model, &filter->to_moment, &section->to)))
		return log_error(EINVAL, "the trace has no time of day; give --time in seconds from the start");
	return 0;
}

int section_init(struct section *section, struct profile *profile, struct trace_model *model)
{
	int r;

	*section = (struct section){
		.context = {.profile = profile, .model = model},
		.from = shifted(model->start, profile->filter->from),
		.to = shifted(model->start, profile->filter->to),
		.first_walk = profile->walks.count,
		.recording = NO_NUMBER,
		.ordinal = profile->sections_read++,
	};
	if (profile->filter->from == 0)
		section->from = 0;
	r = find_moments(section);
	if (r < 0)
		return r;
	profile_note_part(profile, model, section->from, section->to);
	r = chain_context_init(&section->context, profile, model);
	return r < 0 ? r : bind_sources(section);
}

void section_deinit(struct section *section)
{
	for (size_t i = 0; i < STREAM_OPEN_MAX; i++) {
		chain_cache_deinit(&section->slots[i].chains);
		free(section->slots[i].tasks);
	}
	array_free(&section->sources);
	array_free(&section->probes);
	chain_context_deinit(&section->context);
}

/* --- mapping of a chunk's numbers --- */

static int slot_reset(struct section_slot *slot, const struct stream_event *event)
{
	size_t nodes, room = slot->task_room;
	int r = slot->serial ? 0 : chain_cache_init(&slot->chains);

	if (r < 0)
		return r;
	slot->serial = event->serial;
	slot->nodes = event_decoder_nodes(event->batch->decoder, &nodes);
	if (slot->tasks)
		memset(slot->tasks, 0, room * sizeof(*slot->tasks));
	return chain_cache_reset(&slot->chains, nodes);
}

int section_slot(struct section *section, const struct stream_event *event, struct section_slot **ret_slot)
{
	struct section_slot *slot = &section->slots[event->slot];
	int r = slot->serial == event->serial ? 0 : slot_reset(slot, event);

	if (r < 0)
		return r;
	section->context.cache = &slot->chains;
	section->context.nodes = slot->nodes;
	*ret_slot = slot;
	return 0;
}

uint32_t section_scope(const struct section *section)
{
	const uint32_t apart = 1U << 31;

	return section->recording != NO_NUMBER ? section->recording : apart | section->ordinal;
}

static int find_cgroup(struct section *section, uint64_t id, const struct profile_cgroup **ret_cgroup)
{
	int r = id == section->last.id ? 0 :
		profile_intern_cgroup(section->context.profile, section->context.model, id, &section->last.cgroup);

	section->last.id = r < 0 ? 0 : id;
	*ret_cgroup = section->last.id ? section->last.cgroup : NULL;
	return r;
}

static int find_task(struct section *section, const struct event_task *task, uint64_t time,
		     struct task_binding *binding)
{
	struct profile *profile = section->context.profile;
	const struct profile_cgroup *cgroup;
	int r = find_cgroup(section, task->cgroup, &cgroup);

	if (!r)
		r = profile_intern_task(profile, section->context.host, task, cgroup, &binding->task);
	if (!r)
		r = timeline_process(section->context.timeline, task->tgid, &binding->process);
	if (!r)
		r = profile_note_comm(profile, section_scope(section), &profile->tasks.items[binding->task],
				      binding->task, time);
	if (r < 0)
		return r;
	binding->wanted = profile->task_wanted.items[binding->task];
	binding->known = true;
	return 0;
}

int section_task(struct section *section, struct section_slot *slot,
		 const struct stream_event *event, uint32_t number,
		 const struct task_binding **ret_binding)
{
	const struct event_task *task = event_decoder_task(event->batch->decoder, number);
	size_t room = slot->task_room;
	int r = 0;

	*ret_binding = NULL;
	if (!task)
		return 0;
	if (array_reserve_raw((void **)&slot->tasks, &slot->task_room, (size_t)number + 1,
			      sizeof(*slot->tasks)) < 0)
		return -ENOMEM;
	if (slot->task_room > room)
		memset(slot->tasks + room, 0, (slot->task_room - room) * sizeof(*slot->tasks));
	if (!slot->tasks[number].known)
		r = find_task(section, task, event->event->time, &slot->tasks[number]);
	*ret_binding = &slot->tasks[number];
	return r;
}

int section_owner(struct section *section, struct section_slot *slot, const struct stream_event *event,
		  uint32_t number, bool reads, uint32_t *owner, uint8_t *held)
{
	const struct task_binding *found;
	int r = number ? section_task(section, slot, event, number, &found) : 0;

	if (r < 0 || !number || !found)
		return r;
	*owner = found->task;
	*held |= HELD_BY_OWNER | (reads ? HELD_BY_READER : 0);
	return 0;
}

/* --- what is requested --- */

bool section_wants_cpu(const struct section *section, uint64_t cpu)
{
	const struct profile_filter *filter = section->context.profile->filter;

	return !filter->cpus || (cpu < filter->cpu_bits && filter->cpus[cpu / 64] >> (cpu % 64) & 1);
}

bool section_wants(const struct section *section, uint64_t time, uint32_t cpu)
{
	return time >= section->from && time <= section->to && section_wants_cpu(section, cpu);
}

void section_judge(const struct section *section, enum profile_source_kind kind)
{
	section->context.profile->quality = &section->context.profile->qualities[kind];
}

void section_count(const struct section *section, uint64_t time)
{
	struct profile_quality *quality = section->context.profile->quality;

	quality->samples++;
	quality->unsure += unsure_times_hold(&section->context.model->unsure_times, time);
}
