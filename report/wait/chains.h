/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The causes of the requested waits, as a tree of steps: below the root the targets, below each its
 * causes, and their causes. Equal steps below the same parent are one node; a node's weight is the
 * time that it explains. The nodes are those of a call tree, so that they are printed as one; their
 * contents are in `steps`.
 */
#ifndef RWALKER_REPORT_WAIT_CHAINS_H
#define RWALKER_REPORT_WAIT_CHAINS_H

#include "common/array.h"
#include "common/hash_map.h"
#include "report/view/call_tree.h"
#include "report/view/object_text.h"
#include "report/view/place.h"
#include "report/view/task_names.h"
#include "report/view/view.h"
#include "report/view/waits.h"

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

/* Sums up and sorts, heaviest child first, then by step. Nothing can be entered afterwards. */
int chains_tree_finish(struct chains_tree *tree, const struct places *places, struct call_tree *ret_tree);

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
 * Where a waker says too little, somebody else may be known (struct wait_next): who held the lock when
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

/*
 * The waits whose causes are wanted, and the tree of these causes.
 * The tables are what following needs: they are made once and serve any number of trees.
 */

struct chains_tables {
	struct waits waits;
	struct task_names names;
	struct wait_index index;
	struct functions *functions;
	struct places places;
	bool per_process;
};

/* 0, -ENOMEM, -EBADMSG. Deinitialize it in any case. */
int chains_tables_init(struct chains_tables *tables, const struct view_context *context);
void chains_tables_deinit(struct chains_tables *tables);

enum chains_part { CHAINS_WHOLE, CHAINS_EARLY, CHAINS_LATE }; /* whole recordings, or one half of each */

struct chains_wanted { /* waits of one source that pass the filters */
	uint32_t source;
	bool named;	     /* waits of given threads, however they ended; else the longest that somebody ended */
	bool anybody;	     /* all threads; else those with a matching comm, or this thread if `comm` is NULL */
	const regex_t *comm;
	bool by_name;	     /* or if set, those of processes with this name, a number of task_names */
	uint32_t name;
	uint32_t tid;
	enum chains_part part;
	uint64_t least;	     /* only waits of this weight or more */
	size_t most;	     /* waits; 0: as many as usual */
	bool objects;	     /* also find out what they were for */
};

struct chains_count {
	size_t waits;
	uint64_t weight;
};

struct chains_found {
	struct chains_tables *tables;
	struct chains_wanted wanted;
	struct chains_tree steps;
	struct call_tree tree;
	struct object_tally objects; /* by node; empty if not wanted */
	uint32_t *targets; /* waits, longest first */
	size_t target_count;
	struct chains_count matched, open, timers; /* all that match, without: not ended, ended by a timer */
	uint64_t target_weight, total, sampled;	   /* of those followed; of the tree, and of it, estimated */
};

/* The weight of the shortest of the `most` longest wanted waits; 0 if there are no more. 0, -ENOMEM, -EBADMSG. */
int chains_least(struct chains_tables *tables, const struct chains_wanted *wanted, uint64_t *ret_least);

/* Follows the wanted waits. `tables` outlives it. 0, -ENOMEM, -EBADMSG. Deinitialize it in any case. */
int chains_found_init(struct chains_found *found, struct chains_tables *tables, const struct chains_wanted *wanted);
void chains_found_deinit(struct chains_found *found);

#endif
