/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Wakers by what they did, for views that group call chains by their leaf: at the leaf of every one of them is the
 * wakeup itself (try_to_wake_up, and often what led there: autoremove_wake_function ...), which tells nothing apart.
 * Such frames of the kernel are taken off; a chain of which then no frame of the kernel is left stays as it is.
 */
#ifndef RWALKER_REPORT_VIEW_WAKE_LEAVES_H
#define RWALKER_REPORT_VIEW_WAKE_LEAVES_H

#include "report/view/functions.h"
#include "report/view/rows.h"

/* Changes the nodes of the rows; *ret_passed: samples of those that it changed. */
int wake_leaves_pass(struct rows *rows, const struct profile *profile, struct functions *functions, uint64_t *ret_passed);

#endif
