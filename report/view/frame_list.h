/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A call chain as lines, leaf first, a frame each, indented by four; with --delimited a mark where the user's frames
 * begin. The functions of its frames must have been found.
 */
#ifndef RWALKER_REPORT_VIEW_FRAME_LIST_H
#define RWALKER_REPORT_VIEW_FRAME_LIST_H

#include "report/view/chain.h"
#include "report/view/functions.h"
#include "report/view/view.h"

void frame_list_write(const struct view_context *context, const struct functions *functions, const struct chain *chain);

#endif
