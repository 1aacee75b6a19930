/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Walks over all tasks: reads the iterator (bpf/tasks.bpf.c) and encodes a row per task it kept. Before each walk
 * sched_clock, by which the scheduler dates its switches, is set against CLOCK_MONOTONIC.
 */
#ifndef RWALKER_RECORD_WALK_H
#define RWALKER_RECORD_WALK_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/ring_event.h"

struct filter;
struct probe;
struct record_walk;
struct recording;

struct walk {
	struct recording *recording;
	const struct probe *probe;
	const struct filter *filter;
	uint32_t source;
	uint32_t number; /* of the last walk, from 1 */
	uint64_t rows;	 /* encoded, of all walks */
	uint64_t refused;
	uint64_t kept; /* of the last walk */
	uint64_t unwanted; /* of the last walk: kept by the program, not wanted by a late -c */
	struct {       /* the longest wait in D of the last walk; wait 0: none */
		uint64_t wait;
		uint32_t tid;
		char comm[RING_COMM_SIZE];
	} worst;
	uint8_t *buffer;
	uint64_t frames[RING_MAX_FRAMES];
};

int walk_init(struct walk *walk);
void walk_deinit(struct walk *walk);

/* One walk. -errno after it said why; a log that fails is not an error of the walk. */
int walk_run(struct walk *walk, const struct record_walk *config);

#endif
