/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The most common stacks: rows that share the six leaf-most frames, most frequent first.
 *
 *	12 hits state D,S comms jbd2, dd (+2 more)
 *	    rwsem_down_write_slowpath
 *	    ...
 *
 * Below --tasks all are shown. As a view of its own it only counts those below the least share.
 */
#ifndef RWALKER_REPORT_VIEW_STACK_HISTOGRAM_H
#define RWALKER_REPORT_VIEW_STACK_HISTOGRAM_H

#include "report/view/text/view.h"

int histogram_print(const struct view_context *context, uint32_t number, const struct profile_source *source);

#endif
