/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/wait/waits_at.h"

#include <stdlib.h>

static bool lasts_until(const struct profile_wait *wait, uint64_t time)
{
	return wait->flags & PROFILE_WAIT_NOT_ENDED ? wait->in >= time : wait->in > time;
}

static struct waiting measure(const struct waits *waits, size_t number, uint64_t time)
{
	const struct profile_wait *wait = &waits->items[number];
	struct waiting waiting = {.wait = (uint32_t)number,
				  .now = wait->out <= time && lasts_until(wait, time)};

	if (waiting.now)
		waiting.waited = time - wait->out;
	return waiting;
}

static uint64_t length_of(const struct waits *waits, const struct waiting *waiting)
{
	return wait_length(&waits->items[waiting->wait]);
}

/* Merges another wait of a task into what was found for it before. */
static void merge(const struct waits *waits, struct waiting *task, struct waiting waiting)
{
	uint64_t found = length_of(waits, task), length = length_of(waits, &waiting);
	bool better = waiting.now != task->now ? waiting.now : length > found;

	waiting.others = task->others + 1;
	waiting.others_time = wait_add(task->others_time, better ? found : length);
	if (better) {
		*task = waiting;
	} else {
		task->others = waiting.others;
		task->others_time = waiting.others_time;
	}
}

int waits_at_find(struct waits_at *at, const struct waits *waits, size_t first, size_t count, uint32_t source,
		  struct window window, struct waits_found *ret_found)
{
	struct waits_found found = {.first_task = at->tasks.count};
	uint32_t task = PROFILE_NO_TASK; /* the task found last */

	for (size_t i = first; i < first + count; i++) {
		const struct profile_wait *wait = &waits->items[i];

		if (wait->source != source || !wait_is_shown(wait) || !lasts_until(wait, window.from))
			continue;
		if (wait->out > window.to) {
			found.unclear += wait->flags & PROFILE_WAIT_OUT_BOUND ? 1 : 0;
			continue;
		}
		if (wait->task == task) {
			merge(waits, &at->tasks.items[at->tasks.count - 1], measure(waits, i, window.time));
			continue;
		}
		if (array_push(&at->tasks, measure(waits, i, window.time)) < 0)
			return -ENOMEM;
		task = wait->task;
	}
	found.task_count = at->tasks.count - found.first_task;
	*ret_found = found;
	return 0;
}

static int compare_waiting(const struct waits *waits, const struct waiting *left, const struct waiting *right)
{
	uint64_t left_length = length_of(waits, left), right_length = length_of(waits, right);
	uint32_t left_tid = waits->tasks[waits->items[left->wait].task].tid;
	uint32_t right_tid = waits->tasks[waits->items[right->wait].task].tid;

	if (left->now != right->now)
		return right->now ? -1 : 1;
	if (left->waited != right->waited)
		return left->waited < right->waited ? -1 : 1;
	if (left_length != right_length)
		return left_length < right_length ? -1 : 1;
	if (left_tid != right_tid)
		return left_tid < right_tid ? -1 : 1;
	return (left->wait > right->wait) - (left->wait < right->wait);
}

struct stack_order {
	const struct waits *waits;
	const struct waiting *tasks;
};

static int compare_tasks(const void *left, const void *right, void *context)
{
	const struct waiting *l = left, *r = right;
	const struct stack_order *order = context;

	if (l->stack != r->stack)
		return l->stack < r->stack ? -1 : 1;
	return compare_waiting(order->waits, l, r);
}

/* Orders stacks by the last of their tasks. */
static int compare_stacks(const void *left, const void *right, void *context)
{
	const struct waiting_stack *l = left, *r = right;
	const struct stack_order *order = context;

	return compare_waiting(order->waits, &order->tasks[l->first + l->count - 1],
			       &order->tasks[r->first + r->count - 1]);
}

int waits_at_order(struct waits_at *at, const struct waits *waits, const struct readings *readings,
		   struct waits_found *found)
{
	struct stack_order order = {.waits = waits, .tasks = at->tasks.items};
	size_t end = found->first_task + found->task_count;

	found->first_stack = at->stacks.count;
	found->stack_count = 0;
	if (!found->task_count)
		return 0;
	for (size_t i = found->first_task; i < end; i++)
		at->tasks.items[i].stack = readings->as[waits->items[at->tasks.items[i].wait].node];
	qsort_r(at->tasks.items + found->first_task, found->task_count, sizeof(*at->tasks.items),
		compare_tasks, &order);
	for (size_t i = found->first_task; i < end; i++) {
		uint32_t node = at->tasks.items[i].stack;

		if (i == found->first_task || node != at->tasks.items[i - 1].stack) {
			if (array_push(&at->stacks, (struct waiting_stack){.node = node, .first = i}) < 0)
				return -ENOMEM;
			found->stack_count++;
		}
		at->stacks.items[at->stacks.count - 1].count++;
	}
	qsort_r(at->stacks.items + found->first_stack, found->stack_count,
		sizeof(*at->stacks.items), compare_stacks, &order);
	return 0;
}

void waits_at_deinit(struct waits_at *at)
{
	array_free(&at->tasks);
	array_free(&at->stacks);
}
