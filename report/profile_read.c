/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "report/profile_internal.h"
#include "report/profile_events_read.h"
#include "report/profile_waits_read.h"
#include "report/read/progress.h"

/* --- what a section's numbers mean in the profile --- */

static bool has_probes(enum profile_source_kind kind)
{
	return kind == PROFILE_TRACEPOINT || kind == PROFILE_KFUNC;
}

static int bind_sources(struct section *section)
{
	const struct trace_model *model = section->context.model;

	for (size_t i = 0; i < model->sources.count; i++) {
		const struct trace_source *source = &model->sources.items[i];
		struct source_binding binding = {.period = source->event.period, .origin = NO_NUMBER};
		struct profile *profile = section->context.profile;
		uint32_t kinds = profile->filter->sources;
		int r = profile_intern_source(profile, model, source, &binding.source);

		if (r < 0)
			return r;
		binding.kind = profile->sources.items[binding.source].kind;
		binding.wanted = binding.kind < PROFILE_SOURCE_KINDS && (!kinds || kinds >> binding.kind & 1) &&
				 (!profile->filter->probe_count || has_probes(binding.kind));
		profile->sources.items[binding.source].left_out = binding.kind < PROFILE_SOURCE_KINDS && !binding.wanted;
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

static uint64_t shifted(uint64_t start, uint64_t offset)
{
	uint64_t sum;

	return __builtin_add_overflow(start, offset, &sum) ? UINT64_MAX : sum;
}

/* Where a limit was given as a time of day. */
static int find_moments(struct section *section)
{
	const struct profile_filter *filter = section->context.profile->filter;
	const struct trace_model *model = section->context.model;

	if ((filter->from_moment.kind && !profile_moment_of(model, &filter->from_moment, &section->from)) ||
	    (filter->to_moment.kind && !profile_moment_of(model, &filter->to_moment, &section->to)))
		return log_error(EINVAL, "the trace does not tell what time of day it was; --time takes seconds from its start too");
	return 0;
}

static int begin_recording(struct section *section)
{
	const struct source_binding *waits = section_source_of(section, PROFILE_OFFCPU);
	const struct source_binding *wakers = section_source_of(section, PROFILE_WAKERS);
	int r = 0;

	if (waits || section->context.profile->filter->each_event)
		r = section_begin_recording(section);
	if (r == 0 && waits && (waits->wanted || (wakers && wakers->wanted)))
		r = section_waits_init(section);
	return r;
}

static int section_init(struct section *section, struct profile *profile, struct trace_model *model)
{
	int r;

	*section = (struct section){
		.context = {.profile = profile, .model = model},
		.from = shifted(model->start, profile->filter->from),
		.to = shifted(model->start, profile->filter->to),
		.first_walk = profile->walks.count,
		.recording = NO_NUMBER,
	};
	if (profile->filter->from == 0)
		section->from = 0;
	r = find_moments(section);
	if (r < 0)
		return r;
	r = chain_context_init(&section->context, profile, model);
	if (r == 0)
		r = bind_sources(section);
	if (r == 0)
		r = section_bind_probes(section);
	return r < 0 ? r : begin_recording(section);
}

static void section_deinit(struct section *section)
{
	for (size_t i = 0; i < STREAM_OPEN_MAX; i++) {
		chain_cache_deinit(&section->slots[i].chains);
		free(section->slots[i].tasks);
	}
	array_free(&section->sources);
	array_free(&section->probes);
	section_waits_deinit(section->waits);
	chain_context_deinit(&section->context);
}

/* --- what a chunk's numbers mean --- */

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

static int find_task(struct section *section, const struct event_task *task, struct task_place *place)
{
	struct profile *profile = section->context.profile;
	struct timeline *timeline = (struct timeline *)&section->context.model->timeline;
	int r = profile_intern_task(profile, section->context.host, task, &place->task);

	if (r == 0)
		r = timeline_process(timeline, task->tgid, &place->process);
	if (r < 0)
		return r;
	place->wanted = profile->task_wanted.items[place->task];
	place->known = true;
	return 0;
}

int section_task(struct section *section, struct section_slot *slot, const struct stream_event *event, uint32_t number,
		 const struct task_place **ret_place)
{
	const struct event_task *task = event_decoder_task(event->batch->decoder, number);
	size_t room = slot->task_room;
	int r = 0;

	*ret_place = NULL;
	if (!task)
		return 0;
	if (array_reserve_raw((void **)&slot->tasks, &slot->task_room, (size_t)number + 1, sizeof(*slot->tasks)) < 0)
		return -ENOMEM;
	if (slot->task_room > room)
		memset(slot->tasks + room, 0, (slot->task_room - room) * sizeof(*slot->tasks));
	if (!slot->tasks[number].known)
		r = find_task(section, task, &slot->tasks[number]);
	*ret_place = &slot->tasks[number];
	return r;
}

/* --- samples --- */

bool section_wants(const struct section *section, uint64_t time, uint32_t cpu)
{
	const struct profile_filter *filter = section->context.profile->filter;

	if (time < section->from || time > section->to)
		return false;
	return !filter->cpus || (cpu < filter->cpu_bits && filter->cpus[cpu / 64] >> (cpu % 64) & 1);
}

static int make_chain(struct section *section, const struct batch_sample *sample, const struct task_place *task,
		      struct profile_entry *entry, bool *ret_unwound)
{
	const struct profile_filter *filter = section->context.profile->filter;
	struct profile_quality *quality = &section->context.profile->quality;
	struct user_chain user = {.known = true};
	bool stripped = false;
	int r = 0;

	if (!filter->kernel_only)
		r = chain_user_of(&section->context, task->process, sample->user, sample->snapshot, &user);
	entry->node = user.node;
	*ret_unwound = filter->kernel_only ? sample->snapshot : user.verdict.unwound;
	if (r == 0 && sample->kernel >= STACK_FIRST_NODE && !filter->user_only)
		r = chain_kernel(&section->context, user.node, sample->kernel, &entry->node, &stripped);
	quality->trimmed += user.trimmed;
	quality->no_maps += !user.known;
	quality->stripped += stripped && !section->context.strip_entry; /* else it is how all of them were made */
	return r;
}

static uint32_t take_flags(struct profile_quality *quality, const struct batch_sample *sample, bool unwound)
{
	uint32_t flags = 0;

	quality->samples++;
	if (sample->flags & SAMPLE_KERNEL_TRUNCATED) {
		flags |= CHAIN_KERNEL_TRUNCATED;
		quality->kernel_truncated++;
	}
	if (sample->flags & SAMPLE_USER_TRUNCATED && !unwound) {
		flags |= CHAIN_USER_TRUNCATED;
		quality->user_truncated++;
	}
	if ((sample->flags & SAMPLE_USER_MISSING) && !unwound && sample->missing != USER_MISSING_KERNEL_THREAD) {
		flags |= CHAIN_USER_MISSING;
		quality->user_fault += sample->missing != USER_MISSING_EXITING;
		quality->user_exiting += sample->missing == USER_MISSING_EXITING;
	}
	return flags;
}

/* In the source's unit: the period the sample carries, else the nominal one, else each counts one. */
static uint64_t weigh(struct profile *profile, const struct source_binding *source, const struct batch_sample *sample)
{
	uint64_t weight = sample->flags & SAMPLE_HAS_PERIOD ? sample->period : source->period;

	if (!weight)
		return 1;
	profile->source_notes.items[source->source].periods = true;
	return weight;
}

static int count_sample(struct section *section, const struct stream_event *event, struct probe_binding *probe,
			const struct profile_entry *entry)
{
	struct profile *profile = section->context.profile;
	struct profile_source *source = &profile->sources.items[entry->source];
	int r = profile_add_entry(profile, entry);

	source->samples++;
	source->weight += entry->weight;
	if (probe)
		profile->probes.items[probe->probe].samples++;
	return r < 0 || !profile->filter->each_event ? r : section_keep_sample(section, event, probe, entry);
}

/* What is known of the sample by now is that it is wanted, unless its task is not. */
static int take_sample(struct section *section, const struct stream_event *event, const struct source_binding *source,
		       struct probe_binding *probe)
{
	struct profile *profile = section->context.profile;
	const struct batch_sample *sample = &event->batch->samples.items[event->event->index];
	struct profile_entry entry = {.source = source->source, .samples = 1};
	const struct task_place *task;
	struct section_slot *slot;
	bool unwound;
	int r = section_slot(section, event, &slot);

	if (r == 0)
		r = section_task(section, slot, event, sample->task, &task);
	if (r < 0 || !task || !task->wanted)
		return r;
	section->context.strip_entry = source->kind != PROFILE_CPU;
	section->context.traced = section_traced_function(section, source, probe);
	r = make_chain(section, sample, task, &entry, &unwound);
	if (r < 0)
		return r;
	entry.task = task->task;
	entry.flags = take_flags(&profile->quality, sample, unwound);
	entry.weight = weigh(profile, source, sample);
	return count_sample(section, event, probe, &entry);
}

static int add_sample(struct section *section, const struct stream_event *event)
{
	struct profile *profile = section->context.profile;
	const struct batch_sample *sample = &event->batch->samples.items[event->event->index];
	const struct source_binding *source = section_source(section, sample->source);
	struct probe_binding *probe = section_probe(section, sample);

	profile->quality.unknown_source += !source;
	if (probe)
		profile->probes.items[probe->probe].events++;
	if (!source || !source->wanted || !section_wants(section, event->event->time, sample->cpu) ||
	    !section_wants_probe(section, source, probe))
		return 0;
	return take_sample(section, event, source, probe);
}

static int add_walk(struct section *section, const struct stream_event *event)
{
	return section_add_walk(section, &event->batch->walks.items[event->event->index]);
}

typedef int adder(struct section *section, const struct stream_event *event);

static int add_event(struct section *section, const struct stream_event *event)
{
	static adder *const adders[] = {
		[EVENT_SAMPLE] = add_sample,
		[EVENT_WALK] = add_walk,
		[EVENT_WALK_TASK] = section_add_walk_task,
		[EVENT_WAIT] = section_add_wait,
		[EVENT_WAKE] = section_add_wake,
		[EVENT_USER_STACK] = section_add_user_stack,
		[EVENT_WAIT_SUMS] = section_add_wait_sums,
	};
	uint32_t kind = event->event->kind;

	return kind < sizeof(adders) / sizeof(adders[0]) && adders[kind] ? adders[kind](section, event) : 0;
}

static void add_totals(struct stream_totals *sum, const struct event_stream *stream)
{
	struct stream_totals totals;

	event_stream_totals(stream, &totals);
	sum->unknown += totals.unknown;
	sum->malformed += totals.malformed;
	sum->damaged += totals.damaged;
	sum->out_of_order += totals.out_of_order;
}

static void cleanup_stream(struct event_stream **stream)
{
	event_stream_destroy(*stream);
}

/* Whether the event in hand, which is not read yet, is one too many. */
static bool is_stopped(const struct section *section, const struct event_stream *stream)
{
	const char *phase = section->context.unwinding ? "unwinding" : "reading";
	struct profile *profile = section->context.profile;
	uint64_t done = profile->reading.done + event_stream_done(stream);

	profile->reading.cut = progress_step(profile->names.progress, phase, section->context.model->file->path, done,
					     profile->reading.whole);
	return profile->reading.cut;
}

static int read_events(struct section *section, struct event_stream *stream)
{
	enum { STEP = 256 };
	struct timeline *timeline = (struct timeline *)&section->context.model->timeline;
	struct stream_event event;
	uint64_t count = 0;
	int r;

	while ((r = event_stream_next(stream, &event)) > 0) {
		if (count++ % STEP == 0 && is_stopped(section, stream))
			return 0;
		r = timeline_advance(timeline, event.event->time);
		if (r == 0)
			r = add_event(section, &event);
		if (r < 0)
			return r;
	}
	return r;
}

int profile_read_section(struct profile *profile, struct trace_file *file, struct trace_model *model)
{
	_cleanup_(section_deinit) struct section section;
	_cleanup_(cleanup_stream) struct event_stream *stream = NULL;
	int r = section_init(&section, profile, model);

	if (r == 0)
		r = event_stream_create(file, model->section, &stream);
	if (r == 0)
		r = read_events(&section, stream);
	if (r == 0)
		r = section_finish_waits(&section);
	if (stream) {
		add_totals(&profile->stream_totals, stream);
		profile->reading.done += event_stream_done(stream);
	}
	timeline_release(&model->timeline);
	return r;
}
