/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/tables/profile_processes.h"

#include <errno.h>

#include "report/profile/seam/profile_waits.h"

struct process_key { /* without padding */
	uint32_t scope, tgid;
};

/* The first thread counts, and its last comm. */
static bool is_better(const struct profile_process *known, bool first, uint64_t time)
{
	return known->first == first ? time >= known->seen : first;
}

int profile_note_comm(struct profile *profile, uint32_t scope, const struct profile_task *thread, uint32_t task,
		      uint64_t time)
{
	const struct process_key key = {scope, thread->tgid};
	const bool first = thread->tid == thread->tgid;
	struct profile_process *process;
	uint64_t *number;
	int r = hash_map_add(&profile->process_numbers, &key, sizeof(key), profile->processes.count, &number);

	if (r > 0)
		r = array_push(&profile->processes,
			       (struct profile_process){.comm = thread->comm, .task = PROFILE_NO_TASK});
	while (r >= 0 && task != PROFILE_NO_TASK && profile->process_of.count <= task)
		r = array_push(&profile->process_of, NO_NUMBER);
	if (r < 0)
		return r;
	if (task != PROFILE_NO_TASK)
		profile->process_of.items[task] = (uint32_t)*number;
	process = &profile->processes.items[*number];
	if (!is_better(process, first, time))
		return 0;
	process->comm = thread->comm;
	process->seen = time;
	process->first = first;
	process->task = first && task != PROFILE_NO_TASK ? task : process->task;
	return 0;
}

const struct profile_process *profile_find_process(const struct profile *profile, uint32_t scope, uint32_t tgid)
{
	const struct process_key key = {scope, tgid};
	const uint64_t *number = hash_map_find(&profile->process_numbers, &key, sizeof(key));

	return number ? &profile->processes.items[*number] : NULL;
}

const char *profile_process_comm(const struct profile *profile, uint32_t task)
{
	uint32_t number = task < profile->process_of.count ? profile->process_of.items[task] : NO_NUMBER;

	return number == NO_NUMBER ? profile->tasks.items[task].comm : profile->processes.items[number].comm;
}
