/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/look/walk_holders.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/sorted.h"

static int compare_thread(const struct walk_holders *holders, uint32_t row, uint32_t walk, uint32_t task)
{
	const struct profile_task *l = &holders->tasks[holders->rows[row].task], *r = &holders->tasks[task];

	if (holders->rows[row].walk != walk)
		return holders->rows[row].walk < walk ? -1 : 1;
	if (l->host != r->host)
		return l->host < r->host ? -1 : 1;
	if (l->tid != r->tid)
		return l->tid < r->tid ? -1 : 1;
	return (l->start > r->start) - (l->start < r->start);
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct walk_holders *holders = context;
	const uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;
	const int order = compare_thread(holders, l, holders->rows[r].walk, holders->rows[r].task);

	return order ? order : (l > r) - (l < r);
}

static bool has_holder(const struct profile_walk_task *row)
{
	return row->held & HELD_BY_OWNER && !(row->held & HELD_BY_READER);
}

/* --- holders that were not walked; there are few --- */

static uint32_t find_outsider(struct walk_holders *holders, uint32_t walk, uint32_t task)
{
	size_t i = holders->outsider_count;

	while (i > 0 && (holders->outsiders[i - 1].walk != walk || holders->outsiders[i - 1].task != task))
		i--;
	if (!i) {
		holders->outsiders[holders->outsider_count++] = (struct walk_outsider){walk, task};
		i = holders->outsider_count;
	}
	return (uint32_t)(holders->row_count + i - 1);
}

static uint32_t find_holder(struct walk_holders *holders, const struct profile_walk_task *row)
{
	const size_t at = SORTED_FIRST(i, holders->row_count,
				       compare_thread(holders, holders->order[i], row->walk, row->owner) >= 0);

	if (at < holders->row_count && !compare_thread(holders, holders->order[at], row->walk, row->owner))
		return holders->order[at];
	return find_outsider(holders, row->walk, row->owner);
}

/* --- how many a task holds up: counted from those that hold up nobody towards their holders, each task once --- */

static size_t all_numbers(const struct walk_holders *holders)
{
	return holders->row_count + holders->outsider_count;
}

static uint32_t holder_of(const struct walk_holders *holders, uint32_t number)
{
	return number < holders->row_count ? holders->holder[number] : WALK_NO_HOLDER;
}

/* `waiting`: how many tasks that it holds up directly have not been added yet. Tasks in circles are left over. */
static void add_up(struct walk_holders *holders, uint32_t *waiting, uint32_t *queue)
{
	size_t count = 0;

	for (uint32_t i = 0; i < holders->row_count; i++)
		if (holders->holder[i] != WALK_NO_HOLDER)
			waiting[holders->holder[i]]++;
	for (uint32_t i = 0; i < holders->row_count; i++)
		if (!waiting[i])
			queue[count++] = i;
	for (size_t next = 0; next < count; next++) {
		const uint32_t holder = holder_of(holders, queue[next]);

		if (holder == WALK_NO_HOLDER)
			continue;
		holders->held[holder] += holders->held[queue[next]] + 1;
		if (!--waiting[holder])
			queue[count++] = holder;
	}
}

/* Each task in a circle holds up the others, and all that they hold up. */
static void add_circle(struct walk_holders *holders, uint32_t *waiting, uint32_t first)
{
	uint32_t at = first, sum = 0;

	do {
		sum += holders->held[at] + 1;
		at = holders->holder[at];
	} while (at != first);
	do {
		holders->held[at] = sum - 1;
		waiting[at] = 0;
		at = holders->holder[at];
	} while (at != first);
}

static int count_held(struct walk_holders *holders)
{
	_cleanup_free_ uint32_t *waiting = calloc(all_numbers(holders) + 1, sizeof(*waiting));
	_cleanup_free_ uint32_t *queue = calloc(all_numbers(holders) + 1, sizeof(*queue));

	if (!waiting || !queue)
		return -ENOMEM;
	add_up(holders, waiting, queue);
	for (uint32_t i = 0; i < holders->row_count; i++)
		if (waiting[i])
			add_circle(holders, waiting, i);
	return 0;
}

int walk_holders_init(struct walk_holders *holders, const struct profile *profile)
{
	size_t wanted = 0, task_count;

	*holders = (struct walk_holders){0};
	holders->row_count = profile_walk_tasks(profile, &holders->rows);
	holders->tasks = profile_tasks(profile, &task_count);
	for (size_t i = 0; i < holders->row_count; i++)
		wanted += has_holder(&holders->rows[i]);
	holders->order = calloc(holders->row_count + 1, sizeof(*holders->order));
	holders->holder = calloc(holders->row_count + 1, sizeof(*holders->holder));
	holders->outsiders = calloc(wanted + 1, sizeof(*holders->outsiders));
	holders->held = calloc(holders->row_count + wanted + 1, sizeof(*holders->held));
	if (!holders->order || !holders->holder || !holders->outsiders || !holders->held)
		return -ENOMEM;
	for (uint32_t i = 0; i < holders->row_count; i++)
		holders->order[i] = i;
	qsort_r(holders->order, holders->row_count, sizeof(*holders->order), compare_rows, holders);
	for (size_t i = 0; i < holders->row_count; i++)
		holders->holder[i] = has_holder(&holders->rows[i]) ? find_holder(holders, &holders->rows[i]) :
								     WALK_NO_HOLDER;
	return count_held(holders);
}

void walk_holders_deinit(struct walk_holders *holders)
{
	free(holders->order);
	free(holders->holder);
	free(holders->outsiders);
	free(holders->held);
	*holders = (struct walk_holders){0};
}

uint32_t walk_holders_walk(const struct walk_holders *holders, uint32_t number)
{
	return number < holders->row_count ? holders->rows[number].walk :
					     holders->outsiders[number - holders->row_count].walk;
}

uint32_t walk_holders_task(const struct walk_holders *holders, uint32_t number)
{
	return number < holders->row_count ? holders->rows[number].task :
					     holders->outsiders[number - holders->row_count].task;
}

const struct profile_walk_task *walk_holders_row(const struct walk_holders *holders, uint32_t number)
{
	return number < holders->row_count ? &holders->rows[number] : NULL;
}
