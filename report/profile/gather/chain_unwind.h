/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * User stacks of one section: from the snapshot of an event if it has one, else from frame
 * pointers. A chain that does not end at the start of the program or thread has a note at its root
 * that says so: a frame that is not code.
 */
#ifndef RWALKER_REPORT_PROFILE_GATHER_CHAIN_UNWIND_H
#define RWALKER_REPORT_PROFILE_GATHER_CHAIN_UNWIND_H

#include "report/profile/gather/chain.h"

struct profile_unwinding;
struct unwind_callers;
struct unwind_chain;
struct unwind_top;

/*
 * For the chains of a section. `unwinding` is NULL if the section has no user stacks, or is from an
 * unsupported machine (which is reported). The caller sets nodes and cache. Must be deinited on
 * failure, too.
 */
int chain_context_init(struct chain_context *context, struct profile *profile, struct trace_model *model);
void chain_context_deinit(struct chain_context *context);

/*
 * The chain from a snapshot; the event's leaf and the snapshot's number are as below. 1: found,
 * valid until the next call; 0: none.
 */
int profile_unwinding_run(const struct chain_context *context, uint32_t process, uint32_t leaf,
			  uint32_t snapshot, const struct unwind_chain **ret_chain);

/* The callers of the leaf at `pc` that have no frame record (unwinder_callers()). */
int profile_unwinding_callers(const struct chain_context *context, uint32_t process, uint64_t pc,
			      const struct unwind_top *top, struct unwind_callers *ret_callers);

/*
 * The user stack of an event. `leaf`: the chunk's node found by frame pointers (a root: none).
 * `snapshot`: the number of the event's snapshot, 0: none. *ret_chain.node is 0 if there is
 * neither.
 */
int chain_user_of(const struct chain_context *context, uint32_t process, uint32_t leaf, uint32_t snapshot,
		  struct user_chain *ret_chain);

#endif
