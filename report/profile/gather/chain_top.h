/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The words at the top of a user stack by frame pointers, as a trace has them behind the leaf (format/stack_mark.h). */
#ifndef RWALKER_REPORT_PROFILE_GATHER_CHAIN_TOP_H
#define RWALKER_REPORT_PROFILE_GATHER_CHAIN_TOP_H

#include "report/profile/gather/chain.h"

/* Returns the node of the first caller by frame pointers: the leaf's parent if there are no words. ret_top: or NULL. */
uint32_t chain_top_read(const struct chain_context *context, uint32_t leaf, struct unwind_top *ret_top);

/*
 * The path of a leaf, leaf first, with the callers that the words give in their place, and MARK_CALLER_UNKNOWN where
 * some may be missing. Returns its length, at most `room`; -ENOMEM.
 */
int chain_top_path(const struct chain_context *context, uint32_t process, uint32_t leaf, uint64_t *path, uint32_t room);

#endif
