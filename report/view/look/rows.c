/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/look/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int allocate(struct rows *rows, size_t count)
{
	rows->items = calloc(count ? count : 1, sizeof(*rows->items));
	return rows->items ? 0 : -ENOMEM;
}

static uint16_t walked_cpu(const struct profile_walk_task *walked)
{
	return walked->cpu < PROFILE_NO_CPU ? (uint16_t)walked->cpu : PROFILE_NO_CPU;
}

static int collect_walked(struct rows *rows, const struct profile *profile)
{
	const struct profile_walk_task *walked;
	size_t count = profile_walk_tasks(profile, &walked);

	if (allocate(rows, count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		rows->items[rows->count++] = (struct row){.node = walked[i].node,
							  .task = walked[i].task,
							  .flags = (uint16_t)walked[i].flags,
							  .cpu = walked_cpu(&walked[i]),
							  .samples = 1,
							  .weight = 1,
							  .state = walked[i].state[0]};
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
	for (size_t i = first; i < last; i++)
		rows->items[rows->count++] = (struct row){.node = entries[i].node,
							  .task = entries[i].task,
							  .flags = entries[i].flags,
							  .cpu = entries[i].cpu,
							  .samples = entries[i].samples,
							  .weight = entries[i].weight,
							  .run_queue = entries[i].run_queue,
							  .throttled = entries[i].throttled};
	return 0;
}

static int copy_chosen(struct rows *rows, const struct group_choice *only)
{
	if (allocate(rows, only->row_count) < 0)
		return -ENOMEM;
	rows->count = only->row_count;
	if (rows->count)
		memcpy(rows->items, only->rows, rows->count * sizeof(*rows->items));
	return 0;
}

int rows_init(struct rows *rows, const struct profile *profile, uint32_t source, const struct group_choice *only)
{
	const struct profile_source *sources;

	*rows = (struct rows){0};
	if (only)
		return copy_chosen(rows, only);
	(void)profile_sources(profile, &sources);
	if (sources[source].kind == PROFILE_TASKS)
		return collect_walked(rows, profile);
	return collect_sampled(rows, profile, source);
}

uint64_t rows_samples(const struct rows *rows)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < rows->count; i++)
		samples += rows->items[i].samples;
	return samples;
}

void rows_deinit(struct rows *rows)
{
	free(rows->items);
	*rows = (struct rows){0};
}
