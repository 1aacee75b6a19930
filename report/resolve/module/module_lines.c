/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module/module_lines.h"

#include "common/cleanup.h"
#include "common/sorted.h"
#include "report/read/progress.h"
#include "report/read/trace_file.h"
#include "report/resolve/dwarf/line_cache.h"
#include "report/resolve/module/module_symbols.h"

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

/* --- several groups at a time --- */

struct running { /* a child that reads the DWARF of a group */
	struct line_group group;
	struct line_query query;
	unsigned int channel; /* of the child, to the opener */
};

struct crowd {
	struct modules *modules;
	struct running running[LINE_CHILDREN_MAX];
	size_t count, limit;
	uint64_t done, whole; /* addresses */
};

static void running_deinit(struct running *running)
{
	line_query_deinit(&running->query);
	line_group_deinit(&running->group);
}

static void crowd_deinit(struct crowd *crowd)
{
	for (size_t i = 0; i < crowd->count; i++)
		running_deinit(&crowd->running[i]);
}

/* Records the result for a group. Returns only errors that end the whole work. */
static int note(struct modules *modules, const struct line_group *group, int r)
{
	if (r == -ENOMEM)
		return r;
	modules->lines_cut += r == -ECANCELED;
	return hand_out(group, r == -ENODATA || r == -ECANCELED ? 0 : r);
}

/* Opens the files of a group and starts its query, without blocking. 1: a child was started. */
static int ask(struct modules *modules, const struct module *module, bool reading, struct running *running)
{
	_cleanup_(module_files_deinit) struct module_files files = {.binary.fd = -1, .debug.fd = -1};
	struct line_job job = {.local = &modules->files, .channel = running->channel};

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
	return line_query_start(&running->query, modules->files.cache, &module->id, &job, reading, &modules->texts,
				&running->group.answers);
}

/* Shows the progress. True: stop. */
static bool show(const struct crowd *crowd, const struct module *module)
{
	return progress_step(crowd->modules->progress, "lines of", module->name, crowd->done, crowd->whole);
}

/* Channel 0 is that of this process. */
static unsigned int free_channel(const struct crowd *crowd)
{
	unsigned int used = 1;

	_Static_assert((int)LINE_CHILDREN_MAX < (int)OPENER_CHANNELS, "a channel for each child");
	for (size_t i = 0; i < crowd->count; i++)
		used |= 1u << crowd->running[i].channel;
	return (unsigned int)__builtin_ctz(~used);
}

static int begin(struct crowd *crowd, struct module **members, size_t count)
{
	struct modules *modules = crowd->modules;
	struct running next = {.channel = free_channel(crowd)};
	bool reading = !show(crowd, members[0]);
	int r = line_group_init(&next.group, members, count);

	if (!r && next.group.answers.count)
		r = ask(modules, members[0], reading, &next);
	if (r > 0) {
		crowd->running[crowd->count++] = next;
		return 0;
	}
	crowd->done += next.group.answers.count;
	r = note(modules, &next.group, r);
	running_deinit(&next);
	return r;
}

static int end(struct crowd *crowd, size_t number)
{
	struct running *running = &crowd->running[number];
	struct modules *modules = crowd->modules;
	int r = line_query_finish(&running->query, &modules->texts, &running->group.answers);

	r = note(modules, &running->group, r);
	crowd->done += running->group.answers.count;
	running_deinit(running);
	*running = crowd->running[--crowd->count];
	return r;
}

/* Waits until at most `most` children are left. Finishes those that ended, or all of them on a stop. */
static int wait_below(struct crowd *crowd, size_t most)
{
	enum { LOOK_MS = 100 };
	int r = 0;

	while (crowd->count > most && !r) {
		struct line_child *children[LINE_CHILDREN_MAX];
		bool stop;

		for (size_t i = 0; i < crowd->count; i++)
			children[i] = &crowd->running[i].query.child;
		(void)line_children_wait(children, crowd->count, LOOK_MS);
		stop = show(crowd, crowd->running[0].group.members[0]);
		for (size_t i = crowd->count; i-- > 0 && !r;)
			if (stop || crowd->running[i].query.child.state <= 0)
				r = end(crowd, i);
	}
	return r;
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
	_cleanup_(crowd_deinit) struct crowd crowd = {.modules = modules, .limit = line_children_limit()};
	_cleanup_free_ struct module **members = calloc(count + 1, sizeof(*members));
	int r = members ? ask_traces(modules, requests, count, members) : -ENOMEM;

	for (size_t i = 0; i < count; i++)
		crowd.whole += requests[i].count;
	if (!r && count)
		qsort(members, count, sizeof(*members), compare_members);
	for (size_t i = 0, next; i < count && !r; i = next) {
		for (next = i + 1; next < count && !compare_members(&members[i], &members[next]); next++)
			;
		r = wait_below(&crowd, crowd.limit - 1);
		if (!r)
			r = begin(&crowd, members + i, next - i);
	}
	return r < 0 ? r : wait_below(&crowd, 0);
}

size_t module_lines_find(const struct modules *modules, uint32_t number, uint64_t address,
			 const struct line_level **ret_levels)
{
	return line_answers_find(&modules->items.items[number]->lines, address, ret_levels);
}
