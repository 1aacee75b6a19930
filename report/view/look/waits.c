/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/look/waits.h"

#include <errno.h>

struct extents { /* sizes of the tables that waits refer to */
	size_t sources, recordings, tasks, nodes, objects, operations;
};

/* Number 0 is always allowed: it is used only if the list has entries. */
static bool is_within(uint32_t number, size_t count)
{
	return !number || number < count;
}

static bool is_sound(const struct profile_wait *wait, const struct extents *extents)
{
	return wait->source < extents->sources && wait->recording < extents->recordings &&
	       wait->task < extents->tasks && wait->node < extents->nodes &&
	       wait->waker_node < extents->nodes &&
	       (wait->waker == PROFILE_NO_TASK || wait->waker < extents->tasks) &&
	       is_within(wait->object, extents->objects) && is_within(wait->operation, extents->operations) &&
	       is_within(wait->ready, extents->objects) &&
	       (!(wait->held & HELD_BY_OWNER) || wait->owner < extents->tasks) &&
	       wait->wait_class < WAIT_CLASSES &&
	       wait->waker_context <= WAKER_UNKNOWN && wait->out <= wait->in &&
	       wait->run_queue <= wait->in - wait->out;
}

static bool objects_are_sound(const struct waits *waits, const struct extents *extents)
{
	for (size_t i = 0; i < extents->objects; i++) {
		const struct profile_users *users = waits->objects[i].users;

		for (unsigned int end = 0; end < PROFILE_DIRECTIONS; end++)
			if (users[end].processes && users[end].task >= extents->tasks)
				return false;
	}
	return true;
}

static bool is_in_order(const struct profile_wait *left, const struct profile_wait *right)
{
	if (left->recording != right->recording)
		return left->recording < right->recording;
	if (left->task != right->task)
		return left->task < right->task;
	return left->out <= right->out;
}

static bool has_several_hosts(const struct waits *waits)
{
	for (size_t i = 1; i < waits->recording_count; i++)
		if (waits->recordings[i].host != waits->recordings[0].host)
			return true;
	return false;
}

int waits_init(struct waits *waits, struct profile *profile)
{
	const struct profile_source *sources;
	struct extents extents;

	*waits = (struct waits){.profile = profile};
	extents.sources = profile_sources(profile, &sources);
	(void)profile_nodes(profile, &extents.nodes);
	waits->tasks = profile_tasks(profile, &extents.tasks);
	extents.objects = profile_objects(profile, &waits->objects);
	extents.operations = profile_operations(profile, &waits->operations);
	waits->recording_count = extents.recordings = profile_recordings(profile, &waits->recordings);
	waits->count = profile_waits(profile, &waits->items);
	waits->several_hosts = has_several_hosts(waits);
	if (waits->count == SIZE_MAX)
		return -ENOMEM;
	if (waits->count >= UINT32_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < waits->count; i++) {
		if (!is_sound(&waits->items[i], &extents))
			return -EBADMSG;
		if (i && !is_in_order(&waits->items[i - 1], &waits->items[i]))
			return -EBADMSG;
	}
	return objects_are_sound(waits, &extents) ? 0 : -EBADMSG;
}

void waits_skip_recording(const struct waits *waits, size_t first, uint32_t recording, size_t *ret_next)
{
	while (first < waits->count && waits->items[first].recording == recording)
		first++;
	*ret_next = first;
}

enum wait_bound wait_age_bound(const struct profile_wait *wait)
{
	return wait->flags & PROFILE_WAIT_OUT_BOUND ? WAIT_AT_LEAST : WAIT_EXACT;
}

bool wait_is_of_vfork(const struct waits *waits, const struct profile_wait *wait)
{
	char state[24];

	profile_wait_state(wait->state, state);
	return state[0] == 'D' && waits->objects[wait->object].kind == OBJECT_CHILD;
}

enum wait_bound wait_length_bound(const struct profile_wait *wait)
{
	return wait->flags & PROFILE_WAIT_NOT_ENDED ? WAIT_AT_LEAST : wait_age_bound(wait);
}
