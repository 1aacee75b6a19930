/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/point_events.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/membarrier.h>
#include <linux/types.h>

#include "bpf/ring_point.h"
#include "format/event_log.h"
#include "record/clocks.h"
#include "record/filter.h"
#include "record/points.h"
#include "record/probe.h"
#include "record/probe_points.h"
#include "record/ring_stacks.h"
#include "record/ring_task.h"
#include "record/snapshots.h"

static_assert((int)POINT_RAW_TRACEPOINT == HOOK_RAW_TRACEPOINT && (int)POINT_TRACEPOINT == HOOK_TRACEPOINT &&
		      (int)POINT_FENTRY == HOOK_FENTRY && (int)POINT_KPROBE == HOOK_KPROBE &&
		      (int)POINT_KPROBE_MULTI == HOOK_KPROBE_MULTI,
	      "the points' hooks are the format's");

int point_events_init(struct point_events *events)
{
	uint32_t cpus = events->recording->max_cpus;

	events->filtered = calloc((size_t)cpus * RECORD_MAX_POINTS, sizeof(*events->filtered));
	events->told = calloc(events->points->items.count + 1, sizeof(*events->told));
	return events->filtered && events->told ? 0 : -ENOMEM;
}

void point_events_deinit(struct point_events *events)
{
	free(events->filtered);
	free(events->told);
	events->filtered = events->told = NULL;
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

/* Programs that were already running tell of their hits until an RCU grace period is over. */
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

static bool is_hit(const struct point_events *events, const struct ring_hit *hit, size_t length)
{
	return length >= sizeof(*hit) && hit->head.cpu < events->recording->max_cpus && hit->point &&
	       hit->point <= events->points->items.count && hit->kernel_count <= RING_MAX_FRAMES &&
	       hit->user_count <= RING_MAX_FRAMES &&
	       length >= sizeof(*hit) + sizeof(uint64_t) * ((size_t)hit->kernel_count + hit->user_count);
}

void point_events_take(struct point_events *events, const struct ring_head *head, size_t length)
{
	struct recording *recording = events->recording;
	const struct ring_hit *hit = (const void *)head;
	struct event_sample sample = {.time = head->time, .cpu = head->cpu, .source = head->source};
	struct event_stacks stacks;
	struct event_task task;
	int r;

	if (!is_hit(events, hit, length)) {
		events->refused++;
		return;
	}
	task = ring_task_event(&hit->task);
	if (!filter_wants(events->filter, task.comm)) {
		events->filtered[(head->source - events->first_source) % RECORD_MAX_POINTS * recording->max_cpus + head->cpu]++;
		return;
	}
	sample.probe = hit->point;
	sample.missing = ring_stacks_missing(hit->flags);
	stacks = ring_stacks_take(recording, &hit->task, (const uint64_t *)hit->frames, hit->kernel_count,
				  hit->user_count);
	sample.flags = ring_stacks_flags(hit->flags, hit->user_count, &stacks);
	if (events->snapshots && hit->flags & RING_SAMPLE_SNAPSHOT)
		sample.snapshot = snapshots_number(events->snapshots, head);
	r = event_log_add_sample(recording->log, &sample, &task, &stacks);
	events->refused += r == -EINVAL;
	if (r != -EINVAL && recording_check(recording, r) >= 0)
		ring_stacks_mark(recording, &hit->task, &stacks, sample.callers_known);
}

/* --- what there is to know about them --- */

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

		if (!point->hook || probe_point_hits(events->probe, i, &hits) < 0 || (!all && hits.hits == events->told[i]))
			continue;
		events->told[i] = hits.hits;
		event.probe_hits.hits = hits.hits;
		event.probe_hits.skipped = hits.skipped;
		if (events->points->sources[point->source].count == 1)
			event.probe_hits.missed = probe_points_missed(events->probe, point->source);
		(void)recording_check(recording, event_log_add(recording->log, &event));
	}
}
