/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The off-CPU source: what its programs tell becomes events of the trace. Started with a first look at all tasks, ended with
 * a last one, which tells the waits that have not ended. The drain gives it the records of the rings.
 */
#ifndef RWALKER_RECORD_WAITS_H
#define RWALKER_RECORD_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/unended_waits.h"

struct filter;
struct probe;
struct recording;
struct ring_head;
struct snapshots;
struct user_stacks;

struct waits {
	struct recording *recording;
	struct probe *probe;
	const struct filter *filter;
	struct snapshots *snapshots; /* NULL: there are none */
	struct user_stacks *stacks; /* NULL: user stacks are not recorded */
	struct unended_waits unended;
	char *buffer;		    /* of the last look */
	uint64_t *filtered;	    /* per CPU, by a -c that is too large for the kernel side */
	uint64_t refused;	    /* records that are not what they should be */
};

int waits_init(struct waits *waits);
void waits_deinit(struct waits *waits);

/* Attaches the programs and looks at all tasks; nothing is told yet. -errno after it said why. */
int waits_open(struct waits *waits);
void waits_start(struct waits *waits);
/* Once in a while: the scheduler's clock against ours, which is adjusted as it runs. */
void waits_follow_clock(struct waits *waits);
/*
 * The last look; then the programs are gone, and what they told is still in the rings. User stacks of waits that have not
 * ended are under way (unended_waits.h). -errno after it said why.
 */
int waits_stop(struct waits *waits);

/* One record of a ring, of any kind but a sample; frames beyond its length are not looked at. */
void waits_take(struct waits *waits, const struct ring_head *head, size_t length);

#endif
