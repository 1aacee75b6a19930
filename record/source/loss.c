/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/loss.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/time_units.h"
#include "format/event_log.h"
#include "record/perf/perf_event.h"
#include "record/place/hits.h"
#include "record/place/module_files.h"
#include "record/place/module_table.h"
#include "record/place/sideband.h"
#include "record/place/streams.h"
#include "record/plan/recording.h"
#include "record/probe/points.h"
#include "record/probe/probe.h"
#include "record/probe/probe_points.h"
#include "record/source/drain.h"
#include "record/source/point_events.h"
#include "record/source/waits.h"
#include "record/stack/snapshots.h"

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

enum { TOLD_SOURCES = EVENT_LOG_SOURCES }; /* the sources' ids are smaller */

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

static void tell_counters(struct loss *loss, uint64_t time, bool all, uint32_t source, uint32_t cpu,
			  const __u64 *counters)
{
	for (size_t i = 0; i < RING_COUNTERS; i++)
		tell(loss, time, all, source, cpu, causes[i], counters[i]);
	loss->lost += counters[RING_COUNT_RING_FULL] + counters[RING_COUNT_NESTED] + counters[RING_COUNT_NO_ENTRY];
	loss->left_out += counters[RING_COUNT_IDLE] + counters[RING_COUNT_OWN] + counters[RING_COUNT_FILTERED] +
			  counters[RING_COUNT_BRIEF] + counters[RING_COUNT_RATE_LIMITED];
}

/*
 * How many of the samples that were not delivered belong to an idle CPU. With the CPU clock, time
 * goes on there and delivers nothing; the kernel's account says how long the CPU was busy. If that
 * is unknown (the CPU was offline), none are attributed to a busy CPU. Cycles stop there: a gap
 * belongs to whatever the tick at its end found.
 */
static uint64_t missed_idle(const struct perf_events *events, const struct ring_cpu *programs,
			    const struct event_counter *counter, uint64_t period)
{
	const __u64 *counters = programs->counters;
	uint64_t busy, seen = (counters[RING_COUNT_SEEN] - counters[RING_COUNT_IDLE]) * period + CPU_BUSY_ERROR;

	if (!events->software)
		return programs->weight_idle / period;
	if (!perf_events_busy(events, counter->cpu, counter->enabled, &busy))
		return counter->missed;
	busy = busy > seen ? (busy - seen) / period : 0;
	return busy < counter->missed ? counter->missed - busy : 0;
}

/* Computes what the kernel counted and the program never saw, in the counter's own unit and in samples. */
static void weigh(const struct perf_events *events, const struct ring_cpu *programs, struct event_counter *counter)
{
	uint64_t samples = programs->counters[RING_COUNT_SEEN], period = events->period;
	uint64_t unseen = counter->counted > counter->seen ? counter->counted - counter->seen : 0;

	if (!period && samples) /* cycles: the average period */
		period = counter->seen / samples;
	if (!period)
		return;
	counter->missed = unseen / period;
	counter->missed_idle = missed_idle(events, programs, counter, period);
	if (counter->missed_idle > counter->missed)
		counter->missed_idle = counter->missed;
}

static void tell_counter(struct loss *loss, uint64_t time, bool all, uint32_t cpu)
{
	const struct ring_cpu *programs = &loss->now[cpu];
	struct event event = {
		.kind = EVENT_COUNTER,
		.counter = {.time = time, .source = loss->cpu_source, .cpu = cpu, .seen = programs->weight_seen},
	};
	struct perf_account account;

	perf_events_account(loss->events, cpu, &account);
	event.counter.counted = account.counted;
	event.counter.enabled = account.enabled;
	event.counter.running = account.running;
	event.counter.throttled = account.throttled;
	weigh(loss->events, programs, &event.counter);
	tell(loss, time, all, loss->cpu_source, cpu, LOSS_THROTTLED, account.throttles);
	tell(loss, time, all, loss->cpu_source, cpu, LOSS_NOT_DELIVERED, event.counter.missed);
	if (all && account.enabled)
		(void)recording_check(loss->recording, event_log_add(loss->recording->log, &event));
}

static void tell_cpu(struct loss *loss, uint64_t time, bool all, uint32_t cpu)
{
	__u64 *counters = loss->now[cpu].counters;

	tell_counter(loss, time, all, cpu);
	loss->run_ns += loss->now[cpu].run_ns;
	counters[RING_COUNT_RECORDED] -= loss->drain->samples.filtered[cpu];
	counters[RING_COUNT_TRUNCATED] -= loss->drain->samples.whole[cpu];
	counters[RING_COUNT_FILTERED] += loss->drain->samples.filtered[cpu];
	tell_counters(loss, time, all, loss->cpu_source, cpu, counters);
}

static void tell_waits(struct loss *loss, uint64_t time, bool all)
{
	const struct waits *waits = loss->waits;
	uint64_t wakes = 0, refused = waits->refused + waits->unended.refused;

	if (probe_wait_counters(loss->probe, loss->now) < 0)
		return;
	for (uint32_t cpu = 0; cpu < loss->recording->max_cpus; cpu++) {
		loss->now[cpu].counters[RING_COUNT_RECORDED] -= waits->filtered[cpu];
		loss->now[cpu].counters[RING_COUNT_FILTERED] += waits->filtered[cpu];
		if (waits->snapshots)
			loss->now[cpu].counters[RING_COUNT_SNAPSHOT] += waits->snapshots->lost[cpu];
		tell_counters(loss, time, all, loss->waits_source, cpu, loss->now[cpu].counters);
		wakes += loss->now[cpu].wakes_lost;
		loss->run_ns += loss->now[cpu].run_ns;
	}
	tell(loss, time, all, loss->wakers_source, 0, LOSS_RING_FULL, wakes);
	tell(loss, time, all, loss->waits_source, 0, LOSS_ENCODER, refused);
	loss->lost += wakes + refused;
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

		now[cpu].counters[RING_COUNT_TRUNCATED] -= points->whole[number * cpus + cpu];
		now[cpu].counters[RING_COUNT_RECORDED] -= filtered;
		now[cpu].counters[RING_COUNT_FILTERED] += filtered;
		loss->run_ns += now[cpu].run_ns;
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
	return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_usec * MICROSECOND;
}

static void tell_cost(struct loss *loss, uint64_t time)
{
	struct recording *recording = loss->recording;
	uint64_t rings = drain_mapped_bytes(loss->drain), most;
	struct event event = {
		.kind = EVENT_COST,
		.cost = {.time = time, .bpf_ns = loss->run_ns, .written = trace_writer_bytes(recording->writer)},
	};
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return;
	most = (uint64_t)usage.ru_maxrss * 1024;
	loss->max_rss = most > rings ? most - rings : 0;
	event.cost.user_ns = nanoseconds(&usage.ru_utime);
	event.cost.system_ns = nanoseconds(&usage.ru_stime);
	event.cost.max_rss = loss->max_rss;
	event.cost.ring_bytes = drain_ring_bytes(loss->drain) + sideband_ring_bytes(recording->sideband);
	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static void tell_cuts(struct loss *loss, uint64_t now, bool all)
{
	for (uint32_t source = 0; source < EVENT_LOG_SOURCES; source++) {
		const struct stack_cuts *cuts = &loss->recording->cuts[source];

		tell(loss, now, all, source, 0, LOSS_USER_ASTRAY, cuts->astray);
		tell(loss, now, all, source, 0, LOSS_USER_UNKNOWN, cuts->unknown);
	}
}

/* Losses because of which names will be missing in the trace. */
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

/* If writing fails, everything in the rings is lost too. */
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
	enum { RECORD_BYTES = 24, CAUSES_PER_CPU = 28 };

	return (uint64_t)recording->max_cpus * CAUSES_PER_CPU * RECORD_BYTES;
}

/* Counted for all CPUs together: listed under the first one. */
static void tell_together(struct loss *loss, uint64_t now, bool all, const struct probe_cost *programs)
{
	const uint64_t refused = drain_refused(loss->drain) + loss->recording->refused;

	tell(loss, now, all, 0, 0, LOSS_RECURSION, programs->recursion_misses);
	tell(loss, now, all, 0, 0, LOSS_ENCODER, refused);
	tell(loss, now, all, 0, 0, LOSS_NO_TASK_ENTRY, programs->unfollowed);
	tell(loss, now, all, 0, 0, LOSS_LOOK, loss->recording->unlooked);
	loss->lost += loss->recording->unlooked + programs->recursion_misses + programs->unfollowed + refused;
}

void loss_tell(struct loss *loss, uint64_t now, bool all)
{
	struct recording *recording = loss->recording;
	struct probe_cost programs;

	loss->lost = loss->left_out = 0;
	probe_cost(loss->probe, &programs);
	loss->run_ns = 0;
	if (loss->events && all)
		perf_events_look_busy(loss->events);
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
	loss->lost += loss->streams->silent;
	tell_together(loss, now, all, &programs);
	tell_cuts(loss, now, all);
	tell_names(loss, now, all);
	tell_unwritten(loss, now, all);
	tell_cost(loss, now);
}
