/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/running_at.h"

#include <errno.h>
#include <stdlib.h>

static bool has_come_in(const struct profile_wait *wait)
{
	return !(wait->flags & PROFILE_WAIT_NOT_ENDED);
}

static int find_cpus(struct running_at *running, const struct profile_wait *waits, size_t count)
{
	size_t highest = 0;

	for (size_t i = 0; i < count; i++) {
		highest = waits[i].out_cpu > highest ? waits[i].out_cpu : highest;
		highest = waits[i].in_cpu > highest ? waits[i].in_cpu : highest;
	}
	running->count = count ? highest + 1 : 0;
	running->cpus = calloc(running->count + 1, sizeof(*running->cpus));
	if (!running->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < running->count; i++)
		running->cpus[i].task = PROFILE_NO_TASK;
	for (size_t i = 0; i < count; i++) {
		running->cpus[waits[i].out_cpu].exists = true;
		running->cpus[waits[i].in_cpu].exists = true;
	}
	return 0;
}

/* Whoever stayed on a CPU over the moment; of two that say so, the one who came in later. */
static void find_stays(struct running_at *running, const struct profile_wait *waits, size_t count, uint64_t time)
{
	for (size_t i = 0; i + 1 < count; i++) {
		const struct profile_wait *wait = &waits[i], *next = &waits[i + 1];
		struct running_cpu *cpu = &running->cpus[wait->in_cpu];

		if (next->task != wait->task || next->out_cpu != wait->in_cpu || !has_come_in(wait) || wait->in > time ||
		    next->out <= time || next->flags & PROFILE_WAIT_OUT_BOUND)
			continue;
		if (cpu->task == PROFILE_NO_TASK || cpu->in < wait->in) {
			cpu->task = wait->task;
			cpu->in = wait->in;
			cpu->out = next->out;
		}
	}
}

static void drop_contradictions(struct running_at *running, const struct profile_wait *waits, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct running_cpu *cpu = &running->cpus[waits[i].in_cpu];

		if (cpu->task != PROFILE_NO_TASK && cpu->task != waits[i].task && has_come_in(&waits[i]) &&
		    waits[i].in >= cpu->in && waits[i].in < cpu->out)
			cpu->task = PROFILE_NO_TASK;
	}
}

int running_at_init(struct running_at *running, const struct profile_recording *recording,
		    const struct profile_wait *waits, size_t count, uint64_t time)
{
	int r;

	*running = (struct running_at){0};
	r = find_cpus(running, waits, count);
	if (r < 0 || recording->least_wait || time < recording->start || time > recording->stop)
		return r;
	find_stays(running, waits, count, time);
	drop_contradictions(running, waits, count);
	return 0;
}

void running_at_deinit(struct running_at *running)
{
	free(running->cpus);
	*running = (struct running_at){0};
}
