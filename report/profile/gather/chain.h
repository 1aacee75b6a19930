/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Translates stack nodes of a chunk into nodes of the profile. Most stacks of a chunk share most of
 * their path, so the result for a chunk's node is cached: for user nodes with the address space for
 * which it is valid (by its generation), for kernel nodes as frames, and for a kernel stack on top
 * of a user stack as a pair. There is one cache per open chunk, cleared when the next chunk takes
 * its place. So the work is done per node that is new to its chunk, not per sample.
 */
#ifndef RWALKER_REPORT_PROFILE_GATHER_CHAIN_H
#define RWALKER_REPORT_PROFILE_GATHER_CHAIN_H

#include "report/profile/gather/chain_marks.h"
#include "report/profile/tables/profile_internal.h"

struct cached_user {
	uint64_t space, leaf_space; /* address spaces for which the rest, and leaf_node, are valid; 0: none */
	uint32_t caller_node; /* the path to here, if this is a return address or a mark */
	uint32_t leaf_node;   /* the same, if this is the leaf */
	struct chain_verdict verdict; /* from the marks on the path */
	bool exact;	      /* this is MARK_EXACT: a child is not a return address */
	bool trimmed;	      /* the path was shortened */
	bool caller_unknown;  /* if this is the leaf: some of its callers may be missing */
};

struct cached_kernel {
	uint32_t caller_frame, leaf_frame; /* NO_NUMBER: not looked up yet */
	uint32_t begins; /* whether its address is a function's first byte; NO_NUMBER: not looked up yet */
};

struct cached_pair {
	uint64_t key; /* node of the profile, kind of query, node of the chunk */
	uint32_t node;
	bool stripped;
};

struct chain_cache {
	struct cached_user *user;
	struct cached_kernel *kernel;
	size_t user_room, kernel_room;
	struct index_table pair_table;
	ARRAY(struct cached_pair) pairs;
};

struct profile_unwinding;

struct chain_context { /* the task whose chain this is */
	struct profile *profile;
	const struct trace_model *model;
	struct timeline *timeline; /* the model's, which is replayed alongside */
	struct copied_code *copied; /* the model's; marked as referred when a frame is in them */
	uint32_t *modules; /* numbers in profile->modules, by index in model->modules; NO_NUMBER: not looked up yet */
	struct modules_place place; /* the scope of these modules */
	uint32_t host;
	const struct stack_node *nodes; /* of the chunk */
	struct chain_cache *cache;
	bool strip_entry; /* all BPF frames at the leaf belong to the recorder ... */
	struct profile_unwinding *unwinding; /* NULL: nothing can be unwound */
	const char *traced; /* ... down to this function, which was traced; NULL: recognize them by name */
};

int chain_cache_init(struct chain_cache *cache);
void chain_cache_deinit(struct chain_cache *cache);
/* Clears the cache and makes room for that many nodes. -ENOMEM. */
int chain_cache_reset(struct chain_cache *cache, size_t nodes);

struct user_chain {
	uint32_t node;
	bool trimmed; /* its root end was cut off */
	bool known;   /* at least one mapping of the process is known */
	struct chain_verdict verdict; /* if unwound, the quality of the frame-pointer stack does not matter */
};

/* The number in the profile of the module that the section calls `id`; 0 if the section does not know it. -ENOMEM. */
int chain_section_module(const struct chain_context *context, uint32_t id, uint32_t *ret_number);
/* Fills in the frame of an address in a mapping of the process: its module, and the address within it. */
int chain_mapped_frame(const struct chain_context *context, uint32_t process, const struct mapping *mapping,
		       struct profile_frame *frame);
/* The frame of an address of the process, by its present mappings. */
int chain_user_frame(const struct chain_context *context, uint32_t process, uint64_t address, bool caller,
		     struct profile_frame *ret_frame);
/*
 * The same for a leaf without callers. For a task in execve() only the call itself is left of the
 * user stack, and that is in the program that was replaced.
 */
int chain_leaf_frame(const struct chain_context *context, uint32_t process, uint64_t address,
		     struct profile_frame *ret_frame);
/* Identifies the address space, and the process too if perf maps name its code. Never 0. */
uint64_t chain_name_space(const struct chain_context *context, uint32_t process, uint64_t generation);

/* The user stack that ends in chunk node `leaf` (not a root), for a process of the timeline. */
int chain_user(const struct chain_context *context, uint32_t process, uint32_t leaf,
	       struct user_chain *ret_chain);
/* The kernel stack that ends in `leaf`, on top of node `base`. *ret_stripped: BPF frames were removed from its leaf. */
int chain_kernel(const struct chain_context *context, uint32_t base, uint32_t leaf, uint32_t *ret_node,
		 bool *ret_stripped);

#endif
