/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/symbol/modules.h"

#include "common/array.h"
#include "common/cleanup.h"
#include "report/dwarf/lines.h"
#include "report/read/progress.h"
#include "report/read/trace_file.h"
#include "report/symbol/modules_internal.h"

struct module_files { /* files that may have the module's DWARF */
	struct local_elf binary, debug;
	uint64_t bias; /* added to module addresses to get those of the files */
};

static void module_files_deinit(struct module_files *files)
{
	local_elf_close(&files->binary);
	local_elf_close(&files->debug);
}

/* Module addresses of the kernel are relative to _text. */
static void open_kernel(const struct modules *modules, const struct module *module,
			struct module_files *files)
{
	int r = -ENOENT;

	if (modules->files.vmlinux)
		r = local_elf_open_named(&modules->files, modules->files.vmlinux, &module->id, &files->binary);
	if (r < 0)
		r = local_elf_open_debug(&modules->files, &module->id, &files->binary);
	if (!r && !module_symbols_find_text(files->binary.elf, &files->bias))
		local_elf_close(&files->binary);
}

/* DWARF has link-time addresses only. */
static void open_user(const struct modules *modules, const struct module *module, struct module_files *files)
{
	if (!module->link_time || !module->id.length)
		return;
	(void)local_elf_open(&modules->files, module->path, &module->id, &files->binary);
	if (files->binary.fd < 0 || !elf_file_has_dwarf(files->binary.elf))
		(void)local_elf_open_debug_for(&modules->files, module->path, &module->id,
					       files->binary.elf, NULL, &files->debug);
}

/* Leaves out files without DWARF, which most are: starting a child for them is not worth it. */
static void set_file(struct line_job *job, size_t place, const struct local_elf *local)
{
	bool wanted = local->fd >= 0 && elf_file_has_dwarf(local->elf);

	job->files[place] = wanted ? local->fd : -1;
	job->paths[place] = wanted && local->ours ? local->path : NULL;
	job->reals[place] = wanted ? local->real : NULL;
}

/* --- lines that were embedded in a trace on a machine with the debug information --- */

struct gathering {
	const struct module_part *part;
	struct event_lines lines;
	struct text_pool *texts;
	struct line_answers *answers;
};

static void gathering_deinit(struct gathering *all)
{
	event_lines_deinit(&all->lines);
}

static int keep_text(struct gathering *all, const struct event_text *text, const char **ret_text)
{
	return text->length ? text_pool_add(all->texts, text->bytes, text->length, ret_text) : 0;
}

/* The index of an address among the requested ones, which ascend. */
static bool find_number(const struct line_answers *answers, uint64_t address, size_t *ret_number)
{
	size_t place = SORTED_FIRST(i, answers->count, answers->addresses[i] >= address);

	*ret_number = place;
	return place < answers->count && answers->addresses[place] == address;
}

static int take_line(struct gathering *all, const struct event_line *line)
{
	struct line_level levels[RWK_MAX_LEVELS];
	size_t number;
	int r = 0;

	if (!line->level_count || !find_number(all->answers, line->address, &number) ||
	    all->answers->places[number].count)
		return 0;
	for (uint32_t i = 0; i < line->level_count && !r; i++) {
		levels[i] = (struct line_level){.line = line->levels[i].line};
		r = keep_text(all, &line->levels[i].function, &levels[i].function);
		if (!r)
			r = keep_text(all, &line->levels[i].file, &levels[i].file);
	}
	return r < 0 ? r : line_answers_put(all->answers, number, levels, line->level_count);
}

static int take_record(struct event *event, void *data)
{
	struct gathering *all = data;
	struct event_line line;
	int r;

	if (event->kind != EVENT_EMBED_LINES || event->embed_lines.module != all->part->module->id)
		return 0;
	r = event_lines_start(&all->lines, event);
	while (r >= 0 && (r = event_lines_next(&all->lines, &line)) > 0)
		r = take_line(all, &line);
	return r == -EBADMSG ? 0 : r;
}

/* Adds missing answers. Texts go to the pool. -ENOMEM, -errno of reading the trace. */
static int add_embedded(const struct module *module, struct text_pool *texts, struct line_answers *answers)
{
	_cleanup_(gathering_deinit) struct gathering all = {.texts = texts, .answers = answers};
	int r = 0;

	for (size_t i = 0; i < module->parts.count && !r; i++) {
		all.part = &module->parts.items[i];
		r = trace_file_each_record(all.part->model->file, &all.part->module->line_chunks,
					   take_record, &all);
	}
	return r;
}

/* --- modules that use the same files --- */

struct line_group { /* modules that differ in their traces only */
	struct module **members;
	size_t count;
	struct line_answers answers; /* for all of their addresses without an answer from the traces */
	uint64_t *addresses;
};

static void line_group_deinit(struct line_group *group)
{
	line_answers_deinit(&group->answers);
	free(group->addresses);
	*group = (struct line_group){0};
}

static int compare_addresses(const void *left, const void *right)
{
	uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;

	return (l > r) - (l < r);
}

/* Sorts the addresses and removes duplicates. Returns how many are left. */
static size_t unite(uint64_t *addresses, size_t count)
{
	size_t kept = 0;

	qsort(addresses, count, sizeof(*addresses), compare_addresses);
	for (size_t i = 0; i < count; i++)
		if (!i || addresses[i] != addresses[kept - 1])
			addresses[kept++] = addresses[i];
	return kept;
}

static int line_group_init(struct line_group *group, struct module **members, size_t count)
{
	size_t room = 1, used = 0;

	*group = (struct line_group){.members = members, .count = count};
	for (size_t i = 0; i < count; i++)
		room += members[i]->lines.count;
	group->addresses = calloc(room, sizeof(*group->addresses));
	if (!group->addresses)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < members[i]->lines.count; k++)
			if (!members[i]->lines.places[k].count)
				group->addresses[used++] = members[i]->lines.addresses[k];
	return line_answers_init(&group->answers, group->addresses, unite(group->addresses, used));
}

static int hand_to(const struct line_answers *from, struct line_answers *to)
{
	int r = 0;

	for (size_t i = 0; i < to->count && !r; i++) {
		const struct line_level *levels;
		size_t count = to->places[i].count ? 0 : line_answers_find(from, to->addresses[i], &levels);

		if (count)
			r = line_answers_put(to, i, levels, count);
	}
	return r;
}

/* Gives the answers, or the error, to all members. */
static int hand_out(const struct line_group *group, int error)
{
	int r = 0;

	for (size_t i = 0; i < group->count && !r; i++) {
		group->members[i]->lines_error = error;
		r = hand_to(&group->answers, &group->members[i]->lines);
	}
	return r;
}

/* --- one group after the other --- */

struct reading {
	struct modules *modules;
	uint64_t done, whole; /* addresses */
};

/* Records the result for a group. Returns only errors that end the whole work. */
static int note(struct modules *modules, const struct line_group *group, int r)
{
	if (r == -ENOMEM)
		return r;
	modules->lines_cut += r == -ECANCELED;
	return hand_out(group, r == -ENODATA || r == -ECANCELED ? 0 : r);
}

/* Opens the files of a group and starts its query, without blocking. 1: a child was started. */
static int ask(struct modules *modules, const struct module *module, bool may_read, struct line_group *group,
	       struct line_query *query)
{
	_cleanup_(module_files_deinit) struct module_files files = {.binary.fd = -1, .debug.fd = -1};
	struct line_job job = {.local = &modules->files};

	if (module->kind == MODULE_KERNEL)
		open_kernel(modules, module, &files);
	else if (module->kind == MODULE_FILE || module->kind == MODULE_VDSO)
		open_user(modules, module, &files);
	set_file(&job, 0, &files.binary);
	set_file(&job, 1, &files.debug);
	job.bias = files.bias;
	if (job.files[0] < 0 && job.files[1] < 0)
		return -ENODATA;
	modules->lines_asked++;
	return line_query_start(query, modules->files.cache, &module->id, &job, may_read, &modules->texts,
				&group->answers);
}

/* Shows the progress. True: stop. */
static bool show(const struct reading *reading, const struct module *module)
{
	return progress_step(reading->modules->progress, "lines of", module->name, reading->done, reading->whole);
}

static int read_group(struct reading *reading, struct module **members, size_t count)
{
	enum { LOOK_MS = 100 };
	_cleanup_(line_group_deinit) struct line_group group = {0};
	_cleanup_(line_query_deinit) struct line_query query = {0};
	struct modules *modules = reading->modules;
	bool stop = show(reading, members[0]);
	int r = line_group_init(&group, members, count);

	if (!r && group.answers.count)
		r = ask(modules, members[0], !stop, &group, &query);
	if (r > 0) {
		while (!stop && !line_child_wait(&query.child, LOOK_MS))
			stop = show(reading, members[0]);
		r = line_query_finish(&query, &modules->texts, &group.answers);
	}
	reading->done += group.answers.count;
	return note(modules, &group, r);
}

/* --- all modules --- */

/* Makes modules that use the same files adjacent; groups are in the order of their first modules. */
static int compare_members(const void *left, const void *right)
{
	const struct module *l = *(struct module *const *)left, *r = *(struct module *const *)right;

	if (l->alike != r->alike)
		return l->alike < r->alike ? -1 : 1;
	return (int)r->link_time - (int)l->link_time;
}

/* Adds the answers that the traces have. */
static int ask_traces(struct modules *modules, const struct line_request *requests, size_t count,
		      struct module **members)
{
	int r = 0;

	for (size_t i = 0; i < count && !r; i++) {
		members[i] = modules->items.items[requests[i].module];
		r = line_answers_init(&members[i]->lines, requests[i].addresses, requests[i].count);
		if (!r)
			r = add_embedded(members[i], &modules->texts, &members[i]->lines);
	}
	return r;
}

int module_lines_resolve(struct modules *modules, const struct line_request *requests, size_t count)
{
	struct reading reading = {.modules = modules};
	_cleanup_free_ struct module **members = calloc(count + 1, sizeof(*members));
	int r = members ? ask_traces(modules, requests, count, members) : -ENOMEM;

	for (size_t i = 0; i < count; i++)
		reading.whole += requests[i].count;
	if (!r && count)
		qsort(members, count, sizeof(*members), compare_members);
	for (size_t i = 0, next; i < count && !r; i = next) {
		for (next = i + 1; next < count && !compare_members(&members[i], &members[next]); next++)
			;
		r = read_group(&reading, members + i, next - i);
	}
	return r;
}

size_t module_lines_find(const struct modules *modules, uint32_t number, uint64_t address,
			 const struct line_level **ret_levels)
{
	return line_answers_find(&modules->items.items[number]->lines, address, ret_levels);
}
