/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/wake_pairs.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/view/readings.h"
#include "report/view/section.h"

struct gathering { /* what is needed until all pairs are there */
	struct wake_pairs *pairs;
	const struct view_settings *settings;
	struct waits waits;
	uint32_t source;
	struct readings readings, kernel_readings; /* kernel_readings: of interrupts */
	struct hash_map known;	     /* identity -> pair */
	struct hash_map interrupted; /* (pair, comm) -> its row */
};

/* What makes two waits one pair; no byte of it is padding. */
struct identity {
	uint32_t comm, process, node, waker_comm, waker_process, waker_node, context, user_missing;
};

static void gathering_deinit(struct gathering *gathering)
{
	readings_deinit(&gathering->readings);
	readings_deinit(&gathering->kernel_readings);
	hash_map_deinit(&gathering->known);
	hash_map_deinit(&gathering->interrupted);
}

enum profile_waker_context wake_context(const struct profile_wait *wait)
{
	bool somebody = wait->waker != PROFILE_NO_TASK || wake_is_interrupt(wait->waker_context);

	if (wait->flags & PROFILE_WAIT_NOT_ENDED || !somebody)
		return PROFILE_WAKER_NONE;
	return (enum profile_waker_context)wait->waker_context;
}

/* Looks up all functions and finds out which chains are the same. */
static int read_chains(struct gathering *gathering)
{
	const struct waits *waits = &gathering->waits;
	bool by_frame = gathering->settings->addresses || gathering->settings->offsets;
	int r = 0;

	for (size_t i = 0; !r && i < waits->count; i++) {
		const struct profile_wait *wait = &waits->items[i];
		bool interrupt = wake_is_interrupt(wake_context(wait));

		if (wait->source != gathering->source)
			continue;
		r = readings_want(&gathering->readings, wait->node);
		if (!r)
			r = readings_want(interrupt ? &gathering->kernel_readings : &gathering->readings, wait->waker_node);
	}
	gathering->kernel_readings.kernel_only = true;
	if (!r)
		r = readings_read(&gathering->readings, gathering->pairs->functions, by_frame);
	return r < 0 ? r : readings_read(&gathering->kernel_readings, gathering->pairs->functions, by_frame);
}

static struct identity identify(const struct gathering *gathering, const struct profile_wait *wait)
{
	const struct task_names *names = &gathering->pairs->names;
	bool per_process = gathering->settings->per_process;
	struct identity identity = {
		.comm = names->comm_of[wait->task],
		.process = per_process ? names->process_of[wait->task] : 0,
		.node = gathering->readings.as[wait->node],
		.waker_comm = WAKE_NOBODY,
		.context = wake_context(wait),
		.user_missing = !gathering->settings->kernel_only && wait->chain_flags & CHAIN_USER_MISSING,
	};

	if (wake_is_interrupt(identity.context)) {
		identity.waker_node = gathering->kernel_readings.as[wait->waker_node];
	} else if (identity.context != PROFILE_WAKER_NONE) {
		identity.waker_comm = names->comm_of[wait->waker];
		identity.waker_process = per_process ? names->process_of[wait->waker] : 0;
		identity.waker_node = gathering->readings.as[wait->waker_node];
	}
	return identity;
}

static int find_pair(struct gathering *gathering, const struct profile_wait *wait, uint32_t *ret_pair)
{
	const struct identity id = identify(gathering, wait);
	struct wake_pairs *pairs = gathering->pairs;
	uint64_t *pair;
	int r = hash_map_add(&gathering->known, &id, sizeof(id), pairs->pairs.count, &pair);

	if (r < 0)
		return r;
	*ret_pair = (uint32_t)*pair;
	if (!r)
		return 0;
	return array_push(&pairs->pairs, (struct wake_pair){.comm = id.comm,
							    .process = id.process,
							    .node = id.node,
							    .waker_comm = id.waker_comm,
							    .waker_process = id.waker_process,
							    .waker_node = id.waker_node,
							    .context = id.context,
							    .user_missing = id.user_missing,
							    .number = (uint32_t)*pair});
}

static int add_interrupted(struct gathering *gathering, uint32_t pair, const struct profile_wait *wait)
{
	const uint32_t key[2] = {pair, gathering->pairs->names.comm_of[wait->waker]};
	struct wake_pairs *pairs = gathering->pairs;
	uint64_t *row;
	int r = hash_map_add(&gathering->interrupted, key, sizeof(key), pairs->interrupted.count, &row);

	if (r > 0)
		r = array_push(&pairs->interrupted, (struct wake_interrupted){.pair = pair, .task = wait->waker});
	if (r < 0)
		return r;
	pairs->interrupted.items[*row].weight += wait->weight;
	return 0;
}

static int add_wait(struct gathering *gathering, const struct profile_wait *wait)
{
	struct wake_pairs *pairs = gathering->pairs;
	uint32_t number, context;
	int r = find_pair(gathering, wait, &number);

	if (r < 0)
		return r;
	context = pairs->pairs.items[number].context;
	pairs->pairs.items[number].samples++;
	pairs->pairs.items[number].weight += wait->weight;
	if (context == PROFILE_WAKER_NONE) {
		unsigned int kind = wait->flags & PROFILE_WAIT_NOT_ENDED ? WAKE_NOT_ENDED : wait->wait_class;

		pairs->unknown[kind].count++;
		pairs->unknown[kind].weight += wait->weight;
	}
	if (wake_is_interrupt(context) && wait->waker != PROFILE_NO_TASK)
		return add_interrupted(gathering, number, wait);
	return 0;
}

static int gather(struct gathering *gathering)
{
	int r = read_chains(gathering);

	for (size_t i = 0; !r && i < gathering->waits.count; i++)
		if (gathering->waits.items[i].source == gathering->source)
			r = add_wait(gathering, &gathering->waits.items[i]);
	return r;
}

static int compare_pairs(const void *left, const void *right)
{
	const struct wake_pair *l = left, *r = right;
	const uint32_t keys[][2] = {{l->comm, r->comm},
				    {l->process, r->process},
				    {l->node, r->node},
				    {l->context, r->context},
				    {l->waker_comm, r->waker_comm},
				    {l->waker_process, r->waker_process},
				    {l->waker_node, r->waker_node}};

	if (l->weight != r->weight)
		return l->weight < r->weight ? -1 : 1;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return (l->user_missing > r->user_missing) - (l->user_missing < r->user_missing);
}

static int compare_interrupted(const void *left, const void *right)
{
	const struct wake_interrupted *l = left, *r = right;

	if (l->pair != r->pair)
		return l->pair < r->pair ? -1 : 1;
	return (l->task > r->task) - (l->task < r->task);
}

static void sort(struct wake_pairs *pairs)
{
	if (pairs->pairs.count)
		qsort(pairs->pairs.items, pairs->pairs.count, sizeof(*pairs->pairs.items), compare_pairs);
	if (pairs->interrupted.count)
		qsort(pairs->interrupted.items, pairs->interrupted.count, sizeof(*pairs->interrupted.items),
		      compare_interrupted);
}

/* Its own tables are gone before the pairs are sorted, which takes room, too. */
static int gather_pairs(struct wake_pairs *pairs, const struct view_context *context, uint32_t source)
{
	_cleanup_(gathering_deinit) struct gathering gathering = {
		.pairs = pairs, .settings = context->settings, .source = source};
	int r = waits_init(&gathering.waits, context->profile);

	if (!r)
		r = readings_init(&gathering.readings, context->profile);
	if (!r)
		r = readings_init(&gathering.kernel_readings, context->profile);
	if (!r)
		r = hash_map_init(&gathering.known);
	if (!r)
		r = hash_map_init(&gathering.interrupted);
	return r < 0 ? r : gather(&gathering);
}

int wake_pairs_init(struct wake_pairs *pairs, const struct view_context *context, uint32_t source, enum functions_mode mode)
{
	int r;

	*pairs = (struct wake_pairs){0};
	r = functions_create(context->profile, mode, section_no_frames(context->settings), &pairs->functions);
	if (!r)
		r = task_names_init(&pairs->names, context->profile);
	if (!r)
		r = gather_pairs(pairs, context, source);
	if (!r)
		sort(pairs);
	return r;
}

void wake_pairs_deinit(struct wake_pairs *pairs)
{
	array_free(&pairs->pairs);
	array_free(&pairs->interrupted);
	task_names_deinit(&pairs->names);
	functions_destroy(pairs->functions);
	*pairs = (struct wake_pairs){0};
}

/* The first row of a pair. */
static size_t find_interrupted(const struct wake_pairs *pairs, uint32_t pair)
{
	size_t first = 0, last = pairs->interrupted.count;

	while (first < last) {
		size_t middle = first + (last - first) / 2;

		if (pairs->interrupted.items[middle].pair < pair)
			first = middle + 1;
		else
			last = middle;
	}
	return first;
}

void wake_pairs_list_interrupted(const struct wake_pairs *pairs, const struct wake_pair *pair, struct comm_list *list)
{
	for (size_t i = find_interrupted(pairs, pair->number);
	     i < pairs->interrupted.count && pairs->interrupted.items[i].pair == pair->number; i++)
		comm_list_add(list, pairs->interrupted.items[i].task, pairs->interrupted.items[i].weight);
}
