/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Removes the wakeup itself from wakers' chains, for views that group call chains by leaf: every
 * such chain has it at the leaf (try_to_wake_up, and often its callers: autoremove_wake_function
 * ...), so it distinguishes nothing. A chain that would lose all its kernel frames stays unchanged.
 */
#ifndef RWALKER_REPORT_VIEW_TREE_WAKE_LEAVES_H
#define RWALKER_REPORT_VIEW_TREE_WAKE_LEAVES_H

#include "report/view/look/functions.h"
#include "report/view/look/rows.h"
#include "report/view/text/view.h"

/* Changes the nodes of the rows; *ret_passed: samples of the changed rows. */
int wake_leaves_pass(struct rows *rows, const struct profile *profile, struct functions *functions,
		     uint64_t *ret_passed);

/* Says so below the view, in a comment line. `samples`: of all rows. */
void wake_leaves_write_note(const struct view_context *context, uint64_t passed, uint64_t samples);

#endif
