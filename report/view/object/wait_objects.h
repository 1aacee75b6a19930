/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The blocked waits of a source by what they were for, the descriptor that ended those for several,
 * the call, the comm that waited, and its container. Objects that read the same are one, also those
 * of several recordings. Ordered by sum, then text, call, what ended them, comm and container.
 */
#ifndef RWALKER_REPORT_VIEW_OBJECT_WAIT_OBJECTS_H
#define RWALKER_REPORT_VIEW_OBJECT_WAIT_OBJECTS_H

#include "report/view/look/task_names.h"
#include "report/view/look/waits.h"
#include "report/view/text/object_tally.h"
#include "report/view/text/view.h"

struct wait_object_row {
	struct object_key object; /* of `texts` */
	uint32_t comm;
	const struct profile_cgroup *cgroup; /* one of its container; NULL if in none or not known */
	struct object_alike alike;
	size_t first, count; /* lengths[first ...], ascending */
	uint64_t blocked, run_queue; /* ns within the recording and the requested times */
};

struct wait_object_count {
	size_t waits;
	uint64_t weight;
};

struct wait_objects {
	struct waits waits;
	struct task_names names;
	struct object_texts texts;
	struct wait_object_row *rows;
	size_t row_count;
	uint64_t *lengths;
	uint64_t weight; /* of all rows */
	bool containers; /* some waits were in a container */
	struct wait_object_count runnable, unknown; /* waits in no row */
};

int wait_objects_init(struct wait_objects *objects, const struct view_context *context, uint32_t source);
void wait_objects_deinit(struct wait_objects *objects);

/* The percentile of its waits' lengths, by nearest rank. */
static inline uint64_t wait_objects_rank(const struct wait_objects *objects, const struct wait_object_row *row,
					 unsigned int percent)
{
	return objects->lengths[row->first + (row->count * percent + 99) / 100 - 1];
}

#endif
