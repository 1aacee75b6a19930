/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The waits of a profile, looked over once so that views may trust them: numbers are within their tables, no wait
 * ends before it begins or was runnable for longer than it lasted, and they come by recording, task, out. What
 * contradicts that is -EBADMSG. All of it belongs to the profile.
 */
#ifndef RWALKER_REPORT_VIEW_WAITS_H
#define RWALKER_REPORT_VIEW_WAITS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/profile_waits.h"

struct waits {
	const struct profile *profile;
	const struct profile_wait *items;
	const struct profile_recording *recordings;
	const struct profile_task *tasks;
	size_t count, recording_count;
	bool several_hosts;
};

int waits_init(struct waits *waits, const struct profile *profile);

/* From `first` on, the waits of one recording: *ret_next is behind them. */
void waits_skip_recording(const struct waits *waits, size_t first, uint32_t recording, size_t *ret_next);

static inline uint64_t wait_length(const struct profile_wait *wait)
{
	return wait->in - wait->out;
}

/* It began before the recording, or had not ended when that did. */
static inline bool wait_is_open(const struct profile_wait *wait)
{
	return wait->flags & (PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_NOT_ENDED);
}

/* What is known of the length: exact, a bound, or neither of them (PROFILE_WAIT_NONE: its beginning and its end are bounds). */
enum profile_wait_bound wait_length_bound(const struct profile_wait *wait);

/* The same of its beginning alone: how long it has lasted at a moment within it. */
enum profile_wait_bound wait_age_bound(const struct profile_wait *wait);

/* A sum that stays at the largest number. */
static inline uint64_t wait_add(uint64_t left, uint64_t right)
{
	uint64_t sum;

	return __builtin_add_overflow(left, right, &sum) ? UINT64_MAX : sum;
}

#endif
