/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A ring's record of a tick or a hit (struct ring_sample): checks that it can be one, and adds it to the log. */
#ifndef RWALKER_RECORD_SOURCE_SAMPLES_H
#define RWALKER_RECORD_SOURCE_SAMPLES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/ring.h"
#include "format/event.h"
#include "record/perf/perf_event.h"
#include "record/source/source.h"

struct recording;
struct ring_head;
struct snapshots;

/* Whether the record has all of its frames, and a CPU below max_cpus. */
bool ring_sample_is_sound(const struct ring_sample *raw, size_t length, uint32_t max_cpus);

/*
 * Completes the sample, whose period or probe the caller has set, and adds it; its user frames
 * are marked. snapshots: NULL if there are none. 0; -EINVAL if the encoder refuses it; else as
 * recording_check(), which has been called.
 */
int ring_sample_add(struct recording *recording, struct snapshots *snapshots, const struct ring_sample *raw,
		    const struct event_task *task, struct event_sample *sample);

/*
 * Whether the program counted a stack as cut that is not cut in the trace: only noise was cut off,
 * or a snapshot has the stack as well, or the sample was left out (its flags are zero).
 */
static inline bool ring_sample_is_whole(const struct ring_sample *raw, const struct event_sample *sample)
{
	const uint64_t cut = SAMPLE_KERNEL_TRUNCATED | (sample->snapshot ? 0U : SAMPLE_USER_TRUNCATED);

	return (raw->flags & (RING_SAMPLE_KERNEL_TRUNCATED | RING_SAMPLE_USER_TRUNCATED)) && !(sample->flags & cut);
}

/* The CPU profile: its perf events, and the way of a sample from a ring (bpf/ring.h) to an event of the log. */

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
