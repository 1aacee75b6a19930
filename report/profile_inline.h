/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Inlined functions become frames of their own. When all traces have been read, all addresses of each module are resolved at
 * once (report/resolve/module_lines.h), and each node whose address lies in inlined code becomes a path of nodes: the real
 * function, then what is inlined in it, the innermost leaf-most. Everything that refers to a node is made to refer to
 * the last of its path. Work is per unique address and per node, never per sample; nodes keep their order.
 */
#ifndef RWALKER_REPORT_PROFILE_INLINE_H
#define RWALKER_REPORT_PROFILE_INLINE_H

#include "report/profile_internal.h"

/* After the last node was made, before anything is put in order. Does nothing with --quick. -ENOMEM. */
int profile_expand_inlines(struct profile *profile);

/* What is known of the frame's line, and of its function's name where that is inlined; false: nothing. */
bool profile_find_level(const struct profile *profile, const struct profile_frame *frame, struct line_level *ret_level);

/* Says which modules' DWARF could not be read, or not all of it. -ENOMEM. */
int account_inlines(struct profile *profile);

#endif
