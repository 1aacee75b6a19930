/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/unended_waits.h"

#include <errno.h>

#include "format/event_log.h"
#include "record/machine/clocks.h"
#include "record/place/hits.h"
#include "record/plan/recording.h"
#include "record/source/ring_stacks.h"
#include "record/source/ring_task.h"
#include "record/source/walk_users.h"

void unended_waits_tell(struct unended_waits *waits, const struct ring_walk_task *row, const struct walk_user *user)
{
	struct recording *recording = waits->recording;
	const struct event_task task = ring_task_event(recording, &row->task);
	struct event_user_stack record = {
		.cpu = row->cpu,
		.source = waits->source,
		.flags = user->cut ? SAMPLE_USER_TRUNCATED : 0,
		.missing = user->missing,
		.snapshot = user->snapshot,
		.time = row->time,
		.since = row->wait,
	};
	struct event_stacks stacks = {0};
	int r;

	ring_stacks_user(recording, &row->task,
			 &(struct ring_user){user->frames, user->count, user->top, waits->source, user->snapshot},
			 &stacks);
	r = event_log_add_user_stack(recording->log, &record, &task, &stacks);
	waits->refused += r == -EINVAL;
	if (r != -EINVAL && recording_check(recording, r) >= 0)
		ring_stacks_mark(recording, &row->task, &stacks, record.callers_known);
}

static void tell(void *context, const struct ring_walk_task *row, const struct walk_user *user)
{
	unended_waits_tell(context, row, user);
}

void unended_waits_begin(struct unended_waits *waits)
{
	if (!waits->users)
		return;
	walk_users_begin(waits->users);
	waits->pending = true;
}

void unended_waits_step(struct unended_waits *waits, int timeout_ms)
{
	if (waits->pending)
		waits->pending = !walk_users_step(waits->users, timeout_ms, tell, waits);
}

void unended_waits_finish(struct unended_waits *waits, unsigned int budget_ms)
{
	if (waits->pending)
		walk_users_finish(waits->users, budget_ms, tell, waits);
	waits->pending = false;
}

/* Returns it as a row of a walk: asleep in the wait, and in this system call since `since`. */
struct ring_walk_task unended_waits_row(const struct ring_wait *wait, uint64_t switches)
{
	uint64_t now = clocks_now(), since = wait->out_key ? wait->out_key : wait->head.time;

	if (now < wait->head.time)
		now = wait->head.time;
	return (struct ring_walk_task){
		.time = now,
		.wait = since < now ? now - since : 0,
		.cpu = wait->out_cpu,
		.switches = switches,
		.task = wait->task,
	};
}

void unended_waits_add(struct unended_waits *waits, const struct ring_wait *wait, uint64_t switches)
{
	const struct ring_walk_task row = unended_waits_row(wait, switches);

	if (waits->users)
		walk_users_hold(waits->users, &row, sizeof(row), tell, waits);
}
