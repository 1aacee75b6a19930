/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "report/file/debug_server.h"
#include "report/profile/figures.h"
#include "report/profile/profile_internal.h"
#include "report/read/loss_table.h"
#include "report/read/progress.h"
#include "report/symbol/symbol_index.h"

/* --- dumps --- */

const char *profile_dump_value(const char *rule, uint64_t value, char text[PROFILE_DUMP_VALUE])
{
	size_t kind = strcspn(rule, ":>");

	text[0] = '\0';
	if (!value)
		return text;
	if (kind == 3 && (!strncmp(rule, "psi", kind) || !strncmp(rule, "cpu", kind)))
		(void)snprintf(text, PROFILE_DUMP_VALUE, "%.1f %%", (double)value / 100);
	else
		(void)snprintf(text, PROFILE_DUMP_VALUE, "%s ms", figure_milliseconds(value).text);
	return text;
}

/* --- access to a finished profile --- */

size_t profile_sources(const struct profile *profile, const struct profile_source **ret_sources)
{
	*ret_sources = profile->sources.items;
	return profile->sources.count;
}

size_t profile_entries(const struct profile *profile, const struct profile_entry **ret_entries)
{
	*ret_entries = profile->entries.items;
	return profile->entries.count;
}

const struct profile_node *profile_nodes(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->nodes.count;
	return profile->nodes.items;
}

const struct profile_frame *profile_frames(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->frames.count;
	return profile->frames.items;
}

const struct profile_module *profile_modules(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->module_list.count;
	return profile->module_list.items;
}

const struct profile_task *profile_tasks(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->tasks.count;
	return profile->tasks.items;
}

bool profile_task_wanted(const struct profile *profile, uint32_t task)
{
	return profile->task_wanted.items[task];
}

size_t profile_walks(const struct profile *profile, const struct profile_walk **ret_walks)
{
	*ret_walks = profile->walks.items;
	return profile->walks.count;
}

size_t profile_walk_tasks(const struct profile *profile, const struct profile_walk_task **ret_rows)
{
	*ret_rows = profile->walk_tasks.items;
	return profile->walk_tasks.count;
}

static const char *note_text(enum profile_note note)
{
	static const char *const texts[NOTES] = {
		[NOTE_TRUNCATED] = "[truncated]",
		[NOTE_NO_CFI] = "[no unwind information]",
		[NOTE_BAD_RETURN] = "[bad return address]",
		[NOTE_TOO_DEEP] = "[too deep]",
		[NOTE_SWITCHED] = "[another stack]",
		[NOTE_NO_MEMORY] = "[stack not in memory]",
		[NOTE_TAIL] = "[truncated: callers by frame pointer]",
		[NOTE_SWITCHED_TAIL] = "[another stack: callers by frame pointer]",
		[NOTE_CALLER_UNKNOWN] = "[caller unknown]",
	};

	return note < NOTES ? texts[note] : NULL;
}

/* A name from DWARF as people see it. */
static const char *level_name(struct profile *profile, const char *name)
{
	char *pretty = profile->names.mangled ? NULL : pretty_name(name, profile->names.full);
	const char *kept = name;

	if (pretty && text_pool_add(&profile->texts, pretty, strlen(pretty), &kept) < 0)
		kept = name;
	free(pretty);
	return kept;
}

/* Finds the frame's line as far as known, and the function's name if it is inlined. False if nothing is known. */
static bool find_level(const struct profile *profile, const struct profile_frame *frame,
		       struct line_level *ret_level)
{
	const struct line_level *levels;
	size_t count = profile_find_levels(profile, frame, &levels);

	if (frame->inline_depth >= count)
		return false;
	*ret_level = levels[count - 1 - frame->inline_depth];
	return true;
}

/* Adds what DWARF knows. The real function keeps the name of its symbol, if there is one. */
static void add_level(struct profile *profile, const struct profile_frame *frame,
		      struct profile_symbol *symbol)
{
	struct line_level level;

	symbol->inlined = frame->inline_depth;
	if (!find_level(profile, frame, &level))
		return;
	symbol->file = level.file;
	symbol->line = level.line;
	if (symbol->inlined) {
		symbol->name = level.function ? level_name(profile, level.function) : "[unknown]";
	} else if (!symbol->name && level.function) {
		symbol->name = level_name(profile, level.function);
		symbol->no_offset = true;
	}
}

/* For code without a name: finds where its function starts. */
static void add_place(struct profile *profile, const struct profile_frame *frame,
		      struct profile_symbol *symbol)
{
	uint64_t end;
	int r;

	if (symbol->name || frame->kernel)
		return;
	r = modules_find_function(&profile->modules, frame->module, frame->address, frame->caller,
				  &symbol->start, &end);
	profile->names_lack_memory |= r == -ENOMEM;
	if (r <= 0)
		return;
	symbol->placed = true;
	symbol->offset = frame->address - symbol->start;
}

int profile_begin_symbols(struct profile *profile)
{
	profile->symbols = calloc(profile->frames.count + 1, sizeof(*profile->symbols));
	profile->symbol_known = calloc(profile->frames.count + 1, sizeof(*profile->symbol_known));
	return profile->symbols && profile->symbol_known ? 0 : -ENOMEM;
}

void profile_forget_symbols(struct profile *profile)
{
	free(profile->symbols);
	free(profile->symbol_known);
	profile->symbols = NULL;
	profile->symbol_known = NULL;
}

static const char *name_of(const struct profile *profile, const struct module_symbol *found)
{
	if (profile->names.mangled)
		return symbol_index_name(found->index, found->symbol);
	return symbol_index_pretty_name(found->index, found->symbol, profile->names.full);
}

const struct profile_symbol *profile_symbol(struct profile *profile, uint32_t number)
{
	const struct profile_frame *frame = &profile->frames.items[number];
	struct profile_symbol *symbol = &profile->symbols[number];
	struct module_symbol found;
	int r;

	if (profile->symbol_known[number])
		return symbol;
	profile->symbol_known[number] = true;
	if (frame->note) {
		symbol->name = note_text(frame->note);
		symbol->no_offset = true;
		return symbol;
	}
	/* Without memory, the address is printed instead, and the report fails at its end. */
	r = modules_find_symbol(&profile->modules, frame->module, frame->address, frame->caller, &found);
	profile->names_lack_memory |= r == -ENOMEM;
	if (r > 0) {
		symbol->start = found.start;
		symbol->offset = frame->address - found.start;
		symbol->name = name_of(profile, &found);
	}
	add_level(profile, frame, symbol);
	add_place(profile, frame, symbol);
	return symbol;
}

int profile_check_names(const struct profile *profile)
{
	if (!profile->names_lack_memory)
		return 0;
	return log_error(ENOMEM, "not enough memory for the names of this report; --max-memory raises the limit");
}

/* --- where names came from --- */

static const char *from_where(const struct module *module)
{
	static const char *const texts[SYMBOL_ORIGINS] = {
		[SYMBOLS_FROM_SYMTAB] = "its symbol table",
		[SYMBOLS_FROM_BUILD_ID] = "its debug file, by build-id",
		[SYMBOLS_FROM_DEBUG_LINK] = "its debug file, by .gnu_debuglink",
		[SYMBOLS_FROM_SERVER] = "its debug file, from a debuginfod server",
		[SYMBOLS_FROM_MINI_DEBUG_INFO] = "its MiniDebugInfo",
		[SYMBOLS_FROM_GO] = "its .gopclntab",
		[SYMBOLS_FROM_DYNSYM] = "its .dynsym: exported functions only",
		[SYMBOLS_FROM_VMLINUX] = "the kernel's ELF file",
		[SYMBOLS_FROM_KALLSYMS] = "--kallsyms",
		[SYMBOLS_FROM_KERNEL_MODULE] = "its .ko file: functions in .text only",
	};

	if (module->local)
		return texts[module->local_origin];
	return module->embedded ? "the trace" : NULL;
}

void profile_module_names(const struct profile *profile, uint32_t number,
			  struct profile_module_names *ret_names)
{
	const struct module *module = profile->modules.items.items[number];

	*ret_names = (struct profile_module_names){.from = from_where(module),
						   .path = module->local ? module->local_path : "",
						   .why = account_why(module),
						   .refused = module->refused_path};
	if (module->local_state == SYMBOLS_OTHER_BUILD_ID && !module->refused_path[0] &&
	    !module_was_embedded(module))
		ret_names->refused = module->path;
}

/* --- where the traces are from --- */

size_t profile_origins(const struct profile *profile)
{
	return profile->scopes.count;
}

static const char *meta_of(const struct trace_model *model, const char *key)
{
	const char *value = trace_model_meta(model, key);

	return value ? value : "";
}

void profile_origin(const struct profile *profile, size_t number, struct profile_origin *ret_origin)
{
	const struct trace_model *model = profile->scopes.items[number].model;

	*ret_origin = (struct profile_origin){
		.host = model->host,
		.kernel = meta_of(model, "kernel_release"),
		.machine = meta_of(model, "machine"),
		.cpus = strtoull(meta_of(model, "cpus"), NULL, 10),
		.realtime = trace_model_realtime(model, model->start),
		.length = model->stop > model->start ? model->stop - model->start : 0,
	};
}

bool profile_dump(const struct profile *profile, size_t number, struct profile_dump *ret_dump)
{
	const struct trace_model *model = profile->scopes.items[number].model;
	const struct event_window *window = &model->window;
	const struct trace_trigger *reason = trace_model_reason(model);

	if (!window->dump)
		return false;
	*ret_dump = (struct profile_dump){
		.number = window->dump,
		.length = window->until > window->since ? window->until - window->since : 0,
		.asked = window->asked,
	};
	if (!reason)
		return true;
	ret_dump->rule = reason->rule;
	ret_dump->comm = reason->comm;
	ret_dump->tid = reason->about.tid;
	ret_dump->value = reason->about.value;
	return true;
}

const char *profile_host_name(const struct profile *profile, uint32_t host)
{
	return host < profile->hosts.count ? profile->hosts.items[host].name : "";
}

bool profile_unsure(const struct profile *profile, uint32_t recording, size_t number, struct profile_span *ret_span)
{
	const struct unsure_times *times = &profile->recording_notes.items[recording].model->unsure_times;

	if (number >= times->spans.count)
		return false;
	*ret_span = (struct profile_span){times->spans.items[number].from, times->spans.items[number].until};
	return true;
}

static void add_losses(const struct trace_model *model, struct profile_losses *losses)
{
	struct loss_sums sums = {0};

	for (size_t i = 0; i < model->losses.count; i++)
		loss_sums_add(&sums, &model->losses.items[i]);
	losses->recorded += sums.by_cause[LOSS_RECORDED];
	losses->lost += sums.unknown;
	for (uint32_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (loss_is_of_events(loss_row_of(cause)))
			losses->lost += sums.by_cause[cause];
}

void profile_losses(const struct profile *profile, struct profile_losses *ret_losses)
{
	*ret_losses = (struct profile_losses){.any = profile->reading.whole};
	for (size_t i = 0; i < profile->scopes.count; i++)
		add_losses(profile->scopes.items[i].model, ret_losses);
}

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
		r = section_read(profile, &file->models[i]);
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

/* By kind, else in the order in which they were found. */
static int order_sources(struct profile *profile)
{
	size_t count = profile->sources.count, next = 0;
	struct profile_source *sorted = calloc(count + 1, sizeof(*sorted));

	profile->places = calloc(count + 1, sizeof(*profile->places));
	if (!sorted || !profile->places) {
		free(sorted);
		return -ENOMEM;
	}
	for (enum profile_source_kind kind = 0; kind <= PROFILE_SOURCE_KINDS; kind++)
		for (size_t i = 0; i < count; i++) {
			const struct source_notes *notes = &profile->source_notes.items[i];

			if (profile->sources.items[i].kind != kind)
				continue;
			sorted[next] = profile->sources.items[i];
			sorted[next].weight_unit = notes->periods ? notes->unit : "samples";
			profile->places[i] = (uint32_t)next++;
		}
	free(profile->sources.items);
	profile->sources.items = sorted;
	profile->sources.capacity = count + 1;
	return 0;
}

/* By source, node, task: least significant first. */
static int order_entries(struct profile *profile)
{
	size_t count = profile->entries.count;
	_cleanup_free_ struct radix_key *keys = calloc(count + 1, sizeof(*keys));
	struct profile_entry *sorted = calloc(count + 1, sizeof(*sorted));
	int r = keys && sorted ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !r; i++) {
		struct profile_entry *entry = &profile->entries.items[i];

		entry->source = profile->places[entry->source];
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

	return COMPARE(a->walk, b->walk) ?: COMPARE(a->task, b->task);
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
	static int (*const steps[])(struct profile *) = {
		profile_choose_waits, profile_add_wait_entries, profile_add_walk_entries, profile_expand_inlines,
		order_sources,	      order_entries,		profile_order_waits,	  profile_order_events,
		list_modules,
	};
	int r = 0;

	profile_name_objects(profile);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !r; i++)
		r = steps[i](profile);
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
		r = profile_find_scopes(profile);
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
	free(profile->places);
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
