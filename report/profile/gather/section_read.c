/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/gather/section_read.h"

#include "common/cleanup.h"
#include "report/profile/gather/section_probes.h"
#include "report/profile/gather/section_recording.h"
#include "report/profile/gather/section_samples.h"
#include "report/profile/gather/section_wait_chains.h"
#include "report/profile/gather/section_waits.h"
#include "report/profile/gather/section_walks.h"
#include "report/profile/tables/profile_processes.h"
#include "report/read/progress.h"

static int begin_recording(struct section *section)
{
	const struct source_binding *waits = section_source_of(section, PROFILE_OFFCPU);
	const struct source_binding *wakers = section_source_of(section, PROFILE_WAKERS);
	const struct profile_filter *filter = section->context.profile->filter;
	int r = 0;

	if (waits || filter->needs & (PROFILE_EACH_EVENT | PROFILE_EACH_RECORDING))
		r = section_begin_recording(section);
	if (!r && waits && (waits->wanted || (wakers && wakers->wanted)))
		r = section_waits_init(section);
	return r;
}

/* What the kernel's records say about the names of processes. */
static int note_comms(struct section *section)
{
	const struct trace_model *model = section->context.model;
	int r = 0;

	for (size_t i = 0; i < model->comms.count && !r; i++) {
		const struct trace_comm *comm = &model->comms.items[i];
		const struct profile_task first = {.tgid = comm->tgid, .tid = comm->tgid, .comm = comm->comm};

		r = profile_note_comm(section->context.profile, section_scope(section), &first, PROFILE_NO_TASK,
				      comm->time);
	}
	return r;
}

static int begin(struct section *section, struct profile *profile, struct trace_model *model)
{
	int r = section_init(section, profile, model);

	if (!r)
		r = section_bind_probes(section);
	if (!r)
		r = begin_recording(section);
	return r < 0 ? r : note_comms(section);
}

static void cleanup_section(struct section *section)
{
	section_waits_deinit(section->waits);
	section_deinit(section);
}

typedef int adder(struct section *section, const struct stream_event *event);

static int add_event(struct section *section, const struct stream_event *event)
{
	static adder *const adders[] = {
		[EVENT_SAMPLE] = section_add_sample,
		[EVENT_WALK] = section_add_walk,
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

/* Whether Ctrl-C stops the reading before the current event is processed. */
static bool is_stopped(const struct section *section, const struct event_stream *stream)
{
	const char *phase = section->context.unwinding ? "unwinding" : "reading";
	struct profile *profile = section->context.profile;
	uint64_t done = profile->reading.done + event_stream_done(stream);

	profile->reading.cut = progress_step(profile->names.progress, phase,
					     section->context.model->file->path, done,
					     profile->reading.whole);
	return profile->reading.cut;
}

static int read_events(struct section *section, struct event_stream *stream)
{
	enum { STEP = 256 };
	struct stream_event event;
	uint64_t count = 0;
	int r;

	while ((r = event_stream_next(stream, &event)) > 0) {
		if (count++ % STEP == 0 && is_stopped(section, stream))
			return 0;
		r = timeline_advance(section->context.timeline, event.event->time);
		if (!r)
			r = add_event(section, &event);
		if (r < 0)
			return r;
	}
	return r;
}

int section_read(struct profile *profile, struct trace_file *file, struct trace_model *model)
{
	_cleanup_(cleanup_section) struct section section;
	_cleanup_(cleanup_stream) struct event_stream *stream = NULL;
	int r = begin(&section, profile, model);

	if (!r)
		r = event_stream_create(file, model->section, &stream);
	if (!r)
		r = read_events(&section, stream);
	if (!r)
		r = section_finish_waits(&section);
	if (stream) {
		add_totals(&profile->stream_totals, stream);
		profile->reading.done += event_stream_done(stream);
	}
	timeline_release(&model->timeline);
	return r;
}
