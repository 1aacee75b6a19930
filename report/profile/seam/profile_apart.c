/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/seam/profile_apart.h"

enum { BUSY_SHARE = 100 }; /* one part in this many of a kernel thread's time */

static char state_letter(const struct profile_wait *wait)
{
	char state[24] = "";

	profile_wait_state(wait->state, state);
	return state[0];
}

static bool is_whole(const struct profile_wait *wait)
{
	const uint8_t whole = PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_NOT_ENDED;

	return (wait->flags & whole) == whole && wait->wait_class == WAIT_BLOCKED && !wait->run_queue;
}

bool profile_wait_is_throughout(const struct profile_task *tasks, const struct profile_wait *wait)
{
	return is_whole(wait) && !tasks[wait->task].kernel_thread && state_letter(wait) == 'S';
}

void profile_kernel_time_add_wait(struct profile_kernel_time *time, const struct profile_wait *wait)
{
	time->waited = true;
	time->ended |= !is_whole(wait);
	time->in_d |= state_letter(wait) == 'D';
	time->busy += wait->run_queue < wait->weight ? wait->run_queue : wait->weight;
}

void profile_kernel_time_add_wakeup(struct profile_kernel_time *time, const struct profile_wait *wait)
{
	time->woke |= wait->waker_context == WAKER_TASK || wait->waker_context == WAKER_UNKNOWN;
}

void profile_kernel_time_add_sums(struct profile_kernel_time *time, const struct profile_task_sums *sums)
{
	time->span += sums->to - sums->from;
	time->busy += sums->running;
	for (size_t i = 0; i < WAIT_SUM_KINDS; i++)
		time->busy += i == WAIT_SUM_UNINTERRUPTIBLE ? sums->kinds[i].total : sums->kinds[i].run_queue;
}

/* Of a thread that ran, it must be known for how long. */
bool profile_kernel_time_is_nothing_done(const struct profile_kernel_time *time)
{
	return time->waited && !time->in_d && !time->woke && (time->span || !time->ended) &&
	       time->busy <= time->span / BUSY_SHARE;
}
