/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/rows.h"

#include <errno.h>
#include <stdlib.h>

static int allocate(struct rows *rows, size_t count)
{
	rows->items = calloc(count ? count : 1, sizeof(*rows->items));
	return rows->items ? 0 : -ENOMEM;
}

static int collect_walked(struct rows *rows, const struct profile *profile)
{
	const struct profile_walk_task *walked;
	size_t count = profile_walk_tasks(profile, &walked);

	if (allocate(rows, count) < 0)
		return -ENOMEM;
	for (; rows->count < count; rows->count++)
		rows->items[rows->count] = (struct row){.node = walked[rows->count].node,
							.task = walked[rows->count].task,
							.flags = walked[rows->count].flags,
							.samples = 1,
							.weight = 1,
							.state = walked[rows->count].state[0]};
	return 0;
}

static int collect_sampled(struct rows *rows, const struct profile *profile, uint32_t source)
{
	const struct profile_entry *entries;
	size_t count = profile_entries(profile, &entries), first = 0, last;

	while (first < count && entries[first].source != source)
		first++;
	for (last = first; last < count && entries[last].source == source;)
		last++;
	if (allocate(rows, last - first) < 0)
		return -ENOMEM;
	for (const struct profile_entry *entry = entries + first; entry < entries + last; entry++)
		rows->items[rows->count++] = (struct row){.node = entry->node,
							  .task = entry->task,
							  .flags = entry->flags,
							  .samples = entry->samples,
							  .weight = entry->weight};
	return 0;
}

int rows_init(struct rows *rows, const struct profile *profile, uint32_t source)
{
	const struct profile_source *sources;

	*rows = (struct rows){0};
	(void)profile_sources(profile, &sources);
	if (sources[source].kind == PROFILE_TASKS)
		return collect_walked(rows, profile);
	return collect_sampled(rows, profile, source);
}

void rows_deinit(struct rows *rows)
{
	free(rows->items);
	*rows = (struct rows){0};
}
