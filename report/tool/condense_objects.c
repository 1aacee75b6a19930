/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names of what waits were for. A condensed trace has stand-ins instead, which distinguish names
 * and say nothing else: "file#3" for a path, "name#2" for that of a unix socket, "peer#1" for the
 * address of a socket's other end.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/tool/condense_parts.h"

struct stand_ins {
	struct hash_map paths, names, peers;
};

static void stand_ins_deinit(struct stand_ins *all)
{
	hash_map_deinit(&all->paths);
	hash_map_deinit(&all->names);
	hash_map_deinit(&all->peers);
}

/* The length of the stand-in; 0 if none is needed. -ENOMEM. */
static int stand_in(struct stand_ins *all, const struct trace_object *object, char *text, size_t room)
{
	const bool is_unix = object->about.kind == OBJECT_UNIX;
	const bool peer = object->has_addresses && object->about.peer_port;
	struct hash_map *known = peer ? &all->peers : is_unix ? &all->names : &all->paths;
	const void *key = peer ? (const void *)object->peer_address : object->path;
	size_t length = peer ? sizeof(object->peer_address) : strlen(object->path);
	uint64_t *number;
	int r;

	if (!length || object->about.kind == OBJECT_LOCK || object->about.kind == OBJECT_BLOCK) /* the kernel's names */
		return 0;
	r = hash_map_add(known, key, length, known->count + 1, &number);
	return r < 0 ? r : snprintf(text, room, "%s#%llu", peer ? "peer" : is_unix ? "name" : "file",
				    (unsigned long long)*number);
}

static int write_name(struct condensing *condensing, struct stand_ins *all, const struct trace_object *object)
{
	struct event event = {.kind = EVENT_OBJECT_NAME, .object_name.number = object->about.number};
	char text[32];
	int r = stand_in(all, object, text, sizeof(text));

	if (r <= 0)
		return r;
	event.object_name.path = (struct event_text){text, (uint32_t)r};
	return condense_taken(condensing, condense_write(condensing, &event));
}

int condense_object_names(struct condensing *condensing)
{
	_cleanup_(stand_ins_deinit) struct stand_ins all = {0};
	const struct trace_model *model = condensing->model;
	int r = 0;

	if (!model->objects.count)
		return 0;
	if (hash_map_init(&all.paths) < 0 || hash_map_init(&all.names) < 0 || hash_map_init(&all.peers) < 0)
		return -ENOMEM;
	r = event_log_want_names(condensing->log);
	for (size_t i = 0; i < model->objects.count && r >= 0; i++)
		if (condense_is_used(condensing, USE_OBJECT, model->objects.items[i].about.number, 0))
			r = write_name(condensing, &all, &model->objects.items[i]);
	return r;
}
