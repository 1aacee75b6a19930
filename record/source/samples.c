/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/samples.h"

#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>

#include "format/event_log.h"
#include "record/host/clocks.h"
#include "record/plan/filter.h"
#include "record/plan/recording.h"
#include "record/probe/probe.h"
#include "record/source/drain.h"
#include "record/source/held_stacks.h"
#include "record/source/loss.h"
#include "record/source/ring_stacks.h"
#include "record/source/ring_task.h"

bool ring_sample_is_sound(const struct ring_sample *raw, size_t length, uint32_t max_cpus)
{
	return length >= sizeof(*raw) && raw->head.cpu < max_cpus && raw->kernel_count <= RING_MAX_FRAMES &&
	       raw->user_count <= RING_MAX_FRAMES &&
	       length >= sizeof(*raw) +
				 sizeof(uint64_t) * (raw->kernel_count + raw->user_count + ring_stacks_top(raw->flags));
}

int ring_sample_add(struct recording *recording, struct snapshots *snapshots, const struct ring_sample *raw,
		    const struct event_task *task, struct event_sample *sample)
{
	struct ring_user user = {
		.count = raw->user_count, .top = ring_stacks_top(raw->flags), .source = raw->head.source};
	struct event_stacks stacks;
	int r;

	if (raw->flags & RING_SAMPLE_SNAPSHOT && snapshots)
		sample->snapshot = snapshots_number(snapshots, &raw->head);
	user.copied = sample->snapshot;
	stacks = ring_stacks_take(recording, &raw->task, (const uint64_t *)raw->frames, raw->kernel_count, &user);
	sample->time = raw->head.time;
	sample->cpu = raw->head.cpu;
	sample->source = raw->head.source;
	sample->missing = ring_stacks_missing(raw->flags);
	sample->flags = ring_stacks_flags(raw->flags, raw->user_count, &stacks);
	r = event_log_add_sample(recording->log, sample, task, &stacks);
	if (r >= 0)
		ring_stacks_mark(recording, &raw->task, &stacks, sample->callers_known);
	return r == -EINVAL ? r : recording_check(recording, r);
}

int samples_init(struct samples *samples)
{
	samples->filtered = calloc(samples->recording->max_cpus, sizeof(*samples->filtered));
	samples->whole = calloc(samples->recording->max_cpus, sizeof(*samples->whole));
	return samples->filtered && samples->whole ? 0 : -ENOMEM;
}

void samples_deinit(struct samples *samples)
{
	free(samples->filtered);
	free(samples->whole);
	samples->filtered = samples->whole = NULL;
}

void samples_take(struct samples *samples, const struct ring_head *head, size_t length)
{
	const struct ring_sample *raw = (const void *)head;
	struct event_sample sample = {0};
	struct event_task task;

	if (!ring_sample_is_sound(raw, length, samples->recording->max_cpus)) {
		samples->refused++;
		return;
	}
	task = ring_task_event(samples->recording, &raw->task);
	if (filter_wants(samples->filter, task.comm)) {
		sample.period = raw->period == samples->events.period ? 0 : raw->period;
		samples->refused += ring_sample_add(samples->recording, samples->snapshots, raw,
						    &task, &sample) == -EINVAL;
	} else {
		samples->filtered[head->cpu]++;
	}
	samples->whole[head->cpu] += ring_sample_is_whole(raw, &sample);
}

/* --- the account --- */

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

static void account_counter(struct samples *samples, struct loss *loss, uint32_t cpu)
{
	const struct ring_cpu *programs = &loss->now[cpu];
	struct event event = {
		.kind = EVENT_COUNTER,
		.counter = {.time = loss->time, .source = SOURCE_ID_CPU, .cpu = cpu, .seen = programs->weight_seen},
	};
	struct perf_account account;

	perf_events_account(&samples->events, cpu, &account);
	event.counter.counted = account.counted;
	event.counter.enabled = account.enabled;
	event.counter.running = account.running;
	event.counter.throttled = account.throttled;
	weigh(&samples->events, programs, &event.counter);
	loss_add(loss, SOURCE_ID_CPU, cpu, LOSS_THROTTLED, account.throttles);
	loss_add(loss, SOURCE_ID_CPU, cpu, LOSS_NOT_DELIVERED, event.counter.missed);
	if (loss->all && account.enabled)
		(void)recording_check(loss->recording, event_log_add(loss->recording->log, &event));
}

void samples_account(struct samples *samples, struct loss *loss)
{
	if (loss->all)
		perf_events_look_busy(&samples->events);
	loss_add(loss, SOURCE_ID_CPU, 0, LOSS_ENCODER, samples->refused);
	loss->lost += samples->refused;
	if (probe_counters(samples->probe, PROBE_CPU, loss->now) < 0)
		return;
	for (uint32_t cpu = 0; cpu < loss->recording->max_cpus; cpu++) {
		__u64 *counters = loss->now[cpu].counters;

		account_counter(samples, loss, cpu);
		loss->run_ns += loss->now[cpu].run_ns;
		counters[RING_COUNT_RECORDED] -= samples->filtered[cpu];
		counters[RING_COUNT_TRUNCATED] -= samples->whole[cpu];
		counters[RING_COUNT_FILTERED] += samples->filtered[cpu];
		loss_add_counters(loss, SOURCE_ID_CPU, cpu, counters);
	}
}

/* --- the source --- */

static uint32_t count(const struct record_config *config)
{
	return config->profile.wanted;
}

static int64_t lasts(const struct record_config *config, uint32_t number)
{
	(void)number;
	return config->profile.lasts;
}

static void take(void *source, const struct ring_head *head, size_t length)
{
	samples_take(source, head, length);
}

static int open_source(void *source, const struct source_parts *parts)
{
	const struct record_profile *profile = &parts->recording->config->profile;
	const struct perf_event_settings settings = {
		.frequency = (uint64_t)profile->frequency,
		.software = profile->software,
		.spawner = parts->spawner,
	};
	struct samples *samples = source;
	int r;

	*samples = (struct samples){.recording = parts->recording, .probe = parts->probe, .filter = parts->filter,
				    .snapshots = parts->snapshots};
	r = samples_init(samples);
	drain_handle(parts->drain, RING_SAMPLE, take, samples);
	return r < 0 ? r : perf_events_open(&samples->events, parts->cpus, &settings, probe_cpu_program(parts->probe));
}

static void close_source(void *source)
{
	struct samples *samples = source;

	perf_events_close(&samples->events);
	samples_deinit(samples);
}

static int start(void *source)
{
	struct samples *samples = source;

	samples->span.start = clocks_now();
	samples->running = true;
	return perf_events_enable(&samples->events);
}

static int stop(void *source, uint32_t number)
{
	struct samples *samples = source;

	(void)number;
	if (!samples->running)
		return 0;
	perf_events_disable(&samples->events);
	samples->span.stop = clocks_now();
	samples->running = false;
	return 0;
}

static void describe(const void *source)
{
	static const struct event_text cycles = {"cycles", 6}, cpu_clock = {"cpu-clock", 9};
	const struct samples *samples = source;
	const struct perf_events *events = &samples->events;
	struct recording *recording = samples->recording;
	struct event event = {
		.kind = EVENT_SOURCE,
		.source = {
			.id = SOURCE_ID_CPU,
			.kind = SOURCE_CPU,
			.weight = events->software ? WEIGHT_NS : WEIGHT_CYCLES,
			.name = events->software ? cpu_clock : cycles,
			.frequency = events->frequency,
			.period = events->period,
			.start = samples->span.start,
			.stop = source_stop(&samples->span),
			.flags = ring_stacks_source_flags(recording->config) |
				 (events->fallback ? SOURCE_SOFTWARE_FALLBACK : 0),
		},
	};

	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static void account(void *source, struct loss *loss)
{
	samples_account(source, loss);
}

static uint64_t recorded(const void *source)
{
	struct event_log_count held;

	event_log_count(((const struct samples *)source)->recording->log, SOURCE_ID_CPU, &held);
	return held.held;
}

const struct source_ops samples_ops = {
	.programs = PROBE_CPU,
	.event = "sample", .view = "--tree", .count = count, .lasts = lasts, .open = open_source, .close = close_source,
	.start = start, .stop = stop, .describe = describe, .account = account, .recorded = recorded,
};
