/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "format/event_log.h"
#include "record/machine/clocks.h"
#include "record/place/sideband.h"
#include "record/place/start_state.h"
#include "record/plan/recording.h"
#include "record/probe/probe.h"

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
