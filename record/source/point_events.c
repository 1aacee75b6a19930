/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/point_events.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/membarrier.h>
#include <linux/types.h>

#include "format/event_log.h"
#include "record/machine/clocks.h"
#include "record/plan/filter.h"
#include "record/probe/points.h"
#include "record/probe/probe.h"
#include "record/probe/probe_points.h"
#include "record/source/ring_sample.h"
#include "record/source/ring_stacks.h"
#include "record/source/ring_task.h"

static_assert((int)POINT_RAW_TRACEPOINT == HOOK_RAW_TRACEPOINT && (int)POINT_TRACEPOINT == HOOK_TRACEPOINT &&
		      (int)POINT_FENTRY == HOOK_FENTRY && (int)POINT_KPROBE == HOOK_KPROBE &&
		      (int)POINT_KPROBE_MULTI == HOOK_KPROBE_MULTI,
	      "the points' hooks are the format's");

int point_events_init(struct point_events *events)
{
	uint32_t cpus = events->recording->max_cpus;

	events->filtered = calloc((size_t)cpus * RECORD_MAX_POINTS, sizeof(*events->filtered));
	events->whole = calloc((size_t)cpus * RECORD_MAX_POINTS, sizeof(*events->whole));
	events->told = calloc(events->points->items.count + 1, sizeof(*events->told));
	return events->filtered && events->whole && events->told ? 0 : -ENOMEM;
}

void point_events_deinit(struct point_events *events)
{
	free(events->filtered);
	free(events->whole);
	free(events->told);
	events->filtered = events->whole = events->told = NULL;
}

void point_events_start(struct point_events *events, uint64_t now)
{
	for (uint32_t i = 0; events->points && i < events->points->source_count; i++) {
		events->start[i] = now;
		probe_points_arm(events->probe, i, true);
	}
}

static bool is_running(const struct point_events *events, uint32_t source)
{
	return source < events->points->source_count && events->start[source] && !events->stop[source];
}

/* Programs that were already running still write hits until an RCU grace period is over. */
static void wait_for_programs(void)
{
	(void)syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

void point_events_stop(struct point_events *events, uint32_t first, uint32_t count)
{
	bool any = false;

	for (uint32_t i = first; i < first + count; i++) {
		if (!is_running(events, i))
			continue;
		probe_points_arm(events->probe, i, false);
		events->stop[i] = clocks_now();
		any = true;
	}
	if (any)
		wait_for_programs();
}

static bool is_hit(const struct point_events *events, const struct ring_sample *raw, size_t length)
{
	return ring_sample_is_sound(raw, length, events->recording->max_cpus) && raw->point &&
	       raw->point <= events->points->items.count;
}

void point_events_take(struct point_events *events, const struct ring_head *head, size_t length)
{
	const uint32_t cpus = events->recording->max_cpus;
	const struct ring_sample *raw = (const void *)head;
	struct event_sample sample = {0};
	struct event_task task;
	size_t place;

	if (!is_hit(events, raw, length)) {
		events->refused++;
		return;
	}
	task = ring_task_event(events->recording, &raw->task);
	place = (size_t)((head->source - events->first_source) % RECORD_MAX_POINTS) * cpus + head->cpu;
	if (filter_wants(events->filter, task.comm)) {
		sample.probe = (uint32_t)raw->point;
		events->refused += ring_sample_add(events->recording, events->snapshots, raw, &task,
						   &sample) == -EINVAL;
	} else {
		events->filtered[place]++;
	}
	events->whole[place] += ring_sample_is_whole(raw, &sample);
}

/* --- records about sources and points --- */

static struct event_text text_of(const char *text)
{
	return (struct event_text){text, (uint32_t)strlen(text)};
}

static void tell_source(struct point_events *events, uint32_t number)
{
	struct recording *recording = events->recording;
	const struct record_point *asked = events->points->sources[number].asked;
	struct event event = {
		.kind = EVENT_SOURCE,
		.source = {
			.id = events->first_source + number,
			.kind = asked->function ? SOURCE_KFUNC : SOURCE_TRACEPOINT,
			.weight = WEIGHT_COUNT,
			.name = {asked->text, (uint32_t)asked->length},
			.start = events->start[number],
			.stop = events->stop[number] ? events->stop[number] : events->start[number],
			.flags = ring_stacks_source_flags(recording->config),
		},
	};

	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static void tell_probe(struct point_events *events, uint32_t number)
{
	struct recording *recording = events->recording;
	const struct point *point = &events->points->items.items[number - 1];
	char text[256];
	struct event event = {
		.kind = EVENT_PROBE,
		.probe = {.id = number, .source = events->first_source + point->source, .hook = point->hook},
	};

	if (!point->hook)
		return;
	event.probe.name = text_of(point_text(point, text));
	(void)recording_check(recording, event_log_add(recording->log, &event));
}

void point_events_tell_sources(struct point_events *events)
{
	for (uint32_t i = 0; i < events->points->source_count; i++)
		tell_source(events, i);
	for (uint32_t i = 1; i <= events->points->items.count; i++)
		tell_probe(events, i);
}

void point_events_tell_hits(struct point_events *events, uint64_t now, bool all)
{
	struct recording *recording = events->recording;

	for (uint32_t i = 1; i <= events->points->items.count; i++) {
		const struct point *point = &events->points->items.items[i - 1];
		struct event event = {.kind = EVENT_PROBE_HITS, .probe_hits = {.time = now, .probe = i}};
		struct ring_point_hits hits;

		if (!point->hook || probe_point_hits(events->probe, i, &hits) < 0 ||
		    (!all && hits.hits == events->told[i]))
			continue;
		events->told[i] = hits.hits;
		event.probe_hits.hits = hits.hits;
		event.probe_hits.skipped = hits.skipped;
		if (events->points->sources[point->source].count == 1)
			event.probe_hits.missed = probe_points_missed(events->probe, point->source);
		(void)recording_check(recording, event_log_add(recording->log, &event));
	}
}
