/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "format/event.h"
#include "format/event_log.h"
#include "record/host/clocks.h"
#include "record/place/sideband.h"
#include "record/place/start_state.h"
#include "record/plan/recording.h"
#include "record/probe/probe.h"

/* --- do the rings say all that happened? --- */

enum {
	LOOK_MS = 1000,
	LAG_MS = 500,	 /* the record of a counted event has arrived after this time, */
	OPENING_MS = 50, /* and its count after this time, nearly always */
	SIGNS = 4, /* of life: with this many, a ring without a record is dead; with fewer, tasks may have moved */
};

int stream_watch_init(struct stream_watch *watch, uint32_t cpus)
{
	*watch = (struct stream_watch){
		.cpus = cpus,
		.base = calloc(cpus, sizeof(*watch->base)),
		.good = calloc(cpus, sizeof(*watch->good)),
		.asked = calloc(cpus, sizeof(*watch->asked)),
		.verdicts = calloc(cpus, sizeof(*watch->verdicts)),
	};
	return watch->base && watch->good && watch->asked && watch->verdicts ? 0 : -ENOMEM;
}

void stream_watch_deinit(struct stream_watch *watch)
{
	free(watch->base);
	free(watch->good);
	free(watch->asked);
	free(watch->verdicts);
	*watch = (struct stream_watch){0};
}

static void keep(struct stream_cpu *to, const struct stream_watch *watch, const struct stream_cpu *from)
{
	memcpy(to, from, watch->cpus * sizeof(*from));
}

void stream_watch_begin(struct stream_watch *watch, uint64_t now, const struct stream_cpu *cpus)
{
	keep(watch->base, watch, cpus);
	keep(watch->good, watch, cpus);
	keep(watch->asked, watch, cpus);
	watch->good_at = watch->asked_at = now;
	watch->opening = true;
	watch->waiting = false;
}

/* What was counted between `from` and the last look and has not arrived by now; below 0: more has arrived. */
static int64_t missing_of(const struct stream_watch *watch, const struct stream_cpu *from, const struct stream_cpu *now,
			  uint32_t cpu, enum ring_life life)
{
	uint64_t counted = watch->asked[cpu].counted.counts[life] - from[cpu].counted.counts[life];

	return (int64_t)(counted - (now[cpu].records.counts[life] - from[cpu].records.counts[life]));
}

/* Each kind separately: too many of one do not make up for too few of another. */
static uint64_t missing_in_all(const struct stream_watch *watch, const struct stream_cpu *now)
{
	static const enum ring_life exact[] = {RING_LIFE_FORK, RING_LIFE_RENAME};
	uint64_t missing = 0;

	for (size_t i = 0; i < sizeof(exact) / sizeof(*exact); i++) {
		int64_t sum = 0;

		for (uint32_t cpu = 0; cpu < watch->cpus; cpu++)
			sum += missing_of(watch, watch->base, now, cpu, exact[i]);
		missing += sum > 0 ? (uint64_t)sum : 0;
	}
	return missing;
}

static int64_t missing_on(const struct stream_watch *watch, const struct stream_cpu *now, uint32_t cpu)
{
	return missing_of(watch, watch->good, now, cpu, RING_LIFE_FORK) +
	       missing_of(watch, watch->good, now, cpu, RING_LIFE_RENAME);
}

static bool is_dead(const struct stream_watch *watch, const struct stream_cpu *now, uint32_t cpu)
{
	uint64_t signs = 0;

	for (int life = 0; life < RING_LIVES; life++)
		signs += watch->asked[cpu].counted.counts[life] - watch->good[cpu].counted.counts[life];
	return signs >= SIGNS && now[cpu].any == watch->good[cpu].any && now[cpu].lost == watch->good[cpu].lost &&
	       now[cpu].full == watch->good[cpu].full;
}

static bool judge_losses(struct stream_watch *watch, const struct stream_cpu *now)
{
	bool any = false;

	for (uint32_t cpu = 0; cpu < watch->cpus; cpu++) {
		uint64_t lost = now[cpu].lost - watch->asked[cpu].lost;

		watch->verdicts[cpu] = (struct stream_verdict){lost ? UNSURE_LOST : 0, lost};
		any |= lost != 0;
	}
	return any;
}

/* True of the CPU that lacks most, and of those that lack more than can have moved, or delivered nothing at all. */
static bool is_missing(const struct stream_watch *watch, const struct stream_cpu *now, uint32_t cpu, int64_t most)
{
	enum { NOISE = 8 };
	int64_t missing = missing_on(watch, now, cpu);

	return missing == most || (missing > 0 && (missing >= most / NOISE || now[cpu].any == watch->asked[cpu].any));
}

static void judge_missing(struct stream_watch *watch, const struct stream_cpu *now)
{
	int64_t most = INT64_MIN;

	for (uint32_t cpu = 0; cpu < watch->cpus; cpu++)
		if (missing_on(watch, now, cpu) > most)
			most = missing_on(watch, now, cpu);
	for (uint32_t cpu = 0; cpu < watch->cpus; cpu++) {
		int64_t missing = missing_on(watch, now, cpu);

		if (!is_missing(watch, now, cpu, most))
			continue;
		if (now[cpu].full != watch->good[cpu].full) /* the ring itself will report how many */
			watch->verdicts[cpu] = (struct stream_verdict){.cause = UNSURE_LOST};
		else
			watch->verdicts[cpu] = (struct stream_verdict){
				UNSURE_SILENT, missing > 0 ? (uint64_t)missing : 0};
	}
}

static bool judge_dead(struct stream_watch *watch, const struct stream_cpu *now)
{
	bool any = false;

	for (uint32_t cpu = 0; cpu < watch->cpus; cpu++) {
		if (!is_dead(watch, now, cpu))
			continue;
		watch->verdicts[cpu].cause = UNSURE_SILENT;
		any = true;
	}
	return any;
}

static void ask(struct stream_watch *watch, uint64_t now, const struct stream_cpu *cpus)
{
	keep(watch->asked, watch, cpus);
	watch->asked_at = now;
	watch->waiting = missing_in_all(watch, cpus) > 0;
}

static bool open_up(struct stream_watch *watch, uint64_t now, const struct stream_cpu *cpus)
{
	if (now - watch->asked_at < OPENING_MS * MILLISECOND)
		return false;
	for (uint32_t cpu = 0; cpu < watch->cpus; cpu++)
		watch->base[cpu].counted = cpus[cpu].counted;
	keep(watch->good, watch, cpus);
	watch->opening = false;
	ask(watch, now, cpus);
	return false;
}

/* All is well up to the last look. */
static void settle(struct stream_watch *watch, const struct stream_cpu *cpus)
{
	bool quiet = !memcmp(watch->asked, cpus, watch->cpus * sizeof(*cpus));

	keep(watch->good, watch, watch->asked);
	watch->good_at = watch->asked_at;
	if (quiet)
		keep(watch->base, watch, cpus);
}

bool stream_watch_look(struct stream_watch *watch, uint64_t now, const struct stream_cpu *cpus)
{
	bool dead;

	if (judge_losses(watch, cpus))
		return true;
	if (watch->opening)
		return open_up(watch, now, cpus);
	if (now - watch->asked_at < LAG_MS * MILLISECOND)
		return false;
	dead = judge_dead(watch, cpus);
	if (missing_in_all(watch, cpus)) {
		judge_missing(watch, cpus);
		return true;
	}
	if (dead)
		return true;
	settle(watch, cpus);
	ask(watch, now, cpus);
	return false;
}

uint64_t stream_watch_next(const struct stream_watch *watch, uint64_t now)
{
	return now + (watch->opening ? OPENING_MS : watch->waiting ? LAG_MS : LOOK_MS) * MILLISECOND;
}

/* --- what is done if they do not --- */

enum {
	FOLLOW_MS = 500,   /* at least, between two looks at which CPUs are online */
	TELL_MS = 20,
	TELL_PART = 20,	   /* of the time, at most, for reading all processes again */
	TELL_SECONDS = 1,  /* at least, between two readings */
	RETRY_SECONDS = 5, /* before a ring that died young is reopened */
};

/* If there are no processes in the trace there is nothing to compare; if nothing counts them, that was reported. */
static int init_counted(struct streams *streams)
{
	if (!streams->recording->config->user_stacks)
		return 0;
	streams->counted = calloc(streams->recording->max_cpus, sizeof(*streams->counted));
	if (!streams->counted)
		return -ENOMEM;
	if (probe_lives(streams->probe, streams->counted) == 0)
		return 0;
	free(streams->counted);
	streams->counted = NULL;
	return 0;
}

int streams_init(struct streams *streams, struct recording *recording, const struct probe *probe,
		 const struct cpus *cpus, struct spawner *spawner)
{
	uint32_t count = recording->max_cpus;
	int r;

	*streams = (struct streams){
		.recording = recording,
		.probe = probe,
		.cpus = cpus,
		.spawner = spawner,
		.followed = clocks_now(),
		.gaps = calloc(count, sizeof(*streams->gaps)),
		.retries = calloc(count, sizeof(*streams->retries)),
		.now = calloc(count, sizeof(*streams->now)),
		.heard = calloc(count, sizeof(*streams->heard)),
	};
	r = streams->gaps && streams->retries && streams->now && streams->heard ?
		    stream_watch_init(&streams->watch, count) : -ENOMEM;
	if (!r)
		r = cpus_online_all(cpus, &streams->online);
	return r < 0 ? r : init_counted(streams);
}

void streams_deinit(struct streams *streams)
{
	start_state_destroy(streams->again);
	stream_watch_deinit(&streams->watch);
	free(streams->gaps);
	free(streams->retries);
	free(streams->now);
	free(streams->heard);
	free(streams->counted);
	*streams = (struct streams){0};
}

/* --- what is unsure --- */

static void tell(struct streams *streams, uint32_t cpu, uint64_t until)
{
	struct recording *recording = streams->recording;
	const struct stream_gap *gap = &streams->gaps[cpu];
	struct event event = {
		.kind = EVENT_UNSURE,
		.unsure = {gap->from, until, cpu, gap->cause, gap->missing},
	};

	(void)recording_check(recording, event_log_add(recording->log, &event));
}

static void open_gap(struct streams *streams, uint32_t cpu, uint64_t from,
		     const struct stream_verdict *verdict, uint64_t now)
{
	struct stream_gap *gap = &streams->gaps[cpu];
	bool fresh = !gap->from;

	if (!streams->recording->config->user_stacks)
		return;
	if (fresh)
		*gap = (struct stream_gap){.from = from, .cause = verdict->cause};
	gap->known = now;
	gap->missing += verdict->missing;
	/* The ring reports what else is missing. */
	if (verdict->cause == UNSURE_SILENT || (verdict->cause == UNSURE_LOST && !verdict->missing))
		streams->silent += verdict->missing ? verdict->missing : 1;
	if (fresh || verdict->missing)
		tell(streams, cpu, now);
}

/* Spans of several CPUs overlap: each moment counts once. */
static void close_gap(struct streams *streams, uint32_t cpu, uint64_t until)
{
	struct stream_gap *gap = &streams->gaps[cpu];
	uint64_t from = gap->from > streams->unsure_until ? gap->from : streams->unsure_until;

	tell(streams, cpu, until);
	streams->unsure += until > from ? until - from : 0;
	streams->unsure_until = until > streams->unsure_until ? until : streams->unsure_until;
	*gap = (struct stream_gap){0};
}

/* --- all processes once more --- */

/* The start of the earliest gap; 0: nothing is unsure. */
static uint64_t unsure_since(const struct streams *streams)
{
	uint64_t since = UINT64_MAX;

	for (uint32_t cpu = 0; cpu < streams->recording->max_cpus; cpu++)
		if (streams->gaps[cpu].from && streams->gaps[cpu].from < since)
			since = streams->gaps[cpu].from;
	return since == UINT64_MAX ? 0 : since;
}

static void begin_telling(struct streams *streams, uint64_t now)
{
	struct recording *recording = streams->recording;
	uint64_t since = unsure_since(streams);

	if (!since || now < streams->again_after || sideband_start_seeing(recording->sideband) < 0)
		return;
	if (start_state_create(recording, streams->spawner, since, &streams->again) < 0)
		sideband_stop_seeing(recording->sideband);
	streams->again_at = now;
}

/* Gaps that were noticed after the reading began are left for the next one. */
static void end_telling(struct streams *streams, uint64_t now)
{
	start_state_destroy(streams->again);
	streams->again = NULL;
	sideband_stop_seeing(streams->recording->sideband);
	for (uint32_t cpu = 0; cpu < streams->recording->max_cpus; cpu++)
		if (streams->gaps[cpu].from && streams->gaps[cpu].known <= streams->again_at)
			close_gap(streams, cpu, now);
	streams->again_after = now + TELL_SECONDS * SECOND + (now - streams->again_at) * TELL_PART;
}

/* --- looking --- */

static void read_totals(struct streams *streams)
{
	uint32_t cpus = streams->recording->max_cpus;

	if (streams->counted)
		(void)probe_lives(streams->probe, streams->counted);
	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		if (streams->counted)
			streams->now[cpu].counted = streams->counted[cpu];
		sideband_totals(streams->recording->sideband, cpu, &streams->now[cpu]);
	}
	if (!streams->counted) /* then only losses can be seen */
		for (uint32_t cpu = 0; cpu < cpus; cpu++)
			streams->now[cpu].counted = streams->now[cpu].records;
}

/* If the ring did not live long, reopening it did not help. */
static void reopen(struct streams *streams, uint32_t cpu, uint64_t now)
{
	if (now < streams->retries[cpu])
		return;
	(void)sideband_reopen(streams->recording->sideband, streams->spawner, cpu);
	streams->retries[cpu] = now + RETRY_SECONDS * SECOND;
}

/* A ring dies with its CPU, and none can be opened on a CPU that is offline. */
static bool follow_cpu(struct streams *streams, uint32_t cpu, uint64_t now)
{
	const struct stream_verdict away = {.cause = UNSURE_AWAY};
	bool back = !cpu_set_has(&streams->online, cpu);

	if (!back && sideband_is_open(streams->recording->sideband, cpu))
		return false;
	if (back)
		streams->retries[cpu] = 0;
	reopen(streams, cpu, now);
	open_gap(streams, cpu, streams->followed, &away, now);
	return true;
}

static bool follow_cpus(struct streams *streams, uint64_t now)
{
	struct cpu_set online;
	bool came = false;

	if (now - streams->followed < FOLLOW_MS * MILLISECOND || cpus_online_all(streams->cpus, &online) < 0)
		return false;
	for (uint32_t cpu = 0; cpu < streams->recording->max_cpus; cpu++)
		if (cpu_set_has(&online, cpu))
			came |= follow_cpu(streams, cpu, now);
	streams->online = online;
	streams->followed = now;
	return came;
}

/* A ring that has delivered something since the previous look was alive at that look. */
static void listen(struct streams *streams, uint64_t now)
{
	for (uint32_t cpu = 0; cpu < streams->recording->max_cpus; cpu++) {
		struct stream_heard *heard = &streams->heard[cpu];

		if (heard->any != streams->now[cpu].any)
			*heard = (struct stream_heard){.any = streams->now[cpu].any, .at = streams->looked};
	}
	streams->looked = now;
}

static uint64_t unsure_from(const struct streams *streams, uint32_t cpu)
{
	uint64_t at = streams->heard[cpu].at, good = streams->watch.good_at;

	return at && at < good ? at : good;
}

static void take_verdicts(struct streams *streams, uint64_t now)
{
	for (uint32_t cpu = 0; cpu < streams->recording->max_cpus; cpu++) {
		const struct stream_verdict *verdict = &streams->watch.verdicts[cpu];

		if (!verdict->cause)
			continue;
		open_gap(streams, cpu, unsure_from(streams, cpu), verdict, now);
		if (verdict->cause == UNSURE_SILENT)
			reopen(streams, cpu, now);
	}
}

static void look(struct streams *streams, uint64_t now)
{
	bool anew = follow_cpus(streams, now);

	read_totals(streams);
	listen(streams, now);
	if (!streams->watch.good_at) {
		anew = true;
	} else if (stream_watch_look(&streams->watch, now, streams->now)) {
		take_verdicts(streams, now);
		anew = true;
	}
	if (anew)
		stream_watch_begin(&streams->watch, now, streams->now);
	streams->next = stream_watch_next(&streams->watch, now);
}

void streams_step(struct streams *streams, uint64_t now, bool may_tell)
{
	if (now >= streams->next)
		look(streams, now);
	if (!streams->again && may_tell)
		begin_telling(streams, now);
	if (streams->again && start_state_step(streams->again, TELL_MS))
		end_telling(streams, clocks_now());
}

bool streams_busy(const struct streams *streams)
{
	return streams->again;
}

void streams_finish(struct streams *streams, uint64_t now)
{
	for (uint32_t cpu = 0; streams->gaps && cpu < streams->recording->max_cpus; cpu++)
		if (streams->gaps[cpu].from)
			close_gap(streams, cpu, now);
}
