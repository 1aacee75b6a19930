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
#include "record/host/clocks.h"
#include "record/plan/filter.h"
#include "record/probe/points.h"
#include "record/probe/probe.h"
#include "record/source/drain.h"
#include "record/source/loss.h"
#include "record/source/ring_stacks.h"
#include "record/source/ring_task.h"
#include "record/source/samples.h"

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

static void point_events_start(struct point_events *events, uint64_t now)
{
	for (uint32_t i = 0; i < events->points->source_count; i++) {
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

static void point_events_stop(struct point_events *events, uint32_t first, uint32_t count)
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
	place = (size_t)((head->source - SOURCE_ID_POINTS) % RECORD_MAX_POINTS) * cpus + head->cpu;
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

static void describe_source(const struct point_events *events, uint32_t number)
{
	struct recording *recording = events->recording;
	const struct record_point *asked = events->points->sources[number].asked;
	struct event event = {
		.kind = EVENT_SOURCE,
		.source = {
			.id = SOURCE_ID_POINTS + number,
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

static void describe_probe(const struct point_events *events, uint32_t number)
{
	struct recording *recording = events->recording;
	const struct point *point = &events->points->items.items[number - 1];
	char text[256];
	struct event event = {
		.kind = EVENT_PROBE,
		.probe = {.id = number, .source = SOURCE_ID_POINTS + point->source, .hook = point->hook},
	};

	if (!point->hook)
		return;
	event.probe.name = text_of(point_text(point, text));
	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static void account_hits(struct point_events *events, const struct loss *loss)
{
	struct recording *recording = events->recording;

	for (uint32_t i = 1; i <= events->points->items.count; i++) {
		const struct point *point = &events->points->items.items[i - 1];
		struct event event = {.kind = EVENT_PROBE_HITS, .probe_hits = {.time = loss->time, .probe = i}};
		struct ring_point_hits hits;

		if (!point->hook || probe_point_hits(events->probe, i, &hits) < 0 ||
		    (!loss->all && hits.hits == events->told[i]))
			continue;
		events->told[i] = hits.hits;
		event.probe_hits.hits = hits.hits;
		event.probe_hits.skipped = hits.skipped;
		if (events->points->sources[point->source].count == 1)
			event.probe_hits.missed = probe_points_missed(events->probe, point->source);
		(void)recording_check(recording, event_log_add(recording->log, &event));
	}
}

static void account_source(struct point_events *events, struct loss *loss, uint32_t number)
{
	struct ring_point_source *now = (struct ring_point_source *)loss->now;
	uint32_t cpus = loss->recording->max_cpus, source = SOURCE_ID_POINTS + number;
	uint64_t missed = probe_points_missed(events->probe, number);

	static_assert(sizeof(*now) <= sizeof(*loss->now), "there is room for them");
	loss_add(loss, source, 0, LOSS_RECURSION, missed);
	loss->lost += missed;
	if (probe_point_counters(events->probe, number, now) < 0)
		return;
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		uint64_t filtered = events->filtered[number * cpus + cpu];

		now[cpu].counters[RING_COUNT_TRUNCATED] -= events->whole[number * cpus + cpu];
		now[cpu].counters[RING_COUNT_RECORDED] -= filtered;
		now[cpu].counters[RING_COUNT_FILTERED] += filtered;
		loss->run_ns += now[cpu].run_ns;
		loss_add_counters(loss, source, cpu, now[cpu].counters);
	}
}

void point_events_account(struct point_events *events, struct loss *loss)
{
	for (uint32_t i = 0; i < events->points->source_count; i++)
		account_source(events, loss, i);
	loss_add(loss, SOURCE_ID_POINTS, 0, LOSS_ENCODER, events->refused);
	loss->lost += events->refused;
	account_hits(events, loss);
}

/* --- the source --- */

static uint32_t count(const struct record_config *config)
{
	return (uint32_t)config->points.count;
}

static int64_t lasts(const struct record_config *config, uint32_t number)
{
	return config->points.items[number].lasts;
}

static void take(void *source, const struct ring_head *head, size_t length)
{
	point_events_take(source, head, length);
}

static int open_source(void *source, const struct source_parts *parts)
{
	struct point_events *events = source;

	*events = (struct point_events){.recording = parts->recording, .probe = parts->probe, .filter = parts->filter,
					.points = parts->points, .snapshots = parts->snapshots};
	drain_handle(parts->drain, RING_HIT, take, events);
	return point_events_init(events);
}

static void close_source(void *source)
{
	point_events_deinit(source);
}

static int start(void *source)
{
	point_events_start(source, clocks_now());
	return 0;
}

static int stop(void *source, uint32_t number)
{
	point_events_stop(source, number, 1);
	return 0;
}

static void describe(const void *source)
{
	const struct point_events *events = source;

	for (uint32_t i = 0; i < events->points->source_count; i++)
		describe_source(events, i);
	for (uint32_t i = 1; i <= events->points->items.count; i++)
		describe_probe(events, i);
}

static void account(void *source, struct loss *loss)
{
	point_events_account(source, loss);
}

static uint64_t recorded(const void *source)
{
	const struct point_events *events = source;
	struct event_log_count held;
	uint64_t hits = 0;

	for (uint32_t i = 0; i < events->points->source_count; i++) {
		event_log_count(events->recording->log, SOURCE_ID_POINTS + i, &held);
		hits += held.held;
	}
	return hits;
}

const struct source_ops point_events_ops = {
	.programs = PROBE_POINTS,
	.event = "hit", .view = "--tree", .count = count, .lasts = lasts, .open = open_source, .close = close_source,
	.start = start, .stop = stop, .describe = describe, .account = account, .recorded = recorded,
};
