/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/seam/profile_unanswered.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"

enum { END_BYTES = 192 };

/* Names one end of a connection, or the other end. False if it is not known, or not a connection. */
static bool name_end(const struct profile_object *object, bool other, char text[END_BYTES])
{
	const char *first = other ? object->peer : object->local;
	const char *second = other ? object->local : object->peer;
	const unsigned int port = other ? object->peer_port : object->port;
	const uint64_t inode = other ? object->peer_inode : object->inode;

	if (object->kind == PROFILE_OBJECT_UNIX && inode) {
		(void)snprintf(text, END_BYTES, "%" PRIu32 " unix %" PRIu64, object->host, inode);
		return true;
	}
	if (object->kind != PROFILE_OBJECT_TCP || !object->port || !object->peer_port ||
	    !*first || !*second)
		return false;
	(void)snprintf(text, END_BYTES, "%" PRIu32 " tcp %s %u %s %u", object->host, first, port,
		       second, object->port + object->peer_port - port);
	return true;
}

static bool is_open(const struct profile_wait *wait)
{
	return wait->flags & PROFILE_WAIT_NOT_ENDED && wait->wait_class == PROFILE_BLOCKED;
}

static bool is_whole(const struct profile_wait *wait)
{
	return is_open(wait) && wait->flags & PROFILE_WAIT_BEGAN_BEFORE;
}

void profile_unanswered_add_wait(const struct profile_facts_ground *ground,
				 const struct profile_wait *wait)
{
	struct profile_thread_facts *own = &ground->facts[wait->task];

	if (is_whole(wait))
		own->asks = wait->object;
	if (!is_open(wait))
		return;
	own->owed = wait->owed;
	own->owes_itself = wait->held & PROFILE_OWES;
}

/* A thread that owes an answer, by what it owes it on; the first one of several. */
static int collect_owed(const struct profile_facts_ground *ground, size_t count, struct hash_map *owed)
{
	char text[END_BYTES];
	int r = hash_map_init(owed);

	for (size_t i = 0; i < count && r >= 0; i++) {
		struct profile_thread_facts *facts = &ground->facts[i];

		if (!facts->owed || !name_end(&ground->objects[facts->owed], false, text))
			continue;
		facts->owes = facts->owes_itself && ground->objects[facts->owed].kind == PROFILE_OBJECT_TCP;
		r = hash_map_add(owed, text, strlen(text), i, NULL);
	}
	return r < 0 ? r : 0;
}

int profile_unanswered_join(const struct profile_facts_ground *ground, size_t count)
{
	_cleanup_(hash_map_deinit) struct hash_map owed = {0};
	char text[END_BYTES];
	int r = collect_owed(ground, count, &owed);

	for (size_t i = 0; i < count && !r; i++) {
		struct profile_thread_facts *facts = &ground->facts[i];
		const uint64_t *by = NULL;

		if (facts->asks && name_end(&ground->objects[facts->asks], true, text))
			by = hash_map_find(&owed, text, strlen(text));
		facts->unanswered = by != NULL;
		if (!by)
			continue;
		ground->facts[*by].owes |= ground->facts[*by].owes_itself;
		ground->facts[*by].awaited = true;
	}
	return r;
}

bool profile_wait_holds_up_unseen(const struct profile_thread_facts *facts,
				  const struct profile_wait *wait)
{
	return facts->owes && !facts->awaited && is_open(wait) && wait->owed == facts->owed;
}

bool profile_wait_is_unanswered(const struct profile_thread_facts *facts,
				const struct profile_wait *wait)
{
	return facts->unanswered && is_whole(wait) && wait->object == facts->asks;
}
