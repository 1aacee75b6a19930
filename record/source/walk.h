/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Walks over all tasks: reads the iterator (bpf/tasks.bpf.c) and encodes a row for each task it
 * kept. Before each walk, sched_clock, by which the scheduler dates its switches, is compared with
 * CLOCK_MONOTONIC. User stacks come afterwards (walk_users.h); what has been walked by then does
 * not depend on them.
 */
#ifndef RWALKER_RECORD_SOURCE_WALK_H
#define RWALKER_RECORD_SOURCE_WALK_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "bpf/ring.h"
#include "record/source/source.h"

struct record_walk;

struct walk {
	struct recording *recording;
	const struct probe *probe;
	const struct filter *filter;
	struct drain *drain; /* NULL: there are no rings */
	uint32_t number; /* of the last walk, from 1 */
	uint64_t rows;	 /* encoded, of all walks */
	uint64_t refused;
	uint64_t kept; /* of the last walk */
	uint64_t unwanted; /* of the last walk: kept by the program, dropped by a late -c */
	struct {       /* the longest wait in D of the last walk; wait 0: none */
		uint64_t wait;
		uint32_t tgid, tid;
		char comm[RING_COMM_SIZE];
	} worst;
	struct walk_users *users; /* NULL: no user stacks. Shared with waits: only one of the two uses it at a time */
	struct wait_objects *objects; /* NULL: objects that tasks sleep for are not recorded. Shared with waits */
	struct ring_walk totals;  /* of the last walk */
	bool pending;		  /* its rows still lack user stacks */
	uint8_t *buffer;
	uint64_t stop; /* when the last one was finished; 0: not yet */
};

extern const struct source_ops walk_ops;

/* 0, -ENOMEM. */
int walk_init(struct walk *walk);
void walk_deinit(struct walk *walk);

/*
 * One walk. 0, or -errno after reporting why; a log that fails is not an error of the walk. Its
 * rows are written at once, or, with user stacks, by walk_step(), until walk->pending is false. A
 * walk that is pending when the next one begins ends then.
 */
int walk_run(struct walk *walk, const struct record_walk *config);
/* Waits for at most timeout_ms. */
void walk_step(struct walk *walk, int timeout_ms);
/* Waits for user stacks for at most budget_ms, then writes the remaining rows without them. */
void walk_finish(struct walk *walk, unsigned int budget_ms);

#endif
