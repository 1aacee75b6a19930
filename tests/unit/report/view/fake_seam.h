/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * report/profile/seam/profile.h from arrays of fixed size: the base of fake_profile.h. It defines
 * the functions of the seam, so a test program includes it once and does not link the real ones.
 */
#pragma once

#include "report/profile/seam/profile.h"
#include "report/profile/seam/profile_events.h"
#include "report/profile/seam/profile_waits.h"
#include "tests/unit/report/view/fake_seam_account.h"
#include "tests/unit/report/view/fake_seam_events.h"
#include "tests/unit/report/view/fake_seam_apart.h"
#include "tests/unit/report/view/fake_seam_origin.h"
#include "tests/unit/report/view/fake_seam_struct.h"

size_t profile_sources(const struct profile *profile, const struct profile_source **ret_sources)
{
	*ret_sources = profile->sources;
	return profile->source_count;
}

size_t profile_entries(const struct profile *profile, const struct profile_entry **ret_entries)
{
	*ret_entries = profile->entries;
	return profile->entry_count;
}

const struct profile_node *profile_nodes(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->node_count;
	return profile->nodes;
}

const struct profile_frame *profile_frames(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->frame_count;
	return profile->frames;
}

const struct profile_module *profile_modules(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->module_count;
	return profile->modules;
}

const struct profile_task *profile_tasks(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->task_count;
	return profile->tasks;
}

/* The last task of the first thread, else the thread. */
const char *profile_process_comm(const struct profile *profile, uint32_t task)
{
	const struct profile_task *thread = &profile->tasks[task];

	for (size_t i = profile->task_count; i-- > 0;)
		if (profile->tasks[i].tid == thread->tgid && profile->tasks[i].host == thread->host)
			return profile->tasks[i].comm;
	return thread->comm;
}

enum profile_cgroups_known profile_cgroups_known(const struct profile *profile)
{
	for (size_t i = 0; i < profile->task_count; i++)
		if (profile->tasks[i].cgroup)
			return PROFILE_CGROUPS_SOME;
	return PROFILE_CGROUPS_NONE;
}

size_t profile_walks(const struct profile *profile, const struct profile_walk **ret_walks)
{
	*ret_walks = profile->walks;
	return profile->walk_count;
}

size_t profile_walk_tasks(const struct profile *profile, const struct profile_walk_task **ret_rows)
{
	*ret_rows = profile->walk_tasks;
	return profile->walk_task_count;
}

size_t profile_waits(struct profile *profile, const struct profile_wait **ret_waits)
{
	*ret_waits = profile->waits;
	return profile->wait_count;
}

size_t profile_task_sums(const struct profile *profile, const struct profile_task_sums **ret_sums)
{
	*ret_sums = profile->sums;
	return profile->sum_count;
}

size_t profile_recordings(const struct profile *profile, const struct profile_recording **ret_recordings)
{
	*ret_recordings = profile->recordings;
	return profile->recording_count;
}

const struct profile_wait_totals *profile_wait_totals(const struct profile *profile, uint32_t source)
{
	return profile->sources[source].kind == PROFILE_OFFCPU ? &profile->totals[source] : NULL;
}

uint64_t profile_realtime(const struct profile *profile, uint32_t recording, uint64_t time)
{
	(void)recording;
	return profile->realtime ? profile->realtime + time : 0;
}

bool profile_moment_time(const struct profile *profile, uint32_t recording, const struct profile_moment *moment,
			 uint64_t *ret_time)
{
	const struct profile_recording *place = &profile->recordings[recording];

	switch (moment->kind) {
	case PROFILE_MOMENT_OFFSET:
		*ret_time = place->start + moment->ns;
		return true;
	case PROFILE_MOMENT_WALL:
		*ret_time = moment->ns - profile->realtime;
		return profile->realtime && moment->ns >= profile->realtime;
	default:
		return false;
	}
}

/* The state letters that the tests use. */
void profile_wait_state(uint32_t state, char text[24])
{
	text[0] = state & 2 ? 'D' : state & 1 ? 'S' : state & 4 ? 'T' : state & 8 ? 't' : 'R';
	text[1] = '\0';
}

void profile_losses(const struct profile *profile, struct profile_losses *ret_losses)
{
	*ret_losses = profile->losses;
}

const struct profile_symbol *profile_symbol(struct profile *profile, uint32_t frame)
{
	return &profile->symbols[frame];
}
