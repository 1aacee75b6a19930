/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The real causes of a wait. A blocked thread T waits for a wakeup, so all of that time is
 * attributed to its waker: task K, an interrupt, or unknown. If it was K, the same time is examined
 * again, now for K:
 *
 *	T  |------------------ blocked ------------------|-- run queue --|
 *	K  |-- ran --|--- blocked ---|-- queue --|-- ran --| wakes T
 *	                    `- ended by whom? and what did that one do meanwhile? ...
 *
 * Where K ran or was on a run queue the path ends; where K was blocked it continues with K's waker
 * and that part of the time only. So the time of one wait is divided completely and without overlap
 * among the causes at the ends of paths. T's own time on the run queue is itself a cause.
 *
 * Where a waker says too little, somebody else may be known (wait_next.h): who held the lock when
 * the wait began, or who is at the other end of the connection that an interrupt brought data of.
 * Then the time is examined for that one.
 *
 * Unknown parts are reported as such: no waker recorded, a wait that had not ended, a waker in an
 * unknown context, a waker without recorded data. Waits shorter than the recording's -m have no
 * event; K's time without events may contain as much of them as K's sums of short waits in the
 * whole recording: that much is called neither running nor waiting. A wait that appears twice on a
 * path is a cycle, which correct data does not have.
 *
 * A wait's weight (its part within the recording and the requested times) is divided in proportion
 * to the parts found, so that weights add up.
 *
 * Cost: one binary search per hop and one unit of `work` per wait visited. When a target has used
 * up its work, the rest of its time is sampled at evenly spaced moments: each represents the time
 * around it, and has a single path. The weight divided like this is counted. When the work for that
 * is used up too, and after CHAINS_MAX_HOPS, the path ends in a cause that says so.
 */
#ifndef RWALKER_REPORT_VIEW_WAIT_CHAINS_FOLLOW_H
#define RWALKER_REPORT_VIEW_WAIT_CHAINS_FOLLOW_H

#include "report/view/look/task_names.h"
#include "report/view/look/wait_index.h"
#include "report/view/text/object_tally.h"
#include "report/view/wait/chains_tree.h"

enum { CHAINS_MAX_HOPS = 64 };

struct follower {
	const struct waits *waits;
	const struct wait_index *index;
	const struct task_names *names;
	struct places *places;
	struct chains_tree *tree;
	struct object_tally *objects; /* by node of the tree: what its waits were for; NULL if not needed */
	bool per_process;
	uint64_t work;	      /* waits that may still be visited for this target */
	uint64_t moment_work; /* the same when sampling moments */
	uint64_t moments;     /* of a whole target */
	uint64_t sampled;     /* weight divided by sampled moments, of all targets */

	/* The target being divided. */
	uint64_t length, weight; /* of the target; weight is divided in proportion to length */
	uint64_t divided;	 /* length divided so far */
	uint32_t way[CHAINS_MAX_HOPS]; /* the waits from the target to the current one */
	size_t hops;
	uint64_t scale;	 /* ns represented by one ns: 1, or for a moment the time around it */
	uint64_t moment_span; /* 0, or the time that is sampled by moments */
};

/* Divides one wait (a number of the profile's list), or as much of its weight, into the tree. */
int follower_divide(struct follower *follower, uint32_t wait, uint64_t weight);

#endif
