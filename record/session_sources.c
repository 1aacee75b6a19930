/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Writes to the trace what was recorded: once at the start, and again when a source ends. */
#include "format/event_log.h"
#include "record/session_internal.h"
#include "record/source/ring_stacks.h"

static struct event_source cpu_source(const struct session *session)
{
	static const struct event_text cycles = {"cycles", 6}, cpu_clock = {"cpu-clock", 9};
	const struct perf_events *events = &session->events;
	struct event_source source = {
		.id = SOURCE_ID_CPU,
		.kind = SOURCE_CPU,
		.weight = events->software ? WEIGHT_NS : WEIGHT_CYCLES,
		.name = events->software ? cpu_clock : cycles,
		.frequency = events->frequency,
		.period = events->period,
		.start = session->cpu_span.start,
		.stop = session->cpu_span.stop ? session->cpu_span.stop : session->cpu_span.start,
	};

	source.flags |= ring_stacks_source_flags(session->config);
	if (events->fallback)
		source.flags |= SOURCE_SOFTWARE_FALLBACK;
	return source;
}

static struct event_source waits_source(const struct session *session, uint32_t id)
{
	static const struct event_text waits = {"sched_switch", 12}, wakers = {"sched_waking", 12};
	const struct session_span *span = &session->waits_span;

	return (struct event_source){
		.id = id,
		.kind = id == SOURCE_ID_WAKERS ? SOURCE_WAKERS : SOURCE_OFFCPU,
		.weight = WEIGHT_NS,
		.name = id == SOURCE_ID_WAKERS ? wakers : waits,
		.start = span->start,
		.stop = span->stop ? span->stop : span->start,
		.flags = ring_stacks_source_flags(session->config),
		.least = (uint64_t)session->config->offcpu.least,
		.most = (uint64_t)session->config->offcpu.most,
	};
}

static struct event_source tasks_source(const struct session *session, uint64_t stop)
{
	return (struct event_source){
		.id = SOURCE_ID_TASKS,
		.kind = SOURCE_TASKS,
		.weight = WEIGHT_COUNT,
		.name = {"tasks", 5},
		.start = session->recording.start,
		.stop = stop ? stop : session->recording.start,
		.flags = ring_stacks_source_flags(session->config),
	};
}

static void tell_source(struct session *session, struct event_source source)
{
	struct event event = {.kind = EVENT_SOURCE, .source = source};

	(void)recording_check(&session->recording, event_log_add(session->recording.log, &event));
}

void session_tell_sources(struct session *session)
{
	const struct record_config *config = session->config;

	if (config->profile.wanted)
		tell_source(session, cpu_source(session));
	if (config->offcpu.wanted)
		tell_source(session, waits_source(session, SOURCE_ID_OFFCPU));
	if (config->offcpu.wakers)
		tell_source(session, waits_source(session, SOURCE_ID_WAKERS));
	if (config->points.count)
		point_events_tell_sources(&session->point_events);
	if (config->walk.wanted)
		tell_source(session, tasks_source(session, session->walks_stop));
}
