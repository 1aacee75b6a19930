/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Selects waits by what they were for. An expression is matched against the kind of the object and
 * the text that all views print for the wait, as in "pipe in read of pipe:866554 (written by cc1
 * 4711)". Waits without an object have the text only; if that is empty, too, nothing matches.
 * Results are cached, because there are many waits for one object.
 */
#ifndef RWALKER_REPORT_WAIT_WAITS_ON_H
#define RWALKER_REPORT_WAIT_WAITS_ON_H

#include <regex.h>

#include "common/hash_map.h"
#include "report/profile/profile.h"
#include "report/view/object_text.h"
#include "report/view/task_names.h"
#include "report/view/view.h"
#include "report/view/waits.h"

struct object_pattern {
	regex_t expression; /* compiled by the caller: REG_EXTENDED | REG_NOSUB */
	struct hash_map known;
	const struct profile *profile; /* the one that `known` is about */
};

/* The pattern must live as long as it is used. */
struct profile_wait_test object_pattern_test(struct object_pattern *pattern);
/* Frees the expression, too. */
void object_pattern_deinit(struct object_pattern *pattern);

/*
 * The blocked waits of a source by what they were for, the descriptor that ended those for several,
 * the call, the comm that waited, and its container. Objects that read the same are one, also those
 * of several recordings. Ordered by sum, then text, call, what ended them, comm and container.
 */

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

/* The percentile of its waits' lengths, by nearest rank. */
static inline uint64_t wait_objects_rank(const struct wait_objects *objects, const struct wait_object_row *row,
					 unsigned int percent)
{
	return objects->lengths[row->first + (row->count * percent + 99) / 100 - 1];
}

#endif
