/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/task_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash_map.h"

enum { SLOT_BITS = 14, SLOTS = 1 << SLOT_BITS }; /* at most half are live */

int task_table_init(struct task_table *table)
{
	struct task_table made = {0};
	int r = random_bytes(&made.factor, sizeof(made.factor));

	if (r < 0)
		return r;
	made.factor |= 1;
	made.slots = calloc(SLOTS, sizeof(*made.slots));
	made.tasks = calloc(TASK_TABLE_TASKS, sizeof(*made.tasks));
	*table = made;
	if (!made.slots || !made.tasks) {
		task_table_deinit(table);
		return -ENOMEM;
	}
	task_table_reset(table);
	return 0;
}

void task_table_deinit(struct task_table *table)
{
	free(table->slots);
	free(table->tasks);
	*table = (struct task_table){0};
}

void task_table_reset(struct task_table *table)
{
	table->count = 0;
	table->swept = false;
}

/* Mostly all bytes are equal, which is fast to check. */
static bool is_same_comm(const struct event_task *a, const struct event_task *b)
{
	return !memcmp(a->comm, b->comm, sizeof(a->comm)) || !strncmp(a->comm, b->comm, sizeof(a->comm));
}

static bool is_same(const struct event_task *a, const struct event_task *b)
{
	return a->tid == b->tid && a->start == b->start && a->tgid == b->tgid && a->flags == b->flags &&
	       a->cgroup == b->cgroup && is_same_comm(a, b);
}

uint32_t task_table_number(struct task_table *table, const struct event_task *task, bool *ret_new)
{
	uint64_t hash = (task->start + task->tid) * table->factor;
	uint32_t at = (uint32_t)(hash >> (64 - SLOT_BITS));

	if (!table->swept)
		memset(table->slots, 0, SLOTS * sizeof(*table->slots));
	table->swept = true;
	/* A task that keeps changing its comm fills neighbouring slots: bounded, because a chunk holds few tasks. */
	for (; table->slots[at]; at = (at + 1) & (SLOTS - 1)) {
		if (is_same(&table->tasks[table->slots[at] - 1], task)) {
			*ret_new = false;
			return table->slots[at];
		}
	}
	if (table->count == TASK_TABLE_TASKS)
		return 0;
	table->tasks[table->count++] = *task;
	*ret_new = true;
	return table->slots[at] = table->count;
}
