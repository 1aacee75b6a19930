/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/tables/profile_moment.h"

#define DAY UINT64_C(86400000000000)

/* The last clock reading at or before a wall-clock time, else the first. If the clock was set back, the later match. */
static const struct event_clock *reading_at(const struct trace_model *model, uint64_t realtime)
{
	const struct event_clock *found = model->clocks.count ? model->clocks.items : NULL;

	for (size_t i = 1; i < model->clocks.count; i++)
		if (model->clocks.items[i].realtime <= realtime)
			found = &model->clocks.items[i];
	return found;
}

static bool wall_time(const struct trace_model *model, uint64_t realtime, uint64_t *ret_time)
{
	const struct event_clock *clock = reading_at(model, realtime);

	if (!clock)
		return false;
	if (realtime >= clock->realtime)
		return !__builtin_add_overflow(clock->time, realtime - clock->realtime, ret_time);
	*ret_time = clock->time > clock->realtime - realtime ? clock->time - (clock->realtime - realtime) : 0;
	return true;
}

/* The first such time of day that is not before the recording. If that is after its end: the one on its first day. */
static bool daytime(const struct trace_model *model, uint64_t since_midnight, uint64_t *ret_time)
{
	uint64_t start = trace_model_realtime(model, model->start),
		 stop = trace_model_realtime(model, model->stop);
	uint64_t wanted = start / DAY * DAY + since_midnight;

	if (!start)
		return false;
	if (wanted < start && wanted + DAY <= stop)
		wanted += DAY;
	return wall_time(model, wanted, ret_time);
}

bool profile_moment_of(const struct trace_model *model, const struct profile_moment *moment,
		       uint64_t *ret_time)
{
	switch (moment->kind) {
	case PROFILE_MOMENT_OFFSET:
		return !__builtin_add_overflow(model->start, moment->ns, ret_time);
	case PROFILE_MOMENT_WALL:
		return wall_time(model, moment->ns, ret_time);
	case PROFILE_MOMENT_DAYTIME:
		return daytime(model, moment->ns, ret_time);
	default:
		return false;
	}
}

bool profile_moment_time(const struct profile *profile, uint32_t recording,
			 const struct profile_moment *moment, uint64_t *ret_time)
{
	/* Reports print offsets from when waits began to be recorded: other sources may have begun earlier. */
	if (moment->kind == PROFILE_MOMENT_OFFSET)
		return !__builtin_add_overflow(profile->recordings.items[recording].start, moment->ns, ret_time);
	return profile_moment_of(profile->recording_notes.items[recording].model, moment, ret_time);
}

uint64_t profile_realtime(const struct profile *profile, uint32_t recording, uint64_t time)
{
	return trace_model_realtime(profile->recording_notes.items[recording].model, time);
}
