/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Walked tasks as text, and who holds them up. */
#ifndef RWALKER_REPORT_VIEW_STACK_WALK_TEXT_H
#define RWALKER_REPORT_VIEW_STACK_WALK_TEXT_H

#include <stdio.h>

#include "report/view/look/walk_holders.h"

/*
 * "mv tid 31630 pid 31630, D for 5.230 s, in rename on rwsem #3", "dd tid 7 pid 7, running on CPU
 * 1"; only the name of a task that was not walked. Does not say who holds it up.
 */
void walk_write_task(FILE *out, const struct waits *waits, const struct walk_holders *holders, uint32_t number);

/* A line for each task that holds it up: "    [held by mv tid 31630 pid 31630, S for 5.230 s, sleep 60.0 s]". */
void walk_write_holders(FILE *out, const struct waits *waits, const struct walk_holders *holders, uint32_t row);

#endif
