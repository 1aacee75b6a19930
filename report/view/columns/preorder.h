/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A tree in preorder, siblings by the number of their function, as two columns: how many levels up
 * from the previous node, and the function. So a subtree is a range of numbers, and neighbours
 * resemble each other, which compresses well.
 */
#ifndef RWALKER_REPORT_VIEW_COLUMNS_PREORDER_H
#define RWALKER_REPORT_VIEW_COLUMNS_PREORDER_H

#include "report/view/columns/columns.h"
#include "report/view/look/readings.h"

/*
 * `function_of`: by node. Sets place[node], from 1 on, for each node that represents itself.
 * Returns the number of nodes including the root, or 0 if memory ran out.
 */
size_t preorder_write(const struct readings *readings, const uint32_t *function_of, size_t function_count,
		      uint32_t *place, struct columns *columns);

#endif
