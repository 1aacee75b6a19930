/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * User stacks of one section: from the snapshot of an event where it has one, else as the frame pointers told it. A chain
 * that does not end where the program begins says so at its root, by a frame that is no code but a note.
 */
#ifndef RWALKER_REPORT_PROFILE_UNWIND_H
#define RWALKER_REPORT_PROFILE_UNWIND_H

#include "report/profile_chain.h"

struct profile_unwinding;
struct unwind_chain;

/*
 * For the chains of a section: `unwinding` is NULL where it has no snapshots, or is of a machine that is not unwound (which is
 * said); nodes and cache are the caller's to set. On failure there is something to deinit.
 */
int chain_context_init(struct chain_context *context, struct profile *profile, const struct trace_model *model);
void chain_context_deinit(struct chain_context *context);

/* The chain from a snapshot, with the event's leaf and number as below: 1; it is valid until the next call. 0: there is none. */
int profile_unwinding_run(const struct chain_context *context, uint32_t process, uint32_t leaf, uint32_t snapshot,
			  const struct unwind_chain **ret_chain);

/*
 * The user stack of an event: `leaf` is the chunk's node that the frame pointers led to (a root: none), `snapshot` the number
 * of its snapshot, 0: none. *ret_chain.node is 0 where there is neither.
 */
int chain_user_of(const struct chain_context *context, uint32_t process, uint32_t leaf, uint32_t snapshot,
		  struct user_chain *ret_chain);

#endif
