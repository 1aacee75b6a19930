/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How much of a source each function took: itself (chains that end in it), and in total, with all
 * that it called. A chain counts once for each of its functions, also if they are recursive.
 *
 * The time depends on the number of rows and of nodes that their chains touch, not on their depth.
 */
#ifndef RWALKER_REPORT_VIEW_LOOK_FUNCTION_TOTALS_H
#define RWALKER_REPORT_VIEW_LOOK_FUNCTION_TOTALS_H

#include <stddef.h>

#include "report/view/look/functions.h"
#include "report/view/look/rows.h"
#include "report/view/look/tally.h"

struct function_total {
	uint32_t function; /* FUNCTION_NONE: empty chains */
	struct tally self, total;
};

struct function_totals {
	struct function_total *items; /* in no particular order; each is in some chain */
	size_t count;
};

/* Also looks up the functions. 0, -ENOMEM, -EBADMSG: a node is not in the profile. */
int function_totals_init(struct function_totals *totals, const struct rows *rows, struct functions *functions);
void function_totals_deinit(struct function_totals *totals);

#endif
