/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The comms of a group of rows, heaviest first, then by name: "dd, sh, cat (+3 more)". A list is
 * filled and printed repeatedly; comms that do not occur cost nothing.
 */
#ifndef RWALKER_REPORT_VIEW_TEXT_COMM_LIST_H
#define RWALKER_REPORT_VIEW_TEXT_COMM_LIST_H

#include <stdio.h>

#include "report/view/look/task_names.h"

struct comm_list {
	const struct task_names *names;
	uint64_t *weights;  /* by comm */
	uint32_t *present;  /* the comms with a weight */
	size_t present_count;
};

int comm_list_init(struct comm_list *list, const struct task_names *names);
void comm_list_deinit(struct comm_list *list);

void comm_list_add(struct comm_list *list, uint32_t task, uint64_t weight);

/* Prints at most `most` of them and empties the list. */
void comm_list_write(struct comm_list *list, size_t most, FILE *out);

#endif
