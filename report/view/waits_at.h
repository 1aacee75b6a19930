/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Who was waiting at a moment, or at any time of a window around it: a task each, with its wait of that moment, else the
 * longest of its waits in the window. Tasks whose call chains read the same lie together.
 *
 * One recording after the other is searched; then all that was found is put in order: by recording; stacks by
 * the task that had waited longest, that stack last; tasks of a stack likewise.
 */
#ifndef RWALKER_REPORT_VIEW_WAITS_AT_H
#define RWALKER_REPORT_VIEW_WAITS_AT_H

#include "common/array.h"
#include "report/view/readings.h"
#include "report/view/waits.h"

struct window {
	uint64_t from, time, to; /* from <= time <= to */
};

struct waiting {
	uint64_t waited;      /* ns until the moment; 0 unless `now` */
	uint64_t others_time; /* of the task's other waits in the window */
	uint32_t wait, others, stack; /* stack: node of the profile that stands for all that read the same */
	bool now;	      /* at the moment itself */
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
	size_t unclear; /* waits of which it is not known whether they had begun */
};

/* Searches waits[first ... first + count), which are of one recording and may be of several sources. */
int waits_at_find(struct waits_at *at, const struct waits *waits, size_t first, size_t count, uint32_t source,
		  struct window window, struct waits_found *ret_found);

/* Puts the stacks and tasks of one recording in order; the chains of all recordings have been read. */
int waits_at_order(struct waits_at *at, const struct waits *waits, const struct readings *readings,
		   struct waits_found *found);

void waits_at_deinit(struct waits_at *at);

#endif
