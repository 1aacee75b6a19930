/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/look/other_ends.h"

/* If a wait for several descriptors ends, the one that was ready mostly had something to read. */
static enum profile_direction direction_of(const struct profile_operation *operation,
					   const struct profile_object *object)
{
	if (object->kind != OBJECT_PIPE)
		return PROFILE_NEITHER;
	return operation->direction == PROFILE_READS || operation->many ? PROFILE_WRITES : PROFILE_READS;
}

const struct profile_users *other_end(const struct waits *waits, const struct profile_wait *wait,
				      enum profile_direction *ret_end)
{
	const struct profile_object *object = &waits->objects[wait->ready ? wait->ready : wait->object];
	const struct profile_operation *operation = &waits->operations[wait->operation];
	const enum profile_direction end = *ret_end = direction_of(operation, object);
	const bool unclear = end == PROFILE_READS && operation->direction == PROFILE_NEITHER;

	if (unclear || object->kind == OBJECT_CHILD || !object->users[end].processes)
		return NULL;
	return &object->users[end];
}

bool other_ends_differ(const struct waits *waits, const struct profile_wait *one, const struct profile_wait *other)
{
	enum profile_direction end;
	const struct profile_users *left = other_end(waits, one, &end), *right = other_end(waits, other, &end);

	if (!left || !right)
		return left != right;
	return left->processes != right->processes || waits->tasks[left->task].tgid != waits->tasks[right->task].tgid;
}
