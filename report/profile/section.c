/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <fnmatch.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "report/profile/profile_internal.h"
#include "report/read/progress.h"

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

static int init_section(struct section *section, struct profile *profile, struct trace_model *model)
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
	profile_set_part(profile, model, section->from, section->to);
	r = chain_context_init(&section->context, profile, model);
	return r < 0 ? r : bind_sources(section);
}

static void section_deinit(struct section *section)
{
	section_waits_deinit(section->waits);
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
		r = profile_add_comm(profile, section_scope(section), &profile->tasks.items[binding->task],
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

void section_count(const struct section *section, enum profile_source_kind kind, uint64_t time,
		   const struct stack *stack)
{
	struct profile_quality *quality = &section->context.profile->qualities[kind];

	quality->samples++;
	quality->unsure += unsure_times_hold(&section->context.model->unsure_times, time);
	stack_count(stack, quality);
}

/* --- probes --- */

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

/* The binding of the sample's probe; NULL if it has none, or one that the section does not list for its source. */
static struct probe_binding *probe_of(const struct section *section, const struct batch_sample *sample)
{
	const struct trace_model *model = section->context.model;
	const struct trace_probe *probe = sample->probe ? trace_model_probe(model, sample->probe) : NULL;
	struct probe_binding *binding = probe ? &section->probes.items[probe - model->probes.items] : NULL;

	return binding && binding->source == sample->source && binding->probe != PROFILE_NO_PROBE ?
	       binding : NULL;
}

/* Whether --probe selects the sample. */
static bool probe_is_wanted(const struct section *section, const struct source_binding *source,
				 const struct probe_binding *probe)
{
	const struct profile *profile = section->context.profile;

	if (!profile->filter->probe_count)
		return true;
	if (probe)
		return profile->probe_wanted.items[probe->probe];
	return name_is_wanted(profile->filter, profile->sources.items[source->source].name);
}

/* The function that a sample of the source is about; NULL if it does not appear in call chains. */
static const char *traced_function(const struct section *section, const struct source_binding *source,
				    const struct probe_binding *probe)
{
	const struct profile *profile = section->context.profile;

	if (source->kind != PROFILE_KFUNC)
		return NULL;
	return probe ? profile->probes.items[probe->probe].name : profile->sources.items[source->source].name;
}

/* --- samples --- */

static int find_origin(struct profile *profile, struct event_origin origin, uint32_t *origin_number)
{
	if (*origin_number != NO_NUMBER)
		return 0;
	if (profile->origins.count >= NO_NUMBER - 1 || array_push(&profile->origins, origin) < 0)
		return -ENOMEM;
	*origin_number = (uint32_t)(profile->origins.count - 1);
	return 0;
}

/* Keeps a sample with the entry that it was added to. -ENOMEM. */
static int store_sample(struct section *section, const struct stream_event *event,
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

/* --- its recording --- */

/* When the last source stopped; if the recorder was killed, the time of the last write. */
static uint64_t stop_of(const struct trace_model *model)
{
	for (size_t i = 0; i < model->sources.count; i++)
		if (model->sources.items[i].event.stop <= model->sources.items[i].event.start)
			return model->last_time;
	return model->stop;
}

static struct profile_recording describe(const struct section *section)
{
	const struct trace_model *model = section->context.model;
	struct profile_recording recording = {.host = section->context.host, .start = model->start,
					      .stop = stop_of(model)};

	for (size_t i = 0; i < model->sources.count; i++) {
		const struct event_source *source = &model->sources.items[i].event;

		if (source->kind != SOURCE_OFFCPU)
			continue;
		recording.start = source->start;
		recording.stop = source->stop > source->start ? source->stop : model->last_time;
		recording.least_wait = source->least;
	}
	if (recording.stop < recording.start) /* the times in its chunk headers are wrong */
		recording.stop = recording.start;
	return recording;
}

/* Adds the section to the profile's recordings. -ENOMEM. */
static int add_recording(struct section *section)
{
	const struct source_binding *wakers = section_source_of(section, PROFILE_WAKERS);
	struct profile *profile = section->context.profile;
	const struct profile_recording recording = describe(section);
	const struct recording_notes notes = {
		.model = section->context.model,
		.from = recording.start > section->from ? recording.start : section->from,
		.to = recording.stop < section->to ? recording.stop : section->to,
		.wakers = wakers && wakers->wanted ? wakers->source : NO_NUMBER,
	};

	section->recording = (uint32_t)profile->recordings.count;
	if (array_push(&profile->recordings, recording) < 0)
		return -ENOMEM;
	return array_push(&profile->recording_notes, notes);
}

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
	return r < 0 || !(profile->filter->needs & PROFILE_EACH_EVENT) ? r : store_sample(section, event, probe, entry);
}

/* The sample has passed all filters except those for its task. */
static int read_sample(struct section *section, const struct stream_event *event,
		       const struct source_binding *source, struct probe_binding *probe)
{
	struct profile *profile = section->context.profile;
	const struct batch_sample *sample = &event->batch->samples.items[event->event->index];
	const struct stack_record record = {
		.kernel_truncated = sample->flags & SAMPLE_KERNEL_TRUNCATED,
		.user_truncated = sample->flags & SAMPLE_USER_TRUNCATED,
		.user_missing = sample->flags & SAMPLE_USER_MISSING,
		.reason = sample->missing,
	};
	const char *traced = traced_function(section, source, probe);
	struct profile_entry entry = {.source = source->source, .samples = 1};
	const struct task_binding *task;
	struct section_slot *slot;
	struct stack stack;
	int r = section_slot(section, event, &slot);

	if (!r)
		r = section_task(section, slot, event, sample->task, &task);
	if (r < 0 || !task || !task->wanted)
		return r;
	r = stack_user(&section->context, task->process, sample->user, sample->snapshot, &stack);
	if (!r)
		r = stack_kernel(&section->context, sample->kernel, source->kind != PROFILE_CPU, traced, &stack);
	if (r < 0)
		return r;
	stack_describe(&stack, &record);
	section_count(section, source->kind, event->event->time, &stack);
	entry.node = stack.node;
	entry.task = task->task;
	entry.cpu = cpu_of(profile, sample);
	entry.flags = (uint16_t)(half_of(profile, source, event->event->time) | stack.flags);
	entry.weight = weigh(profile, source, sample);
	return count_sample(section, event, probe, &entry);
}

static int add_sample(struct section *section, const struct stream_event *event)
{
	struct profile *profile = section->context.profile;
	const struct batch_sample *sample = &event->batch->samples.items[event->event->index];
	const struct source_binding *source = section_source(section, sample->source);
	struct probe_binding *probe = probe_of(section, sample);

	profile->qualities[PROFILE_SOURCE_KINDS].unknown_source += !source;
	if (probe)
		profile->probes.items[probe->probe].events++;
	if (!source || !source->wanted || !section_wants(section, event->event->time, sample->cpu) ||
	    !probe_is_wanted(section, source, probe))
		return 0;
	return read_sample(section, event, source, probe);
}

/* --- reading --- */

/* What the kernel's records say about the names of processes. */
static int add_comms(struct section *section)
{
	const struct trace_model *model = section->context.model;
	int r = 0;

	for (size_t i = 0; i < model->comms.count && !r; i++) {
		const struct trace_comm *comm = &model->comms.items[i];
		const struct profile_task first = {.tgid = comm->tgid, .tid = comm->tgid, .comm = comm->comm};

		if (comm->comm)
			r = profile_add_comm(section->context.profile, section_scope(section), &first,
					     PROFILE_NO_TASK, comm->time);
		else
			r = profile_add_birth(section->context.profile, section_scope(section), comm->tgid,
					      comm->time);
	}
	return r;
}

/* The section must be deinited on failure, too. -EINVAL after reporting that the trace has no time of day; -ENOMEM. */
static int begin(struct section *section, struct profile *profile, struct trace_model *model)
{
	const struct source_binding *waits, *wakers;
	int r = init_section(section, profile, model);

	for (size_t i = 0; i < model->probes.count && !r; i++)
		r = bind_probe(section, &model->probes.items[i]);
	if (r < 0)
		return r;
	waits = section_source_of(section, PROFILE_OFFCPU);
	wakers = section_source_of(section, PROFILE_WAKERS);
	if (waits || profile->filter->needs & (PROFILE_EACH_EVENT | PROFILE_EACH_RECORDING))
		r = add_recording(section);
	if (!r && waits && (waits->wanted || (wakers && wakers->wanted)))
		r = section_waits_init(section);
	return r < 0 ? r : add_comms(section);
}

static int add_event(void *data, const struct stream_event *event)
{
	static int (*const adders[])(struct section *, const struct stream_event *) = {
		[EVENT_SAMPLE] = add_sample,
		[EVENT_WALK] = section_add_walk,
		[EVENT_WALK_TASK] = section_add_walk_task,
		[EVENT_WAIT] = section_add_wait,
		[EVENT_WAKE] = section_add_wake,
		[EVENT_USER_STACK] = section_add_user_stack,
		[EVENT_WAIT_SUMS] = section_add_wait_sums,
	};
	uint32_t kind = event->event->kind;

	return kind < sizeof(adders) / sizeof(adders[0]) && adders[kind] ? adders[kind](data, event) : 0;
}

static void cleanup_stream(struct event_stream **stream)
{
	event_stream_destroy(*stream);
}

int profile_each_event(struct profile *profile, struct trace_model *model, const char *phase,
		       int (*handle)(void *data, const struct stream_event *event), void *data)
{
	enum { STEP = 256 };
	_cleanup_(cleanup_stream) struct event_stream *stream = NULL;
	struct profile_reading *reading = &profile->reading;
	struct stream_event event;
	int r = event_stream_create(model->file, model->section, &stream);

	if (r < 0)
		return r;
	for (uint64_t count = 0; (r = event_stream_next(stream, &event)) > 0; count++) {
		reading->cut = count % STEP == 0 &&
			       progress_step(profile->names.progress, phase, model->file->path,
					     reading->done + event_stream_done(stream), reading->whole);
		r = reading->cut ? 0 : timeline_advance(&model->timeline, event.event->time);
		if (!r && !reading->cut)
			r = handle(data, &event);
		if (r < 0 || reading->cut)
			break;
	}
	event_stream_add_totals(stream, &profile->stream_totals);
	reading->done += event_stream_done(stream);
	return r;
}

int section_read(struct profile *profile, struct trace_model *model)
{
	_cleanup_(section_deinit) struct section section;
	int r = begin(&section, profile, model);

	if (!r)
		r = profile_each_event(profile, model, section.context.unwinding ? "unwinding" : "reading", add_event,
				       &section);
	if (!r)
		r = section_finish_waits(&section);
	timeline_release(&model->timeline);
	return r;
}
