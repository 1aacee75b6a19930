/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --by: prints a view once for each group of a source, heaviest first, each with a heading of its
 * own. Percentages are of the whole source. Groups below the least share are counted, not shown.
 */
#ifndef RWALKER_REPORT_VIEW_BY_GROUP_H
#define RWALKER_REPORT_VIEW_BY_GROUP_H

#include "report/view/text/view.h"

int by_group_print(const struct view_context *context, const struct view *view, uint32_t number,
		   const struct profile_source *source);

/* If no event of the source has the field, says so and returns 1; else 0, -ENOMEM. */
int by_group_check(const struct view_context *context, uint32_t number, FILE *out);

#endif
