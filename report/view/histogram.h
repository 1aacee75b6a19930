/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The common stacks: rows that share the six frames next to the leaf, most frequent first.
 *
 *	12 hits state D,S comms jbd2, dd (+2 more)
 *	    rwsem_down_write_slowpath
 *	    ...
 *
 * Below --tasks it shows all of them; as a view of its own it leaves out and counts those below the least share.
 */
#ifndef RWALKER_REPORT_VIEW_HISTOGRAM_H
#define RWALKER_REPORT_VIEW_HISTOGRAM_H

#include "report/view/view.h"

int histogram_print(const struct view_context *context, uint32_t number, const struct profile_source *source);

#endif
