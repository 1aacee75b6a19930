/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The causes of the requested waits, as a tree of steps: below the root the targets, below each its
 * causes, and their causes. Equal steps below the same parent are one node; a node's weight is the
 * time that it explains. The nodes are those of a call tree, so that they are printed as one; their
 * contents are in `steps`.
 */
#ifndef RWALKER_REPORT_VIEW_WAIT_CHAINS_TREE_H
#define RWALKER_REPORT_VIEW_WAIT_CHAINS_TREE_H

#include "common/array.h"
#include "common/hash_map.h"
#include "report/view/look/place.h"
#include "report/view/look/task_names.h"
#include "report/view/look/wait_next.h"
#include "report/view/tree/call_tree.h"

enum step_kind {
	STEP_TARGET, /* comm, at, wait_class: the requested waits */
	/* A task ended the wait (comm, wake): what it did in the meantime. */
	STEP_BLOCKED, /* waited itself, at: continued below */
	STEP_RAN,
	STEP_RAN_OR_BRIEF, /* ran, or waited too briefly to be recorded */
	STEP_WAITED_FOR_CPU,
	STEP_WAS_THROTTLED,
	STEP_NOT_BORN,
	STEP_UNSEEN,	   /* nothing is known about it */
	STEP_IDLE,	   /* an idle CPU */
	STEP_ODD_CONTEXT,  /* it may have been interrupted, in which case it is not the cause */
	/* An interrupt ended the wait (wake). */
	STEP_TIMER,
	STEP_SOFTIRQ,
	STEP_IRQ,
	/* Ends of paths. */
	STEP_RUN_QUEUE, /* the sleeper's own time on the run queue */
	STEP_THROTTLED, /* the sleeper's own time without quota */
	STEP_NO_WAKER,
	STEP_NOT_ENDED,
	STEP_CYCLE,
	STEP_TOO_DEEP,
	STEP_TOO_MUCH, /* a limit of work or memory was reached */
	STEP_KINDS
};

struct step { /* has no padding; members that its kind does not use are 0 */
	uint32_t kind, wait_class;
	uint32_t name;		/* of the process: a number of task_names */
	uint32_t comm, process; /* numbers of task_names; process: 0 if not split by process */
	uint32_t by;		/* enum wait_next_by: why it follows the step above */
	struct place wake, at;	/* where it woke the thread above, where it was itself */
};

/* "woken by B in futex_wake (unlock), which was blocked in pipe_read"; for a target "app blocked in pipe_read". */
void chains_step_write(const struct step *step, const struct task_names *names, const struct places *places,
		       bool per_process, FILE *out);

struct chains_tree {
	ARRAY(struct step) steps; /* by node */
	ARRAY(uint64_t) counts;	  /* by node: number of entries */
	ARRAY(struct call_tree_node) nodes;
	uint32_t *children;
	struct hash_map known; /* (parent, step) -> node */
	size_t room;	       /* nodes that may still be added, not counting those of STEP_TOO_MUCH */
	uint64_t too_much;     /* weight of all STEP_TOO_MUCH */
};

int chains_tree_init(struct chains_tree *tree);
void chains_tree_deinit(struct chains_tree *tree);

/* Enters the step below a parent. 0; -ENOSPC: no room, unless it is STEP_TOO_MUCH; -ENOMEM. */
int chains_tree_enter(struct chains_tree *tree, uint32_t parent, const struct step *step, uint32_t *ret_node);

/* Adds weight that ends in a node. */
void chains_tree_add(struct chains_tree *tree, uint32_t node, uint64_t weight);

/* Sums up and sorts, heaviest child first, then by step. Nothing can be entered afterwards. */
int chains_tree_finish(struct chains_tree *tree, const struct places *places, struct call_tree *ret_tree);

#endif
