/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/wait/wait_stacks.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/index_table.h"
#include "report/view/look/readings.h"
#include "report/view/text/page.h"

/* State for grouping waits into stacks. */
struct sorter {
	struct wait_stacks *stacks;
	struct readings readings;
	struct index_table known; /* stacks, by comm, process and reading */
	ARRAY(struct wait_stack) found;
	uint32_t *stack_of; /* number in `found`, by wait */
	uint32_t source;
	size_t member_count;
	bool per_process;
};

static void sorter_deinit(struct sorter *sorter)
{
	readings_deinit(&sorter->readings);
	index_table_deinit(&sorter->known);
	array_free(&sorter->found);
	free(sorter->stack_of);
}

static int want_chains(struct sorter *sorter)
{
	const struct waits *waits = &sorter->stacks->waits;

	for (size_t i = 0; i < waits->count; i++) {
		int r;

		if (waits->items[i].source != sorter->source)
			continue;
		sorter->member_count++;
		r = readings_want(&sorter->readings, waits->items[i].node);
		if (r < 0)
			return r;
	}
	return 0;
}

struct wanted_stack {
	const struct wait_stack *found;
	uint32_t key[3];
};

static bool same_stack(const void *context, uint32_t number)
{
	const struct wanted_stack *wanted = context;
	const struct wait_stack *stack = &wanted->found[number];

	return stack->comm == wanted->key[0] && stack->process == wanted->key[1] &&
	       stack->node == wanted->key[2];
}

static int find_stack(struct sorter *sorter, const struct profile_wait *wait, uint32_t *ret_number)
{
	const struct task_names *names = &sorter->stacks->names;
	uint32_t process = sorter->per_process ? names->process_of[wait->task] : 0;
	const struct wanted_stack wanted = {.found = sorter->found.items,
					    .key = {names->comm_of[wait->task], process,
						    sorter->readings.as[wait->node]}};
	int r = index_table_add(&sorter->known,
				index_table_hash_words(&sorter->known, wanted.key, 3), same_stack,
				&wanted, (uint32_t)sorter->found.count, ret_number);

	if (r > 0)
		r = array_push(&sorter->found, (struct wait_stack){.comm = wanted.key[0],
								   .process = wanted.key[1],
								   .node = wanted.key[2]});
	return r;
}

static bool is_at_least(const struct waits *waits, uint32_t wait)
{
	return wait_length_bound(&waits->items[wait]) == WAIT_AT_LEAST;
}

/* Of two equal lengths, a lower bound counts as longer, then the earlier wait. */
static bool is_longer(const struct waits *waits, uint64_t length, uint32_t wait,
		      uint64_t other_length, uint32_t other)
{
	bool open, other_open;

	if (length != other_length)
		return length > other_length;
	open = is_at_least(waits, wait);
	other_open = is_at_least(waits, other);
	return open == other_open ? wait < other : open;
}

static void count_wait(const struct waits *waits, uint32_t number, struct wait_stack *stack)
{
	const struct profile_wait *wait = &waits->items[number];
	uint64_t length = wait_length(wait);

	stack->count++;
	stack->open += wait_is_open(wait);
	stack->least |= is_at_least(waits, number);
	stack->total = wait_add(stack->total, length);
	stack->weight = wait_add(stack->weight, wait->weight);
	if (stack->count > 1 && !is_longer(waits, length, number, stack->longest, stack->longest_wait))
		return;
	stack->longest = length;
	stack->longest_wait = number;
}

static int add_waits(struct sorter *sorter)
{
	const struct waits *waits = &sorter->stacks->waits;

	for (size_t i = 0; i < waits->count; i++) {
		int r;

		if (waits->items[i].source != sorter->source)
			continue;
		r = find_stack(sorter, &waits->items[i], &sorter->stack_of[i]);
		if (r < 0)
			return r;
		count_wait(waits, (uint32_t)i, &sorter->found.items[sorter->stack_of[i]]);
	}
	return 0;
}

/* Makes each stack's members adjacent. */
static void place_members(struct sorter *sorter)
{
	struct wait_stacks *stacks = sorter->stacks;
	size_t first = 0;

	for (size_t i = 0; i < sorter->found.count; i++) {
		sorter->found.items[i].first = first;
		first += sorter->found.items[i].count;
	}
	for (size_t i = 0; i < stacks->waits.count; i++) {
		const struct profile_wait *wait = &stacks->waits.items[i];

		if (wait->source == sorter->source)
			stacks->members[sorter->found.items[sorter->stack_of[i]].first++] =
				(struct wait_member){.length = wait_length(wait), .wait = (uint32_t)i};
	}
	for (size_t i = 0; i < sorter->found.count; i++)
		sorter->found.items[i].first -= sorter->found.items[i].count;
}

static int compare_members(const void *left, const void *right, void *waits)
{
	const struct wait_member *l = left, *r = right;

	if (l->wait == r->wait)
		return 0;
	return is_longer(waits, l->length, l->wait, r->length, r->wait) ? 1 : -1;
}

void wait_stacks_rank(struct wait_stacks *stacks, const struct wait_stack *stack)
{
	qsort_r(stacks->members + stack->first, stack->count, sizeof(*stacks->members),
		compare_members, &stacks->waits);
}

static int compare_stacks(const void *left, const void *right)
{
	const struct wait_stack *l = left, *r = right;

	if (l->longest != r->longest)
		return l->longest < r->longest ? -1 : 1;
	if (l->total != r->total)
		return l->total < r->total ? -1 : 1;
	if (l->comm != r->comm)
		return l->comm < r->comm ? -1 : 1;
	if (l->process != r->process)
		return l->process < r->process ? -1 : 1;
	return (l->node > r->node) - (l->node < r->node);
}

static void order(struct sorter *sorter)
{
	struct wait_stacks *stacks = sorter->stacks;

	place_members(sorter);
	stacks->items = steal_ptr(sorter->found.items);
	stacks->count = sorter->found.count;
	if (stacks->count)
		qsort(stacks->items, stacks->count, sizeof(*stacks->items), compare_stacks);
}

static int sort(struct sorter *sorter, const struct view_settings *settings)
{
	struct wait_stacks *stacks = sorter->stacks;
	int r = want_chains(sorter);

	if (!r)
		r = readings_read(&sorter->readings, stacks->functions,
				  (struct frame_style){.addresses = settings->addresses,
						       .offsets = settings->offsets});
	if (r < 0)
		return r;
	stacks->members = calloc(sorter->member_count + 1, sizeof(*stacks->members));
	sorter->stack_of = calloc(stacks->waits.count + 1, sizeof(*sorter->stack_of));
	if (!stacks->members || !sorter->stack_of)
		return -ENOMEM;
	r = add_waits(sorter);
	if (!r)
		order(sorter);
	return r;
}

int wait_stacks_init(struct wait_stacks *stacks, const struct view_context *context, uint32_t source,
		     enum functions_mode mode)
{
	_cleanup_(sorter_deinit) struct sorter sorter = {
		.stacks = stacks, .source = source, .per_process = context->settings->per_process};
	int r;

	*stacks = (struct wait_stacks){0};
	r = waits_init(&stacks->waits, context->profile);
	if (!r)
		r = functions_create(context->profile, mode, page_no_frames(context->settings),
				     &stacks->functions);
	if (!r)
		r = task_names_init(&stacks->names, context->profile);
	if (!r)
		r = readings_init(&sorter.readings, context->profile);
	if (!r)
		r = index_table_init(&sorter.known);
	return r < 0 ? r : sort(&sorter, context->settings);
}

void wait_stacks_deinit(struct wait_stacks *stacks)
{
	functions_destroy(stacks->functions);
	task_names_deinit(&stacks->names);
	free(stacks->members);
	free(stacks->items);
	*stacks = (struct wait_stacks){0};
}

enum wait_bound wait_stack_total_bound(const struct wait_stack *stack)
{
	return stack->least ? WAIT_AT_LEAST : WAIT_EXACT;
}
