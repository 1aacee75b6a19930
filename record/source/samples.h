/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* CPU samples: from a ring's record (bpf/ring_event.h) to an event of the log. */
#ifndef RWALKER_RECORD_SOURCE_SAMPLES_H
#define RWALKER_RECORD_SOURCE_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

struct filter;
struct recording;
struct ring_head;
struct snapshots;

struct samples {
	struct recording *recording;
	const struct filter *filter;
	struct snapshots *snapshots; /* NULL: no snapshots are taken */
	uint64_t period;	     /* of samples that need not carry one; set once it is known */
	uint64_t refused;	     /* malformed, or refused by the encoder */
	uint64_t *filtered;	     /* per CPU: recorded by the program, but dropped by a late -c */
	uint64_t *whole;	     /* per CPU: counted as cut by the program, but see ring_sample_is_whole() */
};

/* 0, -ENOMEM. Recording and filter are borrowed. */
int samples_open(struct samples *samples, struct recording *recording, const struct filter *filter);
void samples_close(struct samples *samples);

/* One record of kind RING_SAMPLE. */
void samples_take(struct samples *samples, const struct ring_head *head, size_t length);

#endif
