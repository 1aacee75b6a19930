/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The tasks that waited at a given time, or at any time of a window around it: each with its wait
 * at that time, else the longest of its waits in the window. Tasks whose call chains read the same
 * are grouped.
 *
 * Recordings are searched one after another. Then the results are sorted: by recording; stacks by
 * their task that had waited longest, the longest last; the tasks of a stack likewise.
 */
#ifndef RWALKER_REPORT_VIEW_WAIT_WAITS_AT_H
#define RWALKER_REPORT_VIEW_WAIT_WAITS_AT_H

#include "common/array.h"
#include "report/view/look/readings.h"
#include "report/view/look/waits.h"

struct window {
	uint64_t from, time, to; /* from <= time <= to */
};

struct waiting {
	uint64_t waited;      /* ns until the given time; 0 unless `now` */
	uint64_t others_time; /* of the task's other waits in the window */
	uint32_t wait, others, stack; /* stack: node of the profile that represents all that read the same */
	bool now;	      /* at the given time itself */
};

struct waiting_stack {
	uint32_t node;
	size_t first, count; /* tasks[first ...] */
};

struct waits_at {
	ARRAY(struct waiting) tasks;
	ARRAY(struct waiting_stack) stacks;
};

struct waits_found { /* in one recording */
	size_t first_task, task_count, first_stack, stack_count;
	size_t unclear; /* waits that may not have begun yet */
};

/* Searches waits[first ... first + count), which belong to one recording and possibly several sources. */
int waits_at_find(struct waits_at *at, const struct waits *waits, size_t first, size_t count, uint32_t source,
		  struct window window, struct waits_found *ret_found);

/* Sorts the stacks and tasks of one recording; the chains of all recordings must have been read. */
int waits_at_order(struct waits_at *at, const struct waits *waits, const struct readings *readings,
		   struct waits_found *found);

void waits_at_deinit(struct waits_at *at);

#endif
