/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What held the waits that were asked about, as a tree of steps: below the root the targets, below each what held it,
 * and what held that. The same step below the same parent is one node; a node's weight is the time that it explains.
 * The nodes are those of a call tree, so that they are printed as one; what each of them says is in `steps`.
 */
#ifndef RWALKER_REPORT_VIEW_CHAINS_TREE_H
#define RWALKER_REPORT_VIEW_CHAINS_TREE_H

#include "common/array.h"
#include "common/hash_map.h"
#include "report/view/call_tree.h"
#include "report/view/place.h"

enum step_kind {
	STEP_TARGET, /* comm, at, wait_class: what is asked about */
	/* How a wait was ended by a task (comm, wake): what that task did in the meantime. */
	STEP_BLOCKED, /* waited itself, at: goes on below */
	STEP_RAN,
	STEP_RAN_OR_BRIEF, /* ran, or waited too briefly to be recorded */
	STEP_WAITED_FOR_CPU,
	STEP_NOT_BORN,
	STEP_UNSEEN,	   /* nothing is known of it */
	STEP_IDLE,	   /* an idle CPU */
	STEP_ODD_CONTEXT,  /* it may have been interrupted, and then it is not the cause */
	/* By an interrupt (wake). */
	STEP_TIMER,
	STEP_SOFTIRQ,
	STEP_IRQ,
	/* Where the way ends. */
	STEP_RUN_QUEUE, /* the sleeper's own time on the run queue */
	STEP_NO_WAKER,
	STEP_NOT_ENDED,
	STEP_CYCLE,
	STEP_TOO_DEEP,
	STEP_TOO_MUCH, /* a bound on work or memory was met */
	STEP_KINDS
};

struct step { /* no byte of it is padding; what does not belong to its kind is 0 */
	uint32_t kind, wait_class;
	uint32_t comm, process; /* numbers of task_names; process: 0 where not split by it */
	struct place wake, at;	/* where it woke the one above, where it was itself */
};

struct chains_tree {
	ARRAY(struct step) steps; /* by node */
	ARRAY(uint64_t) counts;	  /* by node: how often it was entered */
	ARRAY(struct call_tree_node) nodes;
	uint32_t *children;
	struct hash_map known; /* (parent, step) -> node */
	size_t room;	       /* nodes that may still be added; those of STEP_TOO_MUCH come on top */
	uint64_t too_much;     /* weight of all STEP_TOO_MUCH */
};

int chains_tree_init(struct chains_tree *tree);
void chains_tree_deinit(struct chains_tree *tree);

/* Enters the step below a parent: 0; -ENOSPC where there is no room, unless it is STEP_TOO_MUCH; -ENOMEM. */
int chains_tree_enter(struct chains_tree *tree, uint32_t parent, const struct step *step, uint32_t *ret_node);

/* Weight that ends in a node. */
void chains_tree_add(struct chains_tree *tree, uint32_t node, uint64_t weight);

/* Sums up and sorts, heaviest child first, then by what steps say. Nothing can be entered from then on. */
int chains_tree_finish(struct chains_tree *tree, const struct places *places, struct call_tree *ret_tree);

#endif
