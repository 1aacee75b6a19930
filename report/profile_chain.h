/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Stack nodes of a chunk into nodes of the profile. Most stacks of a chunk share most of their path, so what was found
 * for a chunk's node is kept: for user nodes with the address space it holds for (by its generation), for kernel nodes
 * as frames, and for a kernel stack on top of a user stack as a pair. One cache for each open chunk, wiped when its place is
 * taken by the next. Work is thus per node that is new to its chunk, not per sample.
 */
#ifndef RWALKER_REPORT_PROFILE_CHAIN_H
#define RWALKER_REPORT_PROFILE_CHAIN_H

#include "report/profile_internal.h"
#include "report/profile_marks.h"

struct user_place {
	uint64_t space, leaf_space; /* what the rest, what leaf_node holds for; 0: nothing */
	uint32_t caller_node; /* the path to here, this being a return address, or a mark */
	uint32_t leaf_node;   /* the same, this being the leaf */
	struct chain_verdict verdict; /* by the marks on the path */
	bool exact;	      /* this is MARK_EXACT: a child is no return address */
	bool trimmed;	      /* the path is shorter than it was */
};

struct kernel_place {
	uint32_t caller_frame, leaf_frame; /* NO_NUMBER: not asked for */
};

struct pair_place {
	uint64_t key; /* node of the profile, what is asked, node of the chunk */
	uint32_t node;
	bool stripped;
};

struct chain_cache {
	struct user_place *user;
	struct kernel_place *kernel;
	size_t user_room, kernel_room;
	struct index_table pair_table;
	ARRAY(struct pair_place) pairs;
};

struct profile_unwinding;

struct chain_context { /* for whom the chain is made */
	struct profile *profile;
	const struct trace_model *model;
	uint32_t *modules; /* numbers in profile->modules, by place in model->modules; NO_NUMBER: not asked for */
	uint32_t host;
	const struct stack_node *nodes; /* of the chunk */
	struct chain_cache *cache;
	bool strip_entry; /* BPF frames at the leaf are the recorder's way in, whatever they are ... */
	struct profile_unwinding *unwinding; /* NULL: there are no snapshots */
	const char *traced; /* ... down to this function, which is what was traced; NULL: the way's end tells itself */
};

int chain_cache_init(struct chain_cache *cache);
void chain_cache_deinit(struct chain_cache *cache);
/* Forgets everything and makes room for so many nodes. -ENOMEM. */
int chain_cache_reset(struct chain_cache *cache, size_t nodes);

struct user_chain {
	uint32_t node;
	bool trimmed; /* its root end was cut off */
	bool known;   /* some mapping of the process is known */
	struct chain_verdict verdict; /* unwound: what is said of the stack by frame pointers is of no account */
};

/* The frame of an address in a mapping of the process: its module, and the address there. */
int chain_mapped_frame(const struct chain_context *context, uint32_t process, const struct mapping *mapping,
		       struct profile_frame *frame);
/* The frame of an address of the process, as it is mapped now. */
int chain_user_frame(const struct chain_context *context, uint32_t process, uint64_t address, bool caller,
		     struct profile_frame *ret_frame);
/* Names the address space, and the process too where perf maps name code by process. Never 0. */
uint64_t chain_name_space(const struct chain_context *context, uint32_t process, uint64_t generation);

/* The user stack that ends in chunk node `leaf` (not a root), of a process of the timeline. */
int chain_user(const struct chain_context *context, uint32_t process, uint32_t leaf, struct user_chain *ret_chain);
/* The kernel stack that ends in `leaf`, on top of node `base`. *ret_stripped: BPF frames were taken off its leaf. */
int chain_kernel(const struct chain_context *context, uint32_t base, uint32_t leaf, uint32_t *ret_node,
		 bool *ret_stripped);

#endif
