/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The waits of a profile, checked once so that views may trust them: numbers are within their
 * tables, no wait ends before it begins or was runnable for longer than it lasted, and they are
 * ordered by recording, task, out. -EBADMSG if that is violated. All of it belongs to the profile.
 */
#ifndef RWALKER_REPORT_VIEW_LOOK_WAITS_H
#define RWALKER_REPORT_VIEW_LOOK_WAITS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/profile/seam/profile_objects.h"
#include "report/profile/seam/profile_waits.h"

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

/* A saturating sum. */
static inline uint64_t wait_add(uint64_t left, uint64_t right)
{
	uint64_t sum;

	return __builtin_add_overflow(left, right, &sum) ? UINT64_MAX : sum;
}

#endif
