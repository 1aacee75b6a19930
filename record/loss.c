/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/loss.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "format/event_log.h"
#include "record/drain.h"
#include "record/hits.h"
#include "record/module_files.h"
#include "record/module_table.h"
#include "record/perf_event.h"
#include "record/point_events.h"
#include "record/points.h"
#include "record/probe.h"
#include "record/probe_points.h"
#include "record/recording.h"
#include "record/sideband.h"
#include "record/waits.h"

static const enum loss_cause causes[RING_COUNTERS] = {
	[RING_COUNT_SEEN] = LOSS_SEEN,
	[RING_COUNT_IDLE] = LOSS_IDLE,
	[RING_COUNT_OWN] = LOSS_OWN,
	[RING_COUNT_FILTERED] = LOSS_FILTERED,
	[RING_COUNT_RECORDED] = LOSS_RECORDED,
	[RING_COUNT_RING_FULL] = LOSS_RING_FULL,
	[RING_COUNT_NESTED] = LOSS_NESTED,
	[RING_COUNT_BRIEF] = LOSS_BRIEF,
	[RING_COUNT_NO_ENTRY] = LOSS_NO_TASK_ENTRY,
	[RING_COUNT_RATE_LIMITED] = LOSS_RATE_LIMITED,
	[RING_COUNT_KERNEL_STACK] = LOSS_KERNEL_STACK,
	[RING_COUNT_USER_STACK] = LOSS_USER_STACK,
	[RING_COUNT_TRUNCATED] = LOSS_TRUNCATED,
	[RING_COUNT_SNAPSHOT] = LOSS_SNAPSHOT,
};

enum { TOLD_SOURCES = EVENT_LOG_SOURCES }; /* the sources' ids are less */

int loss_init(struct loss *loss)
{
	uint32_t cpus = loss->recording->max_cpus;

	loss->now = calloc(cpus, sizeof(*loss->now));
	loss->told = calloc((size_t)cpus * LOSS_CAUSES * TOLD_SOURCES, sizeof(*loss->told));
	return loss->now && loss->told ? 0 : -ENOMEM;
}

void loss_deinit(struct loss *loss)
{
	free(loss->now);
	free(loss->told);
	loss->now = NULL;
	loss->told = NULL;
}

static void tell(struct loss *loss, uint64_t time, bool all, uint32_t source, uint32_t cpu, enum loss_cause cause,
		 uint64_t total)
{
	struct recording *recording = loss->recording;
	uint64_t *told = &loss->told[((size_t)source * recording->max_cpus + cpu) * LOSS_CAUSES + cause];
	struct event event = {
		.kind = EVENT_LOSS,
		.loss = {.time = time, .source = source, .cpu = cpu, .cause = cause, .total = total},
	};

	if (!total || (total == *told && !all))
		return;
	*told = total;
	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static void tell_counters(struct loss *loss, uint64_t time, bool all, uint32_t source, uint32_t cpu, const __u64 *counters)
{
	for (size_t i = 0; i < RING_COUNTERS; i++)
		tell(loss, time, all, source, cpu, causes[i], counters[i]);
	loss->lost += counters[RING_COUNT_RING_FULL] + counters[RING_COUNT_NESTED] + counters[RING_COUNT_NO_ENTRY];
	loss->left_out += counters[RING_COUNT_IDLE] + counters[RING_COUNT_OWN] + counters[RING_COUNT_FILTERED] +
			  counters[RING_COUNT_BRIEF] + counters[RING_COUNT_RATE_LIMITED];
}

static void tell_cpu(struct loss *loss, uint64_t time, bool all, uint32_t cpu)
{
	__u64 *counters = loss->now[cpu].counters;
	uint64_t ticks = perf_events_ticks(loss->events, cpu), seen = counters[RING_COUNT_SEEN];

	counters[RING_COUNT_RECORDED] -= loss->drain->filtered[cpu];
	counters[RING_COUNT_TRUNCATED] -= loss->drain->whole[cpu];
	counters[RING_COUNT_FILTERED] += loss->drain->filtered[cpu];
	tell_counters(loss, time, all, loss->cpu_source, cpu, counters);
	if (ticks > seen)
		tell(loss, time, all, loss->cpu_source, cpu, LOSS_NOT_DELIVERED, ticks - seen);
}

static void tell_waits(struct loss *loss, uint64_t time, bool all)
{
	const struct waits *waits = loss->waits;
	uint64_t wakes = probe_wait_look(loss->probe)->wakes_lost;

	if (probe_wait_counters(loss->probe, loss->now) < 0)
		return;
	for (uint32_t cpu = 0; cpu < loss->recording->max_cpus; cpu++) {
		loss->now[cpu].counters[RING_COUNT_RECORDED] -= waits->filtered[cpu];
		loss->now[cpu].counters[RING_COUNT_FILTERED] += waits->filtered[cpu];
		tell_counters(loss, time, all, loss->waits_source, cpu, loss->now[cpu].counters);
	}
	tell(loss, time, all, loss->wakers_source, 0, LOSS_RING_FULL, wakes);
	tell(loss, time, all, loss->waits_source, 0, LOSS_ENCODER, waits->refused);
	loss->lost += wakes + waits->refused;
}

static void tell_point_source(struct loss *loss, uint64_t time, bool all, uint32_t number)
{
	const struct point_events *points = loss->points;
	struct ring_point_source *now = (struct ring_point_source *)loss->now;
	uint32_t cpus = loss->recording->max_cpus, source = points->first_source + number;
	uint64_t missed = probe_points_missed(loss->probe, number);

	static_assert(sizeof(*now) <= sizeof(*loss->now), "there is room for them");
	tell(loss, time, all, source, 0, LOSS_RECURSION, missed);
	loss->lost += missed;
	if (probe_point_counters(loss->probe, number, now) < 0)
		return;
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		uint64_t filtered = points->filtered[number * cpus + cpu];

		now[cpu].counters[RING_COUNT_RECORDED] -= filtered;
		now[cpu].counters[RING_COUNT_FILTERED] += filtered;
		tell_counters(loss, time, all, source, cpu, now[cpu].counters);
	}
}

static void tell_points(struct loss *loss, uint64_t time, bool all)
{
	struct point_events *points = loss->points;

	for (uint32_t i = 0; i < points->points->source_count; i++)
		tell_point_source(loss, time, all, i);
	tell(loss, time, all, points->first_source, 0, LOSS_ENCODER, points->refused);
	loss->lost += points->refused;
	point_events_tell_hits(points, time, all);
}

static uint64_t nanoseconds(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

static void tell_cost(struct loss *loss, uint64_t time, const struct probe_cost *programs)
{
	struct recording *recording = loss->recording;
	uint64_t rings = drain_mapped_bytes(loss->drain), most;
	struct event event = {
		.kind = EVENT_COST,
		.cost = {.time = time, .bpf_ns = programs->run_ns, .written = trace_writer_bytes(recording->writer)},
	};
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return;
	most = (uint64_t)usage.ru_maxrss * 1024;
	loss->max_rss = most > rings ? most - rings : 0;
	event.cost.user_ns = nanoseconds(&usage.ru_utime);
	event.cost.system_ns = nanoseconds(&usage.ru_stime);
	event.cost.max_rss = loss->max_rss;
	event.cost.ring_bytes = rings + sideband_ring_bytes(recording->sideband);
	(void)recording_check(recording, event_log_add(recording->log, &event));
}

/* What will keep names from being embedded. */
static void tell_names(struct loss *loss, uint64_t now, bool all)
{
	struct recording *recording = loss->recording;
	struct module_files_counts files;

	if (recording->config->output.embed == EMBED_LEVEL_NONE)
		return;
	module_files_counts(loss->files, &files);
	tell(loss, now, all, 0, 0, LOSS_HITS, hits_dropped(recording->hits));
	tell(loss, now, all, 0, 0, LOSS_MODULES, module_table_untracked(recording->modules));
	tell(loss, now, all, 0, 0, LOSS_FILES, files.asked - files.opened);
}

/* With the writer's failure, all that is in the rings is lost too. */
static void tell_unwritten(struct loss *loss, uint64_t now, bool all)
{
	struct event_log_count count;

	for (uint32_t source = 0; source < TOLD_SOURCES; source++) {
		event_log_count(loss->recording->log, source, &count);
		tell(loss, now, all, source, 0, LOSS_UNWRITTEN, count.unwritten);
		loss->lost += count.unwritten;
	}
}

uint64_t loss_most_bytes(const struct recording *recording)
{
	enum { RECORD_BYTES = 24, CAUSES_PER_CPU = 24 };

	return (uint64_t)recording->max_cpus * CAUSES_PER_CPU * RECORD_BYTES;
}

void loss_tell(struct loss *loss, uint64_t now, bool all)
{
	struct recording *recording = loss->recording;
	struct probe_cost programs;

	loss->lost = loss->drain->refused;
	loss->left_out = 0;
	probe_cost(loss->probe, &programs);
	if (loss->events && !probe_cpu_counters(loss->probe, loss->now))
		for (uint32_t cpu = 0; cpu < recording->max_cpus; cpu++)
			tell_cpu(loss, now, all, cpu);
	if (loss->waits)
		tell_waits(loss, now, all);
	if (loss->points)
		tell_points(loss, now, all);
	for (uint32_t cpu = 0; cpu < recording->max_cpus; cpu++) {
		uint64_t lost = sideband_lost(recording->sideband, cpu);

		tell(loss, now, all, 0, cpu, LOSS_SIDEBAND, lost);
		loss->lost += lost;
	}
	/* counted for all CPUs together: under the first one */
	tell(loss, now, all, 0, 0, LOSS_RECURSION, programs.recursion_misses);
	tell(loss, now, all, 0, 0, LOSS_ENCODER, loss->drain->refused);
	tell(loss, now, all, 0, 0, LOSS_NO_TASK_ENTRY, programs.unfollowed);
	loss->lost += programs.recursion_misses + programs.unfollowed;
	tell_names(loss, now, all);
	tell_unwritten(loss, now, all);
	tell_cost(loss, now, &programs);
}
