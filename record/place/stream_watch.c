/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/stream_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "format/event.h"

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
