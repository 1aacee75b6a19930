/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --chains of walks: each task that holds a lock and does not wait for one; below it, the tasks that it holds up. */
#ifndef RWALKER_REPORT_VIEW_STACK_WALK_CHAINS_H
#define RWALKER_REPORT_VIEW_STACK_WALK_CHAINS_H

#include "report/view/text/view.h"

/* 0, -ENOMEM, -EBADMSG. */
int walk_chains_print(const struct view_context *context);

#endif
