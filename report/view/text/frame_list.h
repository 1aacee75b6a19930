/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A call chain as lines, leaf first, one frame each, indented by four; with --delimited a mark
 * before the user frames. The functions of its frames must have been looked up.
 */
#ifndef RWALKER_REPORT_VIEW_TEXT_FRAME_LIST_H
#define RWALKER_REPORT_VIEW_TEXT_FRAME_LIST_H

#include "report/view/look/chain.h"
#include "report/view/look/functions.h"
#include "report/view/text/view.h"

/* How a frame is to look according to the options. */
static inline struct frame_style frame_list_style(const struct view_settings *settings)
{
	return (struct frame_style){.addresses = settings->addresses, .offsets = settings->offsets};
}

void frame_list_write(const struct view_context *context, const struct functions *functions,
		      const struct chain *chain);

#endif
