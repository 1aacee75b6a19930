/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/wait/running_at.h"

#include <errno.h>
#include <stdlib.h>

struct stays { /* the waits of a recording, grouped by thread */
	const struct wait_index *index;
	size_t first, count;
};

static const struct profile_wait *wait_of(const struct stays *stays, size_t number)
{
	return &stays->index->waits->items[stays->index->order[stays->first + number]];
}

static bool same_thread(const struct stays *stays, uint32_t left, uint32_t right)
{
	return stays->index->thread_of[left] == stays->index->thread_of[right];
}

static bool has_come_in(const struct profile_wait *wait)
{
	return !(wait->flags & PROFILE_WAIT_NOT_ENDED);
}

static int find_cpus(struct running_at *running, const struct stays *stays)
{
	size_t highest = 0;

	for (size_t i = 0; i < stays->count; i++) {
		const struct profile_wait *wait = wait_of(stays, i);

		highest = wait->out_cpu > highest ? wait->out_cpu : highest;
		highest = wait->in_cpu > highest ? wait->in_cpu : highest;
	}
	running->count = stays->count ? highest + 1 : 0;
	running->cpus = calloc(running->count + 1, sizeof(*running->cpus));
	if (!running->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < running->count; i++)
		running->cpus[i].task = PROFILE_NO_TASK;
	for (size_t i = 0; i < stays->count; i++) {
		running->cpus[wait_of(stays, i)->out_cpu].exists = true;
		running->cpus[wait_of(stays, i)->in_cpu].exists = true;
	}
	return 0;
}

/* Whether the thread runs at the given time, from its switch-in after one wait to its switch-out with the next. */
static bool is_stay(const struct profile_wait *wait, const struct profile_wait *next, uint64_t time)
{
	if (!has_come_in(wait) || next->out_cpu != wait->in_cpu || next->wait_class == WAIT_STARTED)
		return false;
	return wait->in <= time && next->out > time && !(next->flags & PROFILE_WAIT_OUT_BOUND);
}

static void note_stay(struct running_cpu *cpu, const struct profile_wait *wait, const struct profile_wait *next)
{
	if (cpu->task != PROFILE_NO_TASK && cpu->in >= wait->in)
		return;
	cpu->task = wait->task;
	cpu->left_as = next->task;
	cpu->in = wait->in;
	cpu->out = next->out;
}

/*
 * The thread that was on a CPU at the given time; of two candidates, the one switched in later. A
 * wait may begin and end within the one before: their times are by two clocks. The thread runs from
 * the end of the longer one.
 */
static void find_stays(struct running_at *running, const struct stays *stays, uint64_t time)
{
	const struct profile_wait *wait = stays->count ? wait_of(stays, 0) : NULL;

	for (size_t i = 1; i < stays->count; i++) {
		const struct profile_wait *next = wait_of(stays, i);
		const bool same = same_thread(stays, wait->task, next->task);

		if (same && is_stay(wait, next, time))
			note_stay(&running->cpus[wait->in_cpu], wait, next);
		if (!same || next->in >= wait->in)
			wait = next;
	}
}

static void drop_contradictions(struct running_at *running, const struct stays *stays)
{
	for (size_t i = 0; i < stays->count; i++) {
		const struct profile_wait *wait = wait_of(stays, i);
		struct running_cpu *cpu = &running->cpus[wait->in_cpu];

		if (cpu->task != PROFILE_NO_TASK && !same_thread(stays, cpu->task, wait->task) &&
		    has_come_in(wait) && wait->in >= cpu->in && wait->in < cpu->out)
			cpu->task = PROFILE_NO_TASK;
	}
}

int running_at_init(struct running_at *running, const struct profile_recording *recording,
		    const struct wait_index *index, size_t first, size_t count, uint64_t time)
{
	const struct stays stays = {.index = index, .first = first, .count = count};
	int r;

	*running = (struct running_at){0};
	r = find_cpus(running, &stays);
	if (r < 0 || recording->least_wait || time < recording->start || time > recording->stop)
		return r;
	find_stays(running, &stays, time);
	drop_contradictions(running, &stays);
	return 0;
}

void running_at_deinit(struct running_at *running)
{
	free(running->cpus);
	*running = (struct running_at){0};
}
