/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/gather/section_recording.h"

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

static struct recording_notes take_notes(const struct section *section,
					 const struct profile_recording *recording)
{
	const struct source_binding *wakers = section_source_of(section, PROFILE_WAKERS);

	return (struct recording_notes){
		.model = section->context.model,
		.from = recording->start > section->from ? recording->start : section->from,
		.to = recording->stop < section->to ? recording->stop : section->to,
		.wakers = wakers && wakers->wanted ? wakers->source : NO_NUMBER,
	};
}

int section_begin_recording(struct section *section)
{
	struct profile *profile = section->context.profile;
	struct profile_recording recording = describe(section);
	int r = array_push(&profile->recordings, recording);

	if (!r)
		r = array_push(&profile->recording_notes, take_notes(section, &recording));
	section->recording = (uint32_t)(profile->recordings.count - 1);
	return r;
}
