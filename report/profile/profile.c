/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/seam/profile.h"

#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "report/profile/account/account_notes.h"
#include "report/profile/account/partial.h"
#include "report/profile/gather/inline.h"
#include "report/profile/gather/section_read.h"
#include "report/profile/profile_choose.h"
#include "report/profile/profile_unread.h"
#include "report/profile/tables/profile_cgroups.h"
#include "report/profile/tables/profile_events.h"
#include "report/profile/tables/profile_intern.h"
#include "report/profile/tables/profile_objects.h"
#include "report/profile/tables/profile_scopes.h"
#include "report/profile/tables/profile_settle.h"
#include "report/profile/tables/profile_waits.h"
#include "report/read/progress.h"
#include "report/resolve/file/debug_server.h"

/* --- reading --- */

/* Without --debuginfod there is no network access, even if a library would want it. */
static int init_server(struct profile *profile)
{
	if (profile->names.debuginfod)
		return debug_server_create(profile->names.progress, profile->names.servers, &profile->server);
	return unsetenv("DEBUGINFOD_URLS") < 0 ? -errno : 0;
}

static int init_tables(struct profile *profile)
{
	struct local_files files = {.debug_dirs = profile->names.debug_dirs,
					  .symfs = profile->names.symfs,
					  .kallsyms = profile->names.kallsyms,
					  .vmlinux = profile->names.vmlinux,
					  .opener = profile->names.opener,
					  .cache = profile->names.cache};
	struct index_table *tables[] = {
		&profile->host_table, &profile->source_table, &profile->task_table,
		&profile->node_table, &profile->frame_table, &profile->entry_table,
		&profile->probe_table, &profile->cgroup_table, &profile->moved_table,
	};
	int r = init_server(profile);

	files.server = profile->server;
	if (!r)
		r = modules_init(&profile->modules, &files);
	profile->modules.progress = profile->names.progress;
	if (!r)
		r = text_pool_init(&profile->texts);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && !r; i++)
		r = index_table_init(tables[i]);
	if (!r)
		r = hash_map_init(&profile->process_numbers);
	return r < 0 ? r : array_push(&profile->nodes, (struct profile_node){.frame = NO_NUMBER});
}

/* Opens all files before reading the events of the first: what they all say about modules must be known first. */
static int open_files(struct profile *profile, const char *const *paths, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int r = trace_file_open(paths[i], profile->names.inputs, &profile->files[i]);

		if (r < 0)
			return r;
		if (profile->files[i]->spooled)
			progress_resume(profile->names.progress); /* Ctrl-C ended the recorder behind the pipe */
		profile->file_count++;
	}
	return 0;
}

static int read_file(struct profile *profile, struct trace_file *file)
{
	int r = 0;

	for (size_t i = 0; i < file->model_count && !r && !profile->reading.cut; i++)
		r = section_read(profile, file, &file->models[i]);
	return r < 0 ? log_error(-r, "cannot read '%s': %s", file->path, strerror(-r)) : 0;
}

static int read_files(struct profile *profile)
{
	int r = 0;

	for (size_t i = 0; i < profile->file_count; i++)
		profile->reading.whole += trace_file_event_bytes(profile->files[i]);
	for (size_t i = 0; i < profile->file_count && !r; i++)
		r = read_file(profile, profile->files[i]);
	return r;
}

/* --- ordering: from the order of insertion to the order of reports --- */

struct source_order {
	const struct profile *profile;
	uint32_t number;
};

static int compare_sources(const void *one, const void *two)
{
	const struct source_order *a = one, *b = two;
	const struct profile_source *of_a = &a->profile->sources.items[a->number];
	const struct profile_source *of_b = &b->profile->sources.items[b->number];

	if (of_a->kind != of_b->kind)
		return of_a->kind < of_b->kind ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Sorts the sources into report order; ret_places: the new index of each. */
static int order_sources(struct profile *profile, uint32_t **ret_places)
{
	size_t count = profile->sources.count;
	_cleanup_free_ struct source_order *order = calloc(count + 1, sizeof(*order));
	_cleanup_free_ struct profile_source *sorted = calloc(count + 1, sizeof(*sorted));
	uint32_t *places = calloc(count + 1, sizeof(*places));

	if (!order || !sorted || !places) {
		free(places);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		order[i] = (struct source_order){.profile = profile, .number = (uint32_t)i};
	qsort(order, count, sizeof(*order), compare_sources);
	for (size_t i = 0; i < count; i++) {
		const struct source_notes *notes = &profile->source_notes.items[order[i].number];

		places[order[i].number] = (uint32_t)i;
		sorted[i] = profile->sources.items[order[i].number];
		sorted[i].weight_unit = notes->periods ? notes->unit : "samples";
	}
	if (count)
		memcpy(profile->sources.items, sorted, count * sizeof(*sorted));
	*ret_places = places;
	return 0;
}

/* By source, node, task: least significant first. */
static int order_entries(struct profile *profile, const uint32_t *places)
{
	size_t count = profile->entries.count;
	_cleanup_free_ struct radix_key *keys = calloc(count + 1, sizeof(*keys));
	struct profile_entry *sorted = calloc(count + 1, sizeof(*sorted));
	int r = keys && sorted ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !r; i++) {
		struct profile_entry *entry = &profile->entries.items[i];

		entry->source = places[entry->source];
		keys[i] = (struct radix_key){.key = (uint64_t)entry->node << 32 | entry->task,
					     .number = (uint32_t)i};
	}
	if (!r)
		r = radix_sort(&keys, count);
	for (size_t i = 0; i < count && !r; i++)
		keys[i].key = profile->entries.items[keys[i].number].source;
	if (!r)
		r = radix_sort(&keys, count);
	if (r < 0) {
		free(sorted);
		return r;
	}
	for (size_t i = 0; i < count; i++)
		sorted[i] = profile->entries.items[keys[i].number];
	free(profile->entries.items);
	profile->entries.items = sorted;
	profile->entries.capacity = count + 1;
	return 0;
}

static int compare_rows(const void *one, const void *two)
{
	const struct profile_walk_task *a = one, *b = two;

	if (a->walk != b->walk)
		return a->walk < b->walk ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

static int list_modules(struct profile *profile)
{
	for (size_t i = 0; i < profile->modules.items.count; i++) {
		const struct module *module = profile->modules.items.items[i];
		bool kernel = module->kind == MODULE_KERNEL || module->kind == MODULE_KERNEL_MODULE ||
			      module->kind == MODULE_BPF || module->kind == MODULE_KERNEL_OTHER;

		if (array_push(&profile->module_list, (struct profile_module){.name = module->name,
									      .path = module->path,
									      .build_id = module->build_id,
									      .kernel = kernel}) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int finish(struct profile *profile)
{
	_cleanup_free_ uint32_t *places = NULL;
	int r;

	profile_name_objects(profile);
	r = profile_choose_waits(profile);
	if (!r)
		r = profile_settle_waits(profile);
	if (!r)
		r = profile_settle_walks(profile);
	if (!r)
		r = profile_expand_inlines(profile);
	if (!r)
		r = order_sources(profile, &places);
	if (!r)
		r = order_entries(profile, places);
	if (!r)
		r = profile_order_waits(profile, places);
	if (!r)
		r = profile_order_events(profile, places);
	if (!r)
		r = list_modules(profile);
	if (r < 0)
		return r;
	if (profile->walk_tasks.count)
		qsort(profile->walk_tasks.items, profile->walk_tasks.count,
		      sizeof(*profile->walk_tasks.items), compare_rows);
	index_table_deinit(&profile->entry_table);
	index_table_deinit(&profile->node_table);
	index_table_deinit(&profile->frame_table);
	return profile_begin_symbols(profile);
}

int profile_create_unread(const char *const *paths, size_t count, const struct profile_filter *filter,
			  const struct profile_names *names, struct profile **ret_profile)
{
	struct profile *profile = calloc(1, sizeof(*profile));
	int r;

	if (!profile)
		return log_error(ENOMEM, "not enough memory");
	profile->filter = filter;
	profile->quality = &profile->qualities[PROFILE_SOURCE_KINDS];
	profile->waits_hidden = filter->probe_count ||
				(filter->sources && !(filter->sources >> PROFILE_OFFCPU & 1));
	profile->names = *names;
	profile->files = calloc(count + 1, sizeof(*profile->files));
	r = profile->files ? init_tables(profile) : -ENOMEM;
	if (r < 0)
		log_error(-r, "cannot begin: %s", strerror(-r));
	else
		r = open_files(profile, paths, count);
	if (!r)
		r = profile_learn_scopes(profile);
	if (r < 0) {
		profile_destroy(profile);
		return r;
	}
	*ret_profile = profile;
	return 0;
}

static int read_and_finish(struct profile *profile)
{
	int r = read_files(profile);

	if (r < 0)
		return r;
	r = finish(profile);
	return r < 0 ? log_error(-r, "not enough memory") : 0;
}

int profile_create(const char *const *paths, size_t count, const struct profile_filter *filter,
		   const struct profile_names *names, struct profile **ret_profile)
{
	struct profile *profile;
	int r;

	progress_enter(names->progress);
	r = profile_create_unread(paths, count, filter, names, &profile);
	if (!r) {
		r = read_and_finish(profile);
		profile->filter = NULL;
		if (r < 0)
			profile_destroy(profile);
	}
	progress_leave(names->progress);
	if (r < 0)
		return r;
	profile_say_partial(profile);
	*ret_profile = profile;
	return 0;
}

void profile_destroy(struct profile *profile)
{
	if (!profile)
		return;
	modules_deinit(&profile->modules);
	array_free(&profile->scopes);
	debug_server_destroy(profile->server);
	for (size_t i = 0; i < profile->file_count; i++)
		trace_file_close(profile->files[i]);
	free(profile->files);
	account_notes_destroy(profile->notes);
	text_pool_deinit(&profile->texts);
	array_free(&profile->hosts);
	array_free(&profile->sources);
	array_free(&profile->source_notes);
	array_free(&profile->tasks);
	array_free(&profile->task_wanted);
	array_free(&profile->processes);
	array_free(&profile->process_of);
	hash_map_deinit(&profile->process_numbers);
	profile_free_cgroups(profile);
	array_free(&profile->nodes);
	array_free(&profile->frames);
	array_free(&profile->overhead);
	array_free(&profile->entries);
	array_free(&profile->module_list);
	array_free(&profile->walks);
	array_free(&profile->walk_tasks);
	array_free(&profile->waits);
	array_free(&profile->objects);
	array_free(&profile->operations);
	array_free(&profile->operation_keys);
	array_free(&profile->object_recordings);
	array_free(&profile->sums);
	array_free(&profile->kernel_times);
	array_free(&profile->throughout);
	free(profile->throughout_of);
	array_free(&profile->recordings);
	array_free(&profile->recording_notes);
	array_free(&profile->wait_totals);
	profile_free_events(profile);
	index_table_deinit(&profile->host_table);
	index_table_deinit(&profile->source_table);
	index_table_deinit(&profile->task_table);
	index_table_deinit(&profile->moved_table);
	index_table_deinit(&profile->node_table);
	index_table_deinit(&profile->frame_table);
	index_table_deinit(&profile->entry_table);
	profile_forget_symbols(profile);
	free(profile);
}
