/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The waits of a profile, checked once so that views may trust them: numbers are within their
 * tables, no wait ends before it begins or was runnable for longer than it lasted, and they are
 * ordered by recording, task, out. -EBADMSG if that is violated. All of it belongs to the profile.
 */
#ifndef RWALKER_REPORT_VIEW_WAITS_H
#define RWALKER_REPORT_VIEW_WAITS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/profile/profile_objects.h"
#include "report/profile/profile_waits.h"
#include "report/view/place.h"

struct waits {
	const struct profile *profile;
	const struct profile_wait *items;
	const struct profile_recording *recordings;
	const struct profile_task *tasks;
	const struct profile_object *objects;
	const struct profile_operation *operations;
	size_t count, recording_count;
	bool several_hosts;
};

int waits_init(struct waits *waits, struct profile *profile);

/* The waits of one recording, starting at `first`: *ret_next is the end. */
void waits_skip_recording(const struct waits *waits, size_t first, uint32_t recording, size_t *ret_next);

static inline uint64_t wait_length(const struct profile_wait *wait)
{
	return wait->in - wait->out;
}

/* It began before the recording, or had not ended at the end of the recording. */
static inline bool wait_is_open(const struct profile_wait *wait)
{
	return wait->flags & (PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_NOT_ENDED);
}

/* Whether chains may begin with it: it passes the filters, and was not set apart as that of a kernel thread. */
static inline bool wait_is_asked(const struct waits *waits, const struct profile_wait *wait)
{
	return !(wait->flags & PROFILE_WAIT_UNASKED) &&
	       !(wait->flags & PROFILE_WAIT_APART && waits->tasks[wait->task].kernel_thread);
}

/* Whether views show it; the other waits are kept for following wakers. */
static inline bool wait_is_shown(const struct profile_wait *wait)
{
	return !(wait->flags & PROFILE_WAIT_BESIDE);
}

/* In D, as the kernel keeps a parent in vfork() until its child executes a program: no trouble of its own. */
bool wait_is_of_vfork(const struct waits *waits, const struct profile_wait *wait);

/* What is known about the length: exact, a bound, or neither (WAIT_NONE: start and end are both bounds). */
enum wait_bound wait_length_bound(const struct profile_wait *wait);

/* The same for its age at a time within it, which depends on its start only. */
enum wait_bound wait_age_bound(const struct profile_wait *wait);

static inline bool wake_is_interrupt(uint32_t context)
{
	return context == WAKER_SOFTIRQ || context == WAKER_IRQ;
}

/* The context of a wait's waker; NONE if the waker has no task and is not an interrupt. */
enum waker_context wake_context(const struct profile_wait *wait);

/* A saturating sum. */
static inline uint64_t wait_add(uint64_t left, uint64_t right)
{
	uint64_t sum;

	return __builtin_add_overflow(left, right, &sum) ? UINT64_MAX : sum;
}

/*
 * The processes at the other end of what a wait was for: the peer of a socket, the writers or
 * readers of a pipe.
 */

/* The other end of what was ready, if that is known, else of the object. NULL if nobody is known there. */
const struct profile_users *other_end(const struct waits *waits, const struct profile_wait *wait,
				      enum profile_direction *ret_end);
/* Whether two waits for objects that read the same have different processes there. */
bool other_ends_differ(const struct waits *waits, const struct profile_wait *one, const struct profile_wait *other);

/*
 * Finds a thread's waits by time, ordered by start, without searching all of them. A thread is
 * (host, tid, start): a thread that changes its comm is several tasks of the profile, but one
 * thread here. Its waits in one recording may overlap by microseconds, because their times are by
 * two clocks, or by any amount in a malformed trace; callers cut those that do.
 *
 * It also has the thread's total of waits that were too short for an event, and of the time that neither its waits
 * nor the kernel's account of its running time explain.
 */

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

/* By task: the lowest task that is the same thread. The caller frees it. 0, -ENOMEM. */
int wait_index_threads(const struct profile *profile, uint32_t **ret_thread_of);

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

/*
 * The task with which a chain continues where the waker of a wait says too little. If nobody is
 * known to have ended the wait: the owner of the lock, if it cannot have let go meanwhile, or if the wait had not
 * ended, the child. If it had not ended, or an interrupt brought data: the only task that was seen to use the other end
 * of the pipe or connection, which is all that is said: others that nobody saw there may use it, too.
 */

enum wait_next_by { WAIT_NEXT_WAKER, WAIT_NEXT_OWNER, WAIT_NEXT_OTHER_END, WAIT_NEXT_CHILD };

struct wait_next {
	enum wait_next_by by; /* WAIT_NEXT_WAKER: no other task than the waker */
	uint32_t task;
};

/* 0, -ENOMEM. */
int wait_next_find(const struct waits *waits, struct places *places, const struct profile_wait *wait,
		   struct wait_next *ret_next);

#endif
