/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The waits whose causes are wanted, and the tree of these causes (chains_follow.h has the method).
 * The tables are what following needs: they are made once and serve any number of trees.
 */
#ifndef RWALKER_REPORT_WAIT_CHAINS_TARGETS_H
#define RWALKER_REPORT_WAIT_CHAINS_TARGETS_H

#include "report/view/view.h"
#include "report/wait/chains_follow.h"

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
