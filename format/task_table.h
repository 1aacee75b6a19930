/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The tasks of the chunk that is being written: numbers 1, 2, 3 ... in the order in which they were
 * defined. A task that changes its comm or cgroup gets a new number. All memory is allocated at
 * creation; the table is cleared when the first task of a chunk is added, as in stack_tree.c.
 */
#ifndef RWALKER_FORMAT_TASK_TABLE_H
#define RWALKER_FORMAT_TASK_TABLE_H

#include <stdbool.h>

#include "format/event.h"

enum { TASK_TABLE_TASKS = 1 << 13 }; /* of one chunk */

struct task_table {
	uint32_t *slots; /* number of the task, 0: free */
	struct event_task *tasks;
	uint64_t factor; /* random, odd */
	uint32_t count;
	bool swept;
};

int task_table_init(struct task_table *table);
void task_table_deinit(struct task_table *table);
void task_table_reset(struct task_table *table);

/* The task's number; *ret_new is set if it was just assigned. 0 if the table is full. */
uint32_t task_table_number(struct task_table *table, const struct event_task *task, bool *ret_new);

#endif
