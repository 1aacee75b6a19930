/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Control groups: replaces their ids and paths, but keeps the runtime of a container. */
#include <stdio.h>
#include <string.h>

#include "common/container/container.h"
#include "report/scrub/scrub_internal.h"

int scrub_cgroup_id(struct scrub *scrub, uint64_t given, uint64_t *ret_id)
{
	*ret_id = given;
	return given && scrub_wants(scrub, SCRUB_CGROUPS) ? scrub_number(&scrub->cgroups, given, ret_id) : 0;
}

/* "/docker:ctr_..." (common/container/container.h). Replaces the part of the id that reports show. */
static int stand_for(struct scrub *scrub, const struct container *container, struct event_text *ret_text)
{
	const char *name, *kept;
	char text[CONTAINER_ID];
	int length, r = pseudonyms_make(scrub->names, PSEUDONYM_CONTAINER, container->id,
					(size_t)container_short_length(container), &name);

	if (r < 0)
		return r;
	length = snprintf(text, sizeof(text), "/%s:%s", container_runtime_name(container->runtime), name);
	r = text_pool_add(&scrub->texts, text, (size_t)length, &kept);
	if (!r)
		*ret_text = (struct event_text){kept, (uint32_t)length};
	return r;
}

static int take_path(struct scrub *scrub, const struct event_text *given, struct event_text *ret_path)
{
	char path[RWK_MAX_STRING + 1];
	struct container container;

	*ret_path = *given;
	if (!scrub_wants(scrub, SCRUB_CGROUPS) || given->length > RWK_MAX_STRING)
		return 0;
	if (given->length)
		memcpy(path, given->bytes, given->length);
	path[given->length] = '\0';
	if (!strcmp(path, "/"))
		return 0;
	if (container_find(path, &container))
		return stand_for(scrub, &container, ret_path);
	return scrub_path(scrub, PSEUDONYM_FILE, given, ret_path);
}

int scrub_cgroup(struct scrub *scrub, struct event *event)
{
	const struct event_cgroup cgroup = event->cgroup;
	int r;

	event->cgroup = (struct event_cgroup){.time = scrub_time(scrub, cgroup.time),
					      .flags = cgroup.flags & (CGROUP_INITIAL | CGROUP_REMOVED)};
	r = scrub_cgroup_id(scrub, cgroup.id, &event->cgroup.id);
	if (!r)
		r = take_path(scrub, &cgroup.path, &event->cgroup.path);
	return r < 0 ? r : SCRUB_WRITE;
}
