/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A source of events, as the session sees it: it goes through a list of these (session.c) when it opens,
 * starts, stops, describes and accounts for what is recorded. A new source is its BPF program, its file in this folder
 * with its ops, and a row of that list.
 */
#ifndef RWALKER_RECORD_SOURCE_SOURCE_H
#define RWALKER_RECORD_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "record/probe/probe.h"

struct cpus;
struct drain;
struct filter;
struct loss;
struct points;
struct record_config;
struct recording;
struct snapshots;
struct spawner;
struct wait_objects;
struct walk_users;

/* Of SOURCE records. */
enum { SOURCE_ID_CPU = 1, SOURCE_ID_TASKS = 2, SOURCE_ID_OFFCPU = 3, SOURCE_ID_WAKERS = 4, SOURCE_ID_POINTS = 5 };

struct source_parts { /* of a recording, which its sources share */
	struct recording *recording;
	struct probe *probe;
	const struct filter *filter;
	const struct cpus *cpus;
	const struct points *points;
	struct spawner *spawner;
	struct drain *drain;
	/* These are NULL if they are not wanted. */
	struct snapshots *snapshots;
	struct walk_users *users;
	struct wait_objects *objects;
};

struct source_ops { /* what is not NULL is called only if the source is wanted, except for close() */
	const char *event; /* what one of its events is called: "sample" */
	enum probe_kind programs; /* that it needs in the kernel */
	const char *view;  /* the option of the reporter that suits them */
	/* How many of its kind are wanted: each has a time of its own. */
	uint32_t (*count)(const struct record_config *config);
	/* ns; 0: until the end. NULL: it has no time. */
	int64_t (*lasts)(const struct record_config *config, uint32_t number);
	/* Nothing is recorded yet. 0, or -errno after reporting why. */
	int (*open)(void *source, const struct source_parts *parts);
	void (*close)(void *source); /* also if it was never opened */
	int (*start)(void *source);
	/* Does nothing if it has been stopped. Afterwards nothing of it is written to the rings. 0, or -errno after reporting. */
	int (*stop)(void *source, uint32_t number);
	void (*describe)(const void *source); /* writes its SOURCE records; again when its end is known */
	void (*account)(void *source, struct loss *loss);
	uint64_t (*recorded)(const void *source); /* events */
	bool takes_users; /* its stop needs the user stacks of sleepers: a walk that is pending ends before */
};

struct source_span { /* when a source ran */
	uint64_t start, stop; /* CLOCK_MONOTONIC; stop 0: still running, or not started */
};

static inline uint64_t source_stop(const struct source_span *span)
{
	return span->stop ? span->stop : span->start;
}

#endif
