/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The CPU profile: its perf events, and the way of a sample from a ring (bpf/ring_event.h) to an event of the log. */
#ifndef RWALKER_RECORD_SOURCE_SAMPLES_H
#define RWALKER_RECORD_SOURCE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/perf/perf_event.h"
#include "record/source/source.h"

struct ring_head;

struct samples {
	struct recording *recording;
	const struct probe *probe;
	const struct filter *filter;
	struct snapshots *snapshots; /* NULL: no snapshots are taken */
	struct perf_events events;
	struct source_span span;
	bool running;	    /* the events count */
	uint64_t refused;   /* malformed, or refused by the encoder */
	uint64_t *filtered; /* per CPU: recorded by the program, but dropped by a late -c */
	uint64_t *whole;    /* per CPU: counted as cut by the program, but see ring_sample_is_whole() */
};

extern const struct source_ops samples_ops;

/* The caller sets the members above `events`. 0, -ENOMEM. */
int samples_init(struct samples *samples);
void samples_deinit(struct samples *samples);

/* One record of kind RING_SAMPLE. */
void samples_take(struct samples *samples, const struct ring_head *head, size_t length);
/* Writes what was counted, seen and lost. */
void samples_account(struct samples *samples, struct loss *loss);

#endif
