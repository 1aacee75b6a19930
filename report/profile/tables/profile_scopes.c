/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/tables/profile_scopes.h"

#include "report/profile/tables/profile_intern.h"

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

static int learn_section(struct profile *profile, const struct trace_file *file, size_t number, bool several)
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

static int learn_file(struct profile *profile, const struct trace_file *file, bool several)
{
	int r = 0;

	for (size_t i = 0; i < file->model_count && !r; i++)
		r = has_scope(file, i) ? learn_section(profile, file, i, several) :
					 push(profile, &file->models[i], last_place(profile));
	return r;
}

int profile_learn_scopes(struct profile *profile)
{
	size_t count = 0;
	int r = 0;

	for (size_t i = 0; i < profile->file_count; i++)
		for (size_t k = 0; k < profile->files[i]->model_count; k++)
			count += has_scope(profile->files[i], k);
	for (size_t i = 0; i < profile->file_count && !r; i++)
		r = learn_file(profile, profile->files[i], count > 1);
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

void profile_note_part(const struct profile *profile, const struct trace_model *model, uint64_t from, uint64_t to)
{
	struct profile_scope *scope = find(profile, model);

	if (!scope)
		return;
	scope->from = from;
	scope->to = to;
}
