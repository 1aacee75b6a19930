/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What really held a wait. A blocked thread T waits for a wakeup, so all of that time belongs to whoever called for
 * it: task K, an interrupt, or nobody that is known. If it was K, the same time is looked at once more, now as K's:
 *
 *	T  |------------------ blocked ------------------|-- run queue --|
 *	K  |-- ran --|--- blocked ---|-- queue --|-- ran --| wakes T
 *	                    `- ended by whom? and what did that one do meanwhile? ...
 *
 * Where K ran or stood on a run queue the way ends; where K was blocked it goes on with K's waker and that part of
 * the time only. So the time of one wait is divided, without rest and without overlap, among causes at the
 * ends of ways. T's own time on the run queue is a cause at once.
 *
 * What is not known is said: no waker recorded, a wait that had not ended, a waker in a context that is not known,
 * a waker of which nothing was recorded. Waits shorter than the recording's -m have no event; of K's time without
 * one, as much may have been such waits as the sums of K's short waits hold in the whole recording: that much is
 * neither called running nor waiting. A wait that is met again on its own way is a cycle, which true data does not have.
 *
 * A wait's weight (what of it lies within the recording and the times asked for) is divided in the proportion of the
 * parts found, so that weights add up.
 *
 * Costs: one binary search per hop and a unit of `work` per wait met. Where a target has used up its work, the rest of
 * its time is looked at moment by moment: evenly spread, each stands for the time around it, and its way is a single
 * one. The weight that was divided so is counted. When the work for that has been used up too, and after
 * CHAINS_MAX_HOPS, the way ends in a cause that says so.
 */
#ifndef RWALKER_REPORT_VIEW_CHAINS_FOLLOW_H
#define RWALKER_REPORT_VIEW_CHAINS_FOLLOW_H

#include "report/view/chains_tree.h"
#include "report/view/task_names.h"
#include "report/view/wait_index.h"

enum { CHAINS_MAX_HOPS = 64 };

struct follower {
	const struct waits *waits;
	const struct wait_index *index;
	const struct task_names *names;
	struct places *places;
	struct chains_tree *tree;
	bool per_process;
	uint64_t work;	      /* waits that may still be met for this target */
	uint64_t moment_work; /* and when it looks at moments only */
	uint64_t moments;     /* that a whole target is worth */
	uint64_t sampled;     /* weight that was divided by moments, of all targets */

	/* The target that is being divided. */
	uint64_t length, weight; /* of it; weight is divided as length is */
	uint64_t divided;	 /* of length, so far */
	uint32_t way[CHAINS_MAX_HOPS]; /* the waits from the target to where it is */
	size_t hops;
	uint64_t scale;	 /* how many ns one ns stands for: 1, or of a moment the time around it */
	uint64_t moment_span; /* 0, or the time that is looked at moment by moment */
};

/* Divides one wait (a number of the profile's list) into the tree. */
int follower_divide(struct follower *follower, uint32_t wait);

#endif
