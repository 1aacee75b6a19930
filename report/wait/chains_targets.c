/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/wait/chains.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"
#include "report/profile/profile.h"
#include "report/view/frame_text.h"
#include "report/view/page.h"

enum {
	LONGEST = 1000,	      /* waits that are followed without a target */
	LONGEST_NAMED = 20000, /* of a target */
	/* The limit for all targets together: a few seconds. */
	WORK = 3000000,	       /* waits visited on the paths */
	MOMENT_WORK = 3000000, /* again, after these are used up, for sampling moments */
	NODES = 250000,	       /* of the tree */
	/* Per target, if there are many. */
	LEAST_WORK = 100,
	LEAST_NODES = 20,
	LEAST_MOMENTS = 4,
	MOST_MOMENTS = 10000,
	USUAL_HOPS = 32, /* per moment: most paths are shorter */
};

int chains_tables_init(struct chains_tables *tables, const struct view_context *context)
{
	const struct frame_style style = frame_list_style(context->settings);
	/* With addresses, what follows them belongs to one module. */
	bool exact = style.addresses || style.offsets;
	enum functions_mode mode = exact ? FUNCTIONS_BY_ADDRESS : FUNCTIONS_BY_NAME;

	*tables = (struct chains_tables){.per_process = context->settings->per_process};
	return waits_init(&tables->waits, context->profile) ?:
	       task_names_init(&tables->names, context->profile) ?:
	       wait_index_init(&tables->index, &tables->waits) ?:
	       functions_create(context->profile, mode, page_no_frames(context->settings), &tables->functions) ?:
	       places_init(&tables->places, context->profile, tables->functions, style);
}

void chains_tables_deinit(struct chains_tables *tables)
{
	places_deinit(&tables->places);
	functions_destroy(tables->functions);
	wait_index_deinit(&tables->index);
	task_names_deinit(&tables->names);
}

/* The weight of a wait in the wanted part of its recording. */
static uint64_t part_weight(const struct chains_found *found, uint32_t number)
{
	const struct profile_wait *wait = &found->tables->waits.items[number];
	uint64_t from, to, middle, begin, late;

	if (found->wanted.part == CHAINS_WHOLE)
		return wait->weight;
	profile_recording_part(found->tables->waits.profile, wait->recording, &from, &to);
	middle = from + (to > from ? (to - from) / 2 : 0);
	begin = wait->out > middle ? wait->out : middle;
	to = wait->in < to ? wait->in : to;
	late = to > begin ? to - begin : 0;
	late = late < wait->weight ? late : wait->weight;
	return found->wanted.part == CHAINS_LATE ? late : wait->weight - late;
}

static bool is_target(const struct chains_found *found, uint32_t number)
{
	const struct chains_wanted *wanted = &found->wanted;
	const struct profile_task *task = &found->tables->waits.tasks[number];

	if (wanted->by_name)
		return found->tables->names.name_of[number] == wanted->name;
	if (wanted->comm)
		return !regexec(wanted->comm, task->comm, 0, NULL, 0);
	return wanted->anybody || task->tid == wanted->tid;
}

static int compare_targets(const void *left, const void *right, void *context)
{
	const struct chains_found *found = context;
	const struct profile_wait *waits = found->tables->waits.items;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;

	return COMPARE(waits[r].weight, waits[l].weight) ?: COMPARE(l, r);
}

/* Nobody held up a sleep that a timer ended, unless the thread then waited for a CPU for longer than it had slept. */
static int ends_by_timer(const struct chains_found *found, const struct profile_wait *wait, bool *ret_timer)
{
	struct place place;

	*ret_timer = false;
	if (!wake_is_interrupt(wait->waker_context) || wait->run_queue > wait_length(wait) / 2)
		return 0;
	return places_find(&found->tables->places, wait->waker_node, &place, ret_timer);
}

/*
 * choose_first() moves the first `wanted` waits in this order to the front. They are a heap with
 * the last of them on top, so most of a million waits are compared only once.
 */
static void sift_down(struct chains_found *found, size_t at, size_t count)
{
	uint32_t *targets = found->targets;

	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		uint32_t moved = targets[at];

		if (child + 1 < count && compare_targets(&targets[child], &targets[child + 1], found) < 0)
			child++;
		if (compare_targets(&moved, &targets[child], found) >= 0)
			return;
		targets[at] = targets[child];
		targets[child] = moved;
	}
}

static void choose_first(struct chains_found *found, size_t wanted, size_t count)
{
	for (size_t i = wanted; i--;)
		sift_down(found, i, wanted);
	for (size_t i = wanted; i < count && wanted; i++)
		if (compare_targets(&found->targets[i], &found->targets[0], found) < 0) {
			found->targets[0] = found->targets[i];
			sift_down(found, 0, wanted);
		}
}

static void count(struct chains_count *sum, const struct profile_wait *wait)
{
	sum->waits++;
	sum->weight = wait_add(sum->weight, wait->weight);
}

/*
 * Without a target, waits that a timer ended, or that nobody has ended or is known to hold up, are only counted; with
 * one, the latter if they are set apart.
 */
static int match_wait(struct chains_found *found, uint32_t number)
{
	const struct profile_wait *wait = &found->tables->waits.items[number];
	struct chains_tables *tables = found->tables;
	struct wait_next next = {0};
	bool timer = false;
	int r = found->wanted.named ? 0 : ends_by_timer(found, wait, &timer);

	if (!r && wait->flags & PROFILE_WAIT_NOT_ENDED)
		r = wait_next_find(&tables->waits, &tables->places, wait, &next);
	if (r < 0)
		return r;
	if (wait->flags & PROFILE_WAIT_NOT_ENDED && next.by == WAIT_NEXT_WAKER &&
	    (!found->wanted.named || wait->flags & PROFILE_WAIT_APART)) {
		count(&found->open, wait);
	} else if (timer) {
		count(&found->timers, wait);
	} else {
		found->targets[found->matched.waits] = number;
		count(&found->matched, wait);
	}
	return 0;
}

/* Waits are ordered by task: each task is checked once, or once per recording. */
static int match_targets(struct chains_found *found)
{
	const struct profile_wait *waits = found->tables->waits.items;
	bool matches = false;
	int r = 0;

	for (size_t i = 0; i < found->tables->waits.count && !r; i++) {
		if (!i || waits[i].task != waits[i - 1].task)
			matches = is_target(found, waits[i].task);
		if (matches && waits[i].source == found->wanted.source && waits[i].weight &&
		    wait_is_asked(&found->tables->waits, &waits[i]) &&
		    waits[i].weight >= found->wanted.least)
			r = match_wait(found, (uint32_t)i);
	}
	return r;
}

static int choose_targets(struct chains_found *found)
{
	int r;

	found->targets = calloc(found->tables->waits.count + 1, sizeof(*found->targets));
	if (!found->targets)
		return -ENOMEM;
	r = match_targets(found);
	if (r < 0)
		return r;
	found->target_count = found->wanted.named ? LONGEST_NAMED : LONGEST;
	if (found->wanted.most)
		found->target_count = found->wanted.most;
	if (found->target_count > found->matched.waits)
		found->target_count = found->matched.waits;
	choose_first(found, found->target_count, found->matched.waits);
	qsort_r(found->targets, found->target_count, sizeof(*found->targets), compare_targets, found);
	for (size_t i = 0; i < found->target_count; i++)
		found->target_weight = wait_add(found->target_weight,
						found->tables->waits.items[found->targets[i]].weight);
	return 0;
}

struct bounds { /* what is left, of each kind */
	uint64_t work, moment_work, nodes;
};

/* A target may use its share of what is left, so that an expensive one does not starve the rest. */
static uint64_t share_of(uint64_t left, size_t targets, uint64_t least)
{
	uint64_t share = left / targets > least ? left / targets : least;

	return share < left ? share : left;
}

static uint64_t moments_for(uint64_t work)
{
	uint64_t moments = work / USUAL_HOPS;

	if (moments < LEAST_MOMENTS)
		return LEAST_MOMENTS;
	return moments < MOST_MOMENTS ? moments : MOST_MOMENTS;
}

static int follow_target(struct follower *follower, struct bounds *left, uint32_t wait, uint64_t weight, size_t targets)
{
	const struct bounds share = {
		.work = share_of(left->work, targets, LEAST_WORK),
		.moment_work = share_of(left->moment_work, targets, LEAST_WORK),
		.nodes = share_of(left->nodes, targets, LEAST_NODES),
	};
	int r;

	follower->work = share.work;
	follower->moment_work = share.moment_work;
	follower->moments = moments_for(share.moment_work);
	follower->tree->room = share.nodes;
	r = follower_divide(follower, wait, weight);
	left->work -= share.work - follower->work;
	left->moment_work -= share.moment_work - follower->moment_work;
	left->nodes -= share.nodes - follower->tree->room;
	return r;
}

static int follow_targets(struct chains_found *found)
{
	struct follower follower = {
		.waits = &found->tables->waits,
		.index = &found->tables->index,
		.names = &found->tables->names,
		.places = &found->tables->places,
		.tree = &found->steps,
		.objects = found->wanted.objects ? &found->objects : NULL,
		.per_process = found->tables->per_process,
	};
	struct bounds left = {.work = WORK, .moment_work = MOMENT_WORK, .nodes = NODES};
	int r = 0;

	for (size_t i = 0; !r && i < found->target_count; i++) {
		uint64_t weight = part_weight(found, found->targets[i]);

		if (weight)
			r = follow_target(&follower, &left, found->targets[i], weight, found->target_count - i);
	}
	found->sampled = follower.sampled;
	object_tally_finish(&found->objects);
	if (!r)
		r = chains_tree_finish(&found->steps, &found->tables->places, &found->tree);
	if (!r)
		found->total = found->tree.nodes[0].weight;
	return r;
}

int chains_least(struct chains_tables *tables, const struct chains_wanted *wanted, uint64_t *ret_least)
{
	struct chains_found found = {.tables = tables, .wanted = *wanted};
	int r = choose_targets(&found);

	if (!r)
		*ret_least = found.target_count < found.matched.waits ?
				     tables->waits.items[found.targets[found.target_count - 1]].weight : 0;
	free(found.targets);
	return r;
}

int chains_found_init(struct chains_found *found, struct chains_tables *tables, const struct chains_wanted *wanted)
{
	int r;

	*found = (struct chains_found){.tables = tables, .wanted = *wanted};
	r = chains_tree_init(&found->steps);
	if (!r && wanted->objects)
		r = object_tally_init(&found->objects, &tables->waits);
	if (!r)
		r = choose_targets(found);
	return r < 0 ? r : follow_targets(found);
}

void chains_found_deinit(struct chains_found *found)
{
	free(found->targets);
	object_tally_deinit(&found->objects);
	chains_tree_deinit(&found->steps);
}
