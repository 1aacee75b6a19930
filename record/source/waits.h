/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The off-CPU source: turns what its programs write into events of the trace. It starts with a
 * first look at all tasks and ends with a last one, which writes the waits that have not ended. The
 * drain passes it the records of the rings.
 */
#ifndef RWALKER_RECORD_SOURCE_WAITS_H
#define RWALKER_RECORD_SOURCE_WAITS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/ring.h"
#include "record/probe/sched_clock.h"
#include "record/source/source.h"
#include "record/source/unended_waits.h"

struct open_waits;
struct probe;
struct ring_head;
struct user_stacks;

struct waits {
	struct recording *recording;
	struct probe *probe;
	const struct filter *filter;
	struct snapshots *snapshots; /* NULL: no snapshots */
	struct user_stacks *stacks; /* NULL: user stacks are not recorded */
	struct wait_objects *objects; /* NULL: objects of waits are not recorded. Shared with walks */
	struct unended_waits unended;
	struct drain *drain; /* NULL: there are no rings yet */
	struct open_waits *open; /* NULL: no dumps are made */
	char *buffer;		    /* of the last look */
	uint64_t *filtered;	    /* per CPU: dropped by a -c that is too large for the kernel side */
	uint64_t refused;	    /* malformed records */
	struct sched_clock_watch clock;
	bool drifted; /* it was reported */
	struct source_span span;
	bool running; /* the programs write */
};

extern const struct source_ops waits_ops;

int waits_init(struct waits *waits);
void waits_deinit(struct waits *waits);

/* Attaches the programs and looks at all tasks; nothing is written yet. 0, or -errno after reporting why. */
void waits_start(struct waits *waits);
/* To be called now and then: compares the scheduler's clock with ours, which is adjusted as it runs. */
void waits_follow_clock(struct waits *waits);
/*
 * The last look. After it the programs are gone, and what they wrote is still in the rings. User
 * stacks of waits that have not ended are still being copied (unended_waits.h). 0, or -errno after
 * reporting why.
 */

/* Writes what was seen and lost. */
void waits_account(struct waits *waits, struct loss *loss);

/* One record of a ring, of any kind but a sample. Frames beyond its length are ignored. */
void waits_take(struct waits *waits, const struct ring_head *head, size_t length);

/* Starts a look at all tasks. Returns a descriptor to read its records from, or -errno. */
int waits_look_open(const struct waits *waits, enum ring_look kind);
/* What follows the frames of a wait that has not ended: the number of its task's switches. */
uint64_t waits_switches(const struct ring_wait *wait);
/* Length of the record at `at`, by its own fields; 0 if it is incomplete or not a record. */
size_t waits_record_length(const char *at, size_t room);

#endif
