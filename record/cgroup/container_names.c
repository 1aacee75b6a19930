/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/cgroup/container_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/packet.h"
#include "common/time_units.h"
#include "format/event_log.h"
#include "record/helper/name_helper.h"
#include "record/helper/nursery.h"
#include "record/machine/clocks.h"
#include "record/plan/deadlines.h"
#include "record/plan/recording.h"

struct container_names {
	struct recording *recording;
	struct nursery *nursery;
	int socket; /* of the helper, -1: none yet */
	bool gone;  /* it does not answer: nothing more is asked */
	size_t missing; /* answers */
};

int container_names_create(struct recording *recording, struct nursery *nursery, struct container_names **ret_names)
{
	struct container_names *names = calloc(1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	*names = (struct container_names){.recording = recording, .nursery = nursery, .socket = -1};
	*ret_names = names;
	return event_log_want_names(recording->log);
}

void container_names_destroy(struct container_names *names)
{
	if (!names)
		return;
	if (names->socket >= 0)
		(void)close(names->socket);
	free(names);
}

static bool has_file(const struct container *container)
{
	char path[CONTAINER_NAME_PATH];

	return container_name_path(container->runtime, container->id, 0, path);
}

static int ask(struct nursery *nursery, int *socket, const struct container *container, uint64_t cgroup)
{
	struct name_request request = {.cgroup = cgroup, .runtime = (uint32_t)container->runtime};
	pid_t pid;

	if (*socket < 0 && nursery_spawn(nursery, HELPER_NAMES, socket, &pid) < 0) {
		*socket = -1;
		return -EPIPE;
	}
	(void)snprintf(request.id, sizeof(request.id), "%.*s", (int)sizeof(request.id) - 1, container->id);
	return packet_send(*socket, &request, sizeof(request), -1);
}

void container_names_ask(struct container_names *names, uint64_t cgroup, const char *path)
{
	struct container container;
	int r;

	if (!names || names->gone || !container_find(path, &container) || !has_file(&container))
		return;
	r = ask(names->nursery, &names->socket, &container, cgroup);
	names->missing += !r;
	names->gone = r < 0 && r != -EAGAIN;
}

static void tell(struct container_names *names, const struct name_reply *reply)
{
	const size_t length = strnlen(reply->name, sizeof(reply->name));
	const struct event event = {.kind = EVENT_CGROUP_NAME, .cgroup_name = {
		.id = reply->cgroup, .name = {reply->name, (uint32_t)length}}};

	if (length)
		(void)recording_check(names->recording, event_log_add(names->recording->log, &event));
}

void container_names_take(struct container_names *names, unsigned int budget_ms)
{
	const uint64_t end = clocks_now() + budget_ms * MILLISECOND;
	struct name_reply reply;
	uint64_t now = clocks_now();

	while (names && names->missing && !names->gone) {
		const int wait = now < end ? (int)((end - now) / MILLISECOND) : 0;
		ssize_t got = packet_receive(names->socket, &reply, sizeof(reply), wait, NULL);

		if (got == -ETIMEDOUT)
			return;
		names->gone = got != sizeof(reply);
		if (names->gone)
			return;
		names->missing--;
		tell(names, &reply);
		now = clocks_now();
	}
}

void container_names_look_up(struct nursery *nursery, int *socket, const struct container *container, char *name)
{
	struct name_reply reply;

	*name = '\0';
	if (!has_file(container) || ask(nursery, socket, container, 0) < 0 ||
	    packet_receive(*socket, &reply, sizeof(reply), DEADLINE_PROCESS, NULL) != sizeof(reply))
		return;
	(void)snprintf(name, CONTAINER_NAME, "%.*s", (int)sizeof(reply.name) - 1, reply.name);
}
