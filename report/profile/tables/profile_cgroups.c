/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/tables/profile_cgroups.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/container.h"

/* Equal texts have the same pointer. */
static int keep(struct profile *profile, const char *text, size_t length, const char **ret_text)
{
	return text_pool_add(&profile->texts, text, length, ret_text);
}

struct wanted {
	const struct profile *profile;
	const char *path;
};

static bool is_same(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;

	return wanted->profile->cgroups.items[number]->path == wanted->path;
}

static int describe(struct profile *profile, struct profile_cgroup *cgroup)
{
	char id[CONTAINER_ID + 1];
	int r;

	cgroup->container = cgroup->id = "";
	if (!container_find(cgroup->path, id))
		return 0;
	r = keep(profile, id, CONTAINER_ID, &cgroup->id);
	return r ? r : keep(profile, id, CONTAINER_SHORT, &cgroup->container);
}

static int add(struct profile *profile, const char *path)
{
	struct profile_cgroup *cgroup = calloc(1, sizeof(*cgroup));
	int r = cgroup ? array_push(&profile->cgroups, cgroup) : -ENOMEM;

	if (r < 0) {
		free(cgroup);
		return r;
	}
	cgroup->path = path;
	cgroup->known = *path == '/';
	return describe(profile, cgroup);
}

int profile_intern_cgroup(struct profile *profile, const struct trace_model *model, uint64_t id,
			  const struct profile_cgroup **ret_cgroup)
{
	const struct trace_cgroup *known = trace_model_cgroup(model, id);
	struct wanted wanted = {.profile = profile};
	struct index_slot *slot;
	char number[32];
	uint32_t hash;
	int r;

	*ret_cgroup = NULL;
	if (!id)
		return 0;
	if (!known || !*known->path)
		(void)snprintf(number, sizeof(number), "id:%" PRIu64, id);
	r = known && *known->path ? keep(profile, known->path, strlen(known->path), &wanted.path) :
				    keep(profile, number, strlen(number), &wanted.path);
	if (r < 0)
		return r;
	hash = index_table_hash(&profile->cgroup_table, (uintptr_t)wanted.path, 0);
	slot = index_table_find(&profile->cgroup_table, hash, is_same, &wanted);
	if (!slot)
		return -ENOMEM;
	if (!slot->number) {
		r = add(profile, wanted.path);
		if (r < 0)
			return r;
		index_table_set(&profile->cgroup_table, slot, hash, (uint32_t)(profile->cgroups.count - 1));
	}
	*ret_cgroup = profile->cgroups.items[slot->number - 1];
	return 0;
}

void profile_free_cgroups(struct profile *profile)
{
	for (size_t i = 0; i < profile->cgroups.count; i++)
		free(profile->cgroups.items[i]);
	array_free(&profile->cgroups);
	index_table_deinit(&profile->cgroup_table);
}

/* --- filters --- */

bool profile_cgroup_is_wanted(const struct profile_filter *filter, const struct profile_cgroup *cgroup)
{
	if (filter->cgroup && !(cgroup && cgroup_path_fits(filter->cgroup, cgroup->path)))
		return false;
	return !filter->container ||
	       (cgroup && container_fits(filter->container, cgroup->id));
}

/* --- access --- */

static bool has_version_1(const struct trace_model *model)
{
	const char *words = trace_model_meta(model, "cgroups");

	return words && strstr(words, "v1");
}

enum profile_cgroups_known profile_cgroups_known(const struct profile *profile)
{
	bool elsewhere = false;

	for (size_t i = 0; i < profile->cgroups.count; i++)
		if (strcmp(profile->cgroups.items[i]->path, "/") != 0)
			return PROFILE_CGROUPS_SOME;
	for (size_t i = 0; i < profile->file_count; i++)
		for (size_t k = 0; k < profile->files[i]->model_count; k++)
			elsewhere |= has_version_1(&profile->files[i]->models[k]);
	if (!profile->cgroups.count)
		return PROFILE_CGROUPS_NONE;
	return elsewhere ? PROFILE_CGROUPS_ELSEWHERE : PROFILE_CGROUPS_SOME;
}
