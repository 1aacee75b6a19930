/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/container.h"
#include "report/profile/profile_internal.h"
#include "report/profile/profile_waits.h"

/* --- processes --- */

struct process_key { /* without padding */
	uint32_t scope, tgid;
};

/* The first thread counts, and its last comm. */
static bool is_better(const struct profile_process *known, bool first, uint64_t time)
{
	return known->first == first ? time >= known->seen : first;
}

/* 1: it is a new one; 0; -ENOMEM. */
static int add_process(struct profile *profile, uint32_t scope, uint32_t tgid, const char *comm, uint64_t *ret_number)
{
	const struct process_key key = {scope, tgid};
	uint64_t *number;
	int r = hash_map_add(&profile->process_numbers, &key, sizeof(key), profile->processes.count, &number);

	if (r > 0 && array_push(&profile->processes, (struct profile_process){.comm = comm, .task = PROFILE_NO_TASK}) < 0)
		r = -ENOMEM;
	if (r >= 0)
		*ret_number = *number;
	return r;
}

int profile_add_birth(struct profile *profile, uint32_t scope, uint32_t tgid, uint64_t time)
{
	struct profile_process *process;
	uint64_t number;
	int r = add_process(profile, scope, tgid, "", &number);

	if (r < 0)
		return r;
	process = &profile->processes.items[number];
	process->reused |= !r && (process->born || process->seen < time);
	process->born = time;
	return 0;
}

int profile_add_comm(struct profile *profile, uint32_t scope, const struct profile_task *thread, uint32_t task,
		     uint64_t time)
{
	const bool first = thread->tid == thread->tgid;
	struct profile_process *process;
	uint64_t number;
	int r = add_process(profile, scope, thread->tgid, thread->comm, &number);

	while (r >= 0 && task != PROFILE_NO_TASK && profile->process_of.count <= task)
		r = array_push(&profile->process_of, NO_NUMBER);
	if (r < 0)
		return r;
	if (task != PROFILE_NO_TASK)
		profile->process_of.items[task] = (uint32_t)number;
	process = &profile->processes.items[number];
	process->reused |= time < process->born;
	if (!is_better(process, first, time))
		return 0;
	process->comm = thread->comm;
	process->seen = time;
	process->first = first;
	process->task = first && task != PROFILE_NO_TASK ? task : process->task;
	return 0;
}

const struct profile_process *profile_find_process(const struct profile *profile, uint32_t scope, uint32_t tgid)
{
	const struct process_key key = {scope, tgid};
	const uint64_t *number = hash_map_find(&profile->process_numbers, &key, sizeof(key));

	return number ? &profile->processes.items[*number] : NULL;
}

const char *profile_process_comm(const struct profile *profile, uint32_t task)
{
	uint32_t number = task < profile->process_of.count ? profile->process_of.items[task] : NO_NUMBER;

	return number == NO_NUMBER || profile->processes.items[number].reused ? profile->tasks.items[task].comm :
										profile->processes.items[number].comm;
}

/* --- control groups --- */

/* Equal texts have the same pointer. */
static int intern_text(struct profile *profile, const char *text, size_t length, const char **ret_text)
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
	r = intern_text(profile, id, CONTAINER_ID, &cgroup->id);
	return r ? r : intern_text(profile, id, CONTAINER_SHORT, &cgroup->container);
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
	char path[32];
	uint32_t number = 0;
	int r;

	*ret_cgroup = NULL;
	if (!id)
		return 0;
	(void)snprintf(path, sizeof(path), "id:%" PRIu64, id);
	r = known && *known->path ? intern_text(profile, known->path, strlen(known->path), &wanted.path) :
				    intern_text(profile, path, strlen(path), &wanted.path);
	if (!r)
		r = index_table_add(&profile->cgroup_table,
				    index_table_hash(&profile->cgroup_table, (uintptr_t)wanted.path, 0), is_same,
				    &wanted, (uint32_t)profile->cgroups.count, &number);
	if (r > 0)
		r = add(profile, wanted.path);
	if (r < 0)
		return r;
	*ret_cgroup = profile->cgroups.items[number];
	return 0;
}

void profile_free_cgroups(struct profile *profile)
{
	for (size_t i = 0; i < profile->cgroups.count; i++)
		free(profile->cgroups.items[i]);
	array_free(&profile->cgroups);
	index_table_deinit(&profile->cgroup_table);
}

bool profile_cgroup_is_wanted(const struct profile_filter *filter, const struct profile_cgroup *cgroup)
{
	if (filter->cgroup && !(cgroup && cgroup_path_fits(filter->cgroup, cgroup->path)))
		return false;
	return !filter->container ||
	       (cgroup && container_fits(filter->container, cgroup->id));
}

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

/* --- sections that say something about modules --- */

bool profile_is_addition(const struct trace_model *model)
{
	return !model->sources.count && !model->statistics[RWK_CHUNK_EVENTS].chunks &&
	       !model->statistics[RWK_CHUNK_SNAPSHOTS].chunks;
}

/* Whether the section has a scope of its own: it recorded something, or there is none that it could add to. */
static bool has_scope(const struct trace_file *file, size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (!profile_is_addition(&file->models[i]))
			return !profile_is_addition(&file->models[number]);
	return true;
}

/* The last section up to this one that has a scope. */
static size_t owner_of(const struct trace_file *file, size_t number)
{
	while (number && !has_scope(file, number))
		number--;
	return number;
}

static bool adds_to(const struct trace_file *file, size_t addition, size_t number)
{
	int listed;

	if (addition <= number || has_scope(file, addition))
		return false;
	listed = trace_file_adds_to(file, addition, number);
	return listed < 0 ? owner_of(file, addition) == number : listed;
}

static int push(struct profile *profile, const struct trace_model *model, struct modules_place place)
{
	return array_push(&profile->scopes, (struct profile_scope){.model = model, .place = place, .to = UINT64_MAX});
}

static struct modules_place last_place(const struct profile *profile)
{
	return profile->scopes.items[profile->scopes.count - 1].place;
}

static int find_section_scope(struct profile *profile, const struct trace_file *file, size_t number, bool several)
{
	ARRAY(const struct trace_model *) models = {0};
	struct modules_place place = {0};
	uint32_t host;
	int r = profile_intern_host(profile, &file->models[number], &host);

	if (!r)
		r = array_push(&models, &file->models[number]);
	for (size_t i = number + 1; i < file->model_count && !r; i++) {
		if (!adds_to(file, i, number))
			continue;
		r = array_push(&models, &file->models[i]);
		if (!r)
			r = trace_model_add_section(&file->models[number], &file->models[i]);
	}
	if (!r)
		r = modules_learn(&profile->modules, models.items, models.count, host, several, &place);
	array_free(&models);
	return r < 0 ? r : push(profile, &file->models[number], place);
}

static int find_file_scopes(struct profile *profile, const struct trace_file *file, bool several)
{
	int r = 0;

	for (size_t i = 0; i < file->model_count && !r; i++)
		r = has_scope(file, i) ? find_section_scope(profile, file, i, several) :
					 push(profile, &file->models[i], last_place(profile));
	return r;
}

int profile_find_scopes(struct profile *profile)
{
	size_t count = 0;
	int r = 0;

	for (size_t i = 0; i < profile->file_count; i++)
		for (size_t k = 0; k < profile->files[i]->model_count; k++)
			count += has_scope(profile->files[i], k);
	for (size_t i = 0; i < profile->file_count && !r; i++)
		r = find_file_scopes(profile, profile->files[i], count > 1);
	return r;
}

static struct profile_scope *find(const struct profile *profile, const struct trace_model *model)
{
	for (size_t i = 0; i < profile->scopes.count; i++)
		if (profile->scopes.items[i].model == model)
			return &profile->scopes.items[i];
	return NULL;
}

struct modules_place profile_place_of(const struct profile *profile, const struct trace_model *model)
{
	const struct profile_scope *scope = find(profile, model);

	return scope ? scope->place : (struct modules_place){0};
}

void profile_set_part(const struct profile *profile, const struct trace_model *model, uint64_t from, uint64_t to)
{
	struct profile_scope *scope = find(profile, model);

	if (!scope)
		return;
	scope->from = from;
	scope->to = to;
}

/* --- moments --- */

#define DAY UINT64_C(86400000000000)

/* The last clock reading at or before a wall-clock time, else the first. If the clock was set back, the later match. */
static const struct event_clock *reading_at(const struct trace_model *model, uint64_t realtime)
{
	const struct event_clock *found = model->clocks.count ? model->clocks.items : NULL;

	for (size_t i = 1; i < model->clocks.count; i++)
		if (model->clocks.items[i].realtime <= realtime)
			found = &model->clocks.items[i];
	return found;
}

static bool wall_time(const struct trace_model *model, uint64_t realtime, uint64_t *ret_time)
{
	const struct event_clock *clock = reading_at(model, realtime);

	if (!clock)
		return false;
	if (realtime >= clock->realtime)
		return !__builtin_add_overflow(clock->time, realtime - clock->realtime, ret_time);
	*ret_time = clock->time > clock->realtime - realtime ? clock->time - (clock->realtime - realtime) : 0;
	return true;
}

/* The first such time of day that is not before the recording. If that is after its end: the one on its first day. */
static bool daytime(const struct trace_model *model, uint64_t since_midnight, uint64_t *ret_time)
{
	uint64_t start = trace_model_realtime(model, model->start),
		 stop = trace_model_realtime(model, model->stop);
	uint64_t wanted = start / DAY * DAY + since_midnight;

	if (!start)
		return false;
	if (wanted < start && wanted + DAY <= stop)
		wanted += DAY;
	return wall_time(model, wanted, ret_time);
}

bool profile_moment_of(const struct trace_model *model, const struct profile_moment *moment,
		       uint64_t *ret_time)
{
	switch (moment->kind) {
	case PROFILE_MOMENT_OFFSET:
		return !__builtin_add_overflow(model->start, moment->ns, ret_time);
	case PROFILE_MOMENT_WALL:
		return wall_time(model, moment->ns, ret_time);
	case PROFILE_MOMENT_DAYTIME:
		return daytime(model, moment->ns, ret_time);
	default:
		return false;
	}
}

bool profile_moment_time(const struct profile *profile, uint32_t recording,
			 const struct profile_moment *moment, uint64_t *ret_time)
{
	/* Reports print offsets from when waits began to be recorded: other sources may have begun earlier. */
	if (moment->kind == PROFILE_MOMENT_OFFSET)
		return !__builtin_add_overflow(profile->recordings.items[recording].start, moment->ns, ret_time);
	return profile_moment_of(profile->recording_notes.items[recording].model, moment, ret_time);
}

uint64_t profile_realtime(const struct profile *profile, uint32_t recording, uint64_t time)
{
	return trace_model_realtime(profile->recording_notes.items[recording].model, time);
}
