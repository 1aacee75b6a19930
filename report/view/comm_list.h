/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which comms a group of rows belongs to, heaviest first, then by name: "dd, sh, cat (+3 more)".
 * One list is filled and printed again and again; filling costs nothing for comms that do not occur.
 */
#ifndef RWALKER_REPORT_VIEW_COMM_LIST_H
#define RWALKER_REPORT_VIEW_COMM_LIST_H

#include <stdio.h>

#include "report/view/task_names.h"

struct comm_list {
	const struct task_names *names;
	uint64_t *weights;  /* by comm */
	uint32_t *present;  /* the comms that have a weight */
	size_t present_count;
};

int comm_list_init(struct comm_list *list, const struct task_names *names);
void comm_list_deinit(struct comm_list *list);

void comm_list_add(struct comm_list *list, uint32_t task, uint64_t weight);

/* Prints at most `most` of them and empties the list. */
void comm_list_write(struct comm_list *list, size_t most, FILE *out);

#endif
