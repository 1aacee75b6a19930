/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/look/wait_next.h"

#include "report/view/look/other_ends.h"

static bool has_waker(const struct profile_wait *wait)
{
	if (wait->flags & PROFILE_WAIT_NOT_ENDED || wait->waker_context == WAKER_NONE)
		return false;
	return wait->waker != PROFILE_NO_TASK || wait->waker_context == WAKER_SOFTIRQ ||
	       wait->waker_context == WAKER_IRQ;
}

/* Not one that may have let go. */
static bool has_owner(const struct waits *waits, const struct profile_wait *wait)
{
	return wait->held & HELD_BY_OWNER && wait->held & PROFILE_HELD_ALL && waits->tasks[wait->owner].tid;
}

static const struct profile_users *only_thread(const struct profile_users *users)
{
	return users && users->processes == 1 && users->one_thread ? users : NULL;
}

/* Whom a sleeper waits for that nobody has woken: its child, or the only thread seen to use the other end. */
static const struct profile_users *awaited(const struct waits *waits, const struct profile_wait *wait)
{
	const struct profile_object *object = &waits->objects[wait->object];
	enum profile_direction end;

	if (!wait->object || !(wait->flags & PROFILE_WAIT_NOT_ENDED))
		return NULL;
	return only_thread(object->kind == OBJECT_CHILD ? &object->users[PROFILE_NEITHER] :
								  other_end(waits, wait, &end));
}

/* Whose data an interrupt brought: that of the only thread seen to use the other end. */
static const struct profile_users *sender(const struct waits *waits, const struct profile_wait *wait)
{
	const uint32_t number = wait->ready ? wait->ready : wait->object;

	if (!number || waits->objects[number].kind != OBJECT_TCP)
		return NULL;
	return only_thread(&waits->objects[number].users[PROFILE_NEITHER]);
}

int wait_next_find(const struct waits *waits, struct places *places, const struct profile_wait *wait,
		   struct wait_next *ret_next)
{
	const struct profile_users *users = NULL;
	struct place place;
	bool timer = false;
	int r = 0;

	*ret_next = (struct wait_next){.by = WAIT_NEXT_WAKER};
	if (wait->wait_class != WAIT_BLOCKED)
		return 0;
	if (!has_waker(wait)) {
		users = awaited(waits, wait);
		if (has_owner(waits, wait))
			*ret_next = (struct wait_next){WAIT_NEXT_OWNER, wait->owner};
		else if (users)
			*ret_next = (struct wait_next){WAIT_NEXT_AWAITED, users->task};
		return 0;
	}
	if (wait->waker_node &&
	    (wait->waker_context == WAKER_SOFTIRQ || wait->waker_context == WAKER_IRQ))
		users = sender(waits, wait);
	if (users)
		r = places_find(places, wait->waker_node, &place, &timer);
	if (!r && users && !timer)
		*ret_next = (struct wait_next){WAIT_NEXT_OTHER_END, users->task};
	return r;
}
