/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/tables/profile_held.h"

#include <errno.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "report/profile/seam/profile_waits.h"
#include "report/profile/tables/profile_internal.h"

struct hand_over { /* a wait for a lock that ended */
	uint32_t object, wait;
	uint64_t time;
};

struct hand_overs {
	const struct profile *profile;
	ARRAY(struct hand_over) items; /* by object, time */
};

static void hand_overs_deinit(struct hand_overs *overs)
{
	array_free(&overs->items);
}

static int compare(const void *left, const void *right)
{
	const struct hand_over *l = left, *r = right;

	if (l->object != r->object)
		return l->object < r->object ? -1 : 1;
	return (l->time > r->time) - (l->time < r->time);
}

static bool has_owner(const struct profile_wait *wait)
{
	return wait->held & HELD_BY_OWNER && wait->object && !(wait->held & HELD_BY_READER);
}

static uint64_t end_of(const struct profile_wait *wait)
{
	return wait->woken ? wait->woken : wait->in;
}

static int find_hand_overs(struct hand_overs *overs)
{
	const struct profile *profile = overs->profile;
	_cleanup_free_ bool *owned = calloc(profile->objects.count + 1, sizeof(*owned));

	if (!owned)
		return -ENOMEM;
	for (size_t i = 0; i < profile->waits.count; i++)
		if (has_owner(&profile->waits.items[i]))
			owned[profile->waits.items[i].object] = true;
	for (size_t i = 0; i < profile->waits.count; i++) {
		const struct profile_wait *wait = &profile->waits.items[i];
		const struct hand_over over = {wait->object, (uint32_t)i, end_of(wait)};

		if (owned[wait->object] && !(wait->flags & PROFILE_WAIT_NOT_ENDED) &&
		    array_push(&overs->items, over) < 0)
			return -ENOMEM;
	}
	if (overs->items.count)
		qsort(overs->items.items, overs->items.count, sizeof(*overs->items.items), compare);
	return 0;
}

/* The last wait for the same lock, of another thread, that ended within the wait; NULL: none. */
static const struct profile_wait *last_within(const struct hand_overs *overs, const struct profile_wait *wait)
{
	const struct hand_over *items = overs->items.items, key = {.object = wait->object, .time = end_of(wait)};
	size_t next = SORTED_FIRST(i, overs->items.count, compare(&items[i], &key) >= 0);

	if (!next || items[next - 1].object != wait->object || items[next - 1].time <= wait->out)
		return NULL;
	return &overs->profile->waits.items[items[next - 1].wait];
}

static bool is_same_thread(const struct profile *profile, uint32_t left, uint32_t right)
{
	const struct profile_task *l = &profile->tasks.items[left], *r = &profile->tasks.items[right];

	return left == right || (l->host == r->host && l->tid == r->tid && l->start == r->start);
}

static bool held_all(const struct hand_overs *overs, const struct profile_wait *wait)
{
	const struct profile_wait *last = last_within(overs, wait);

	if (!last)
		return !(wait->held & HELD_CHANGED);
	return wait->held & HELD_AT_END && last->out <= wait->out &&
	       is_same_thread(overs->profile, last->task, wait->owner);
}

int profile_judge_owners(struct profile *profile)
{
	_cleanup_(hand_overs_deinit) struct hand_overs overs = {.profile = profile};
	int r = find_hand_overs(&overs);

	for (size_t i = 0; i < profile->waits.count && !r; i++) {
		struct profile_wait *wait = &profile->waits.items[i];

		if (has_owner(wait) && held_all(&overs, wait))
			wait->held |= PROFILE_HELD_ALL;
	}
	return r;
}
