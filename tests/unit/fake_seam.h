/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * report/profile.h from arrays of fixed size: what lies under fake_profile.h. Defines the functions of the seam, so
 * it is included once by a test program, which then does not link the real ones.
 */
#pragma once

#include "report/profile.h"

enum { FAKE_MAX = 512, FAKE_TEXT = 8192 };

struct profile {
	struct profile_source sources[8];
	struct profile_task tasks[FAKE_MAX];
	struct profile_module modules[16];
	struct profile_frame frames[FAKE_MAX];
	struct profile_symbol symbols[FAKE_MAX];
	struct profile_node nodes[FAKE_MAX];
	struct profile_entry entries[FAKE_MAX];
	struct profile_walk walks[8];
	struct profile_walk_task walk_tasks[FAKE_MAX];
	const char *lines[8];
	size_t source_count, task_count, module_count, frame_count, node_count, entry_count, walk_count, walk_task_count,
		line_count;
	bool lost;
	char text[FAKE_TEXT]; /* holds all names */
	size_t text_used;
};

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

void profile_account(const struct profile *profile, struct profile_account *ret_account)
{
	*ret_account =
		(struct profile_account){.lines = profile->lines, .count = profile->line_count, .lost = profile->lost};
}

const struct profile_symbol *profile_symbol(struct profile *profile, uint32_t frame)
{
	return &profile->symbols[frame];
}
