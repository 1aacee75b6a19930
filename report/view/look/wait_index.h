/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds a thread's waits by time, ordered by start, without searching all of them. A thread is
 * (host, tid, start): a thread that changes its comm is several tasks of the profile, but one
 * thread here. Its waits in one recording may overlap by microseconds, because their times are by
 * two clocks, or by any amount in a malformed trace; callers cut those that do.
 *
 * It also has the thread's total of waits that were too short for an event, and of the time that neither its waits
 * nor the kernel's account of its running time explain.
 */
#ifndef RWALKER_REPORT_VIEW_LOOK_WAIT_INDEX_H
#define RWALKER_REPORT_VIEW_LOOK_WAIT_INDEX_H

#include "report/view/look/waits.h"

struct wait_thread {
	uint32_t recording, thread;
	uint32_t first, count; /* order[first ...] */
	bool summed;	       /* what follows is known */
	bool started;	       /* it did not exist before `from` */
	uint64_t brief;	       /* ns, like all of these */
	uint64_t from, to;     /* its span in the recording */
	uint64_t running, unknown;
};

struct wait_index {
	const struct waits *waits;
	uint32_t *thread_of; /* by task: the lowest task that is the same thread */
	uint32_t *order;     /* waits by recording, thread, out */
	uint64_t *ends; /* in that order; at least the end of the thread's previous wait. Adjacent, for searches */
	struct wait_thread *threads; /* by recording, thread: threads with waits or sums */
	size_t thread_count;
};

/* `waits` must outlive the index. */
int wait_index_init(struct wait_index *index, const struct waits *waits);
void wait_index_deinit(struct wait_index *index);

/* NULL: nothing is known about the task's thread in this recording. */
const struct wait_thread *wait_index_find(const struct wait_index *index, uint32_t recording, uint32_t task);

/* ns that a row of sums ran: not what its thread cannot have run beside its waits. */
uint64_t wait_index_running(const struct wait_index *index, const struct profile_task_sums *row);

/* ns, until when its thread's time is known: a dump has its open waits, and its sums as of a second ago. */
uint64_t wait_index_known_until(const struct wait_index *index, const struct profile_task_sums *row);

/* Wait number `i` of a thread, from 0: returns its number in the profile's list. */
static inline uint32_t wait_index_number(const struct wait_index *index,
					 const struct wait_thread *thread, uint32_t i)
{
	return index->order[thread->first + i];
}

static inline const struct profile_wait *wait_index_wait(const struct wait_index *index,
							 const struct wait_thread *thread,
							 uint32_t i)
{
	return &index->waits->items[wait_index_number(index, thread, i)];
}

/* The first wait of a thread that ends after `time`: the current one at that time, or the next; or count. */
uint32_t wait_index_after(const struct wait_index *index, const struct wait_thread *thread, uint64_t time);

#endif
