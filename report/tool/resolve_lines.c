/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Copies the trace, unchanged, and appends for each section one with lines and inlined functions
 * for the addresses in its call chains, for readers without debug information.
 */
#include "common/printable.h"
#include "report/tool/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "format/event_log.h"
#include "format/section_id.h"
#include "report/profile/profile_account.h"
#include "report/profile/profile_internal.h"
#include "report/read/progress.h"
#include "report/read/trace_file.h"
#include "report/symbol/modules.h"
#include "report/tool/trace_output.h"

enum { ENTRY_TEXT_MAX = 64 << 10 };

struct resolving {
	struct trace_output output;
	struct profile *profile;
	struct trace_writer *writer;
	struct event_log *log;
	size_t modules, addresses;
};

static void stop_writing(struct resolving *all)
{
	event_log_destroy(all->log);
	trace_writer_destroy(all->writer);
	all->log = NULL;
	all->writer = NULL;
}

static void resolving_deinit(struct resolving *all)
{
	stop_writing(all);
	profile_destroy(all->profile);
	trace_output_close(&all->output);
}

/* --- what was recorded --- */

/* The intact part of the trace, without a chunk that was being written when the recorder died. */
static uint64_t whole_bytes(const struct trace_file *file, uint64_t size)
{
	const struct rwk_chunk_header *last = file->chunk_count ?
					      &file->chunks[file->chunk_count - 1].header : NULL;
	struct trace_damage damage;

	trace_reader_damage(file->reader, &damage);
	if (!last || !damage.torn_tail || file->sections[file->model_count - 1].closed)
		return size;
	return file->chunks[file->chunk_count - 1].offset + sizeof(*last) + (last->stored_size + 7u) / 8 * 8;
}

static int copy_trace(struct resolving *all)
{
	struct trace_file *file = all->profile->files[0];
	struct stat status;

	if (fstat(file->fd, &status) < 0)
		return -errno;
	return trace_output_copy(&all->output, all->profile->names.progress, file->fd,
				 whole_bytes(file, (uint64_t)status.st_size));
}

/* --- what is added --- */

static struct event_text text_of(const char *text)
{
	return text ? (struct event_text){text, (uint32_t)strnlen(text, RWK_MAX_STRING)} :
		      (struct event_text){"", 0};
}

/* If texts would fill a chunk, levels are left out, outermost first. */
static size_t convert(const struct line_level *levels, size_t count, struct event_line_level *out)
{
	size_t bytes = 0, i;

	for (i = 0; i < count && i < RWK_MAX_LEVELS; i++) {
		out[i] = (struct event_line_level){text_of(levels[i].function),
						   text_of(levels[i].file), levels[i].line};
		bytes += out[i].function.length + out[i].file.length;
		if (bytes > ENTRY_TEXT_MAX)
			break;
	}
	return i;
}

static int add_module(struct resolving *all, const struct module *module, uint32_t number)
{
	const struct event event = {.kind = EVENT_MODULE,
				    .module = {.id = number,
					       .kind = module->kind,
					       .path = text_of(module->path),
					       .build_id = {(const char *)module->id.bytes,
							    module->id.length}}};
	const struct event_embed_module embed = {.module = number,
						 .status = EMBED_MIN,
						 .segment_count = (uint32_t)module->segment_count,
						 .segments = module->segments};
	int r = event_log_add(all->log, &event);

	return r < 0 ? r : event_log_add_embed_module(all->log, &embed);
}

struct converted {
	struct event_line *lines;
	struct event_line_level *levels;
};

static void converted_deinit(struct converted *converted)
{
	free(converted->lines);
	free(converted->levels);
}

static int add_lines(struct resolving *all, const struct module *module, uint32_t number)
{
	_cleanup_(converted_deinit) struct converted out = {0};
	const struct line_answers *answers = &module->lines;
	size_t count = 0, levels = 0, whole = 0;
	int r;

	for (size_t i = 0; i < answers->count; i++)
		whole += answers->places[i].count;
	out.lines = calloc(answers->count + 1, sizeof(*out.lines));
	out.levels = calloc(whole + 1, sizeof(*out.levels));
	if (!out.lines || !out.levels)
		return -ENOMEM;
	for (size_t i = 0; i < answers->count; i++) {
		const struct line_place *place = &answers->places[i];
		size_t taken = convert(place->levels, place->count, out.levels + levels);

		if (!taken)
			continue;
		out.lines[count++] = (struct event_line){answers->addresses[i], out.levels + levels,
							 (uint32_t)taken};
		levels += taken;
	}
	if (!count)
		return 0;
	r = add_module(all, module, number);
	if (!r)
		r = event_log_add_embed_lines(all->log, number, out.lines, count);
	all->modules++;
	all->addresses += count;
	return r;
}

/* Finds the section's modules, by number: sets `found` for those that can have lines. */
static int find_modules(struct resolving *all, const struct trace_model *model, bool *found)
{
	const struct modules_place place = profile_place_of(all->profile, model);
	struct modules *modules = &all->profile->modules;
	const size_t count = modules->items.count;
	int r = 0;

	memset(found, 0, count * sizeof(*found));
	for (size_t i = 0; i < model->modules.count && !r; i++) {
		uint32_t number;

		r = modules_add(modules, &place, model, &model->modules.items[i], 0, &number);
		if (!r && number < count)
			found[number] = modules->items.items[number]->id.length;
	}
	return r;
}

static int add_modules(struct resolving *all, const bool *found, size_t count)
{
	const struct modules *modules = &all->profile->modules;
	int r = 0;

	for (uint32_t i = 1; i < count && !r; i++) {
		if (progress_stopped(all->profile->names.progress))
			r = -ECANCELED;
		else if (found[i])
			r = add_lines(all, modules->items.items[i], i);
	}
	return r;
}

/* Adds what is known about the addresses of one recorded section; no other section contributes. */
static int add_section(struct resolving *all, const struct trace_model *model)
{
	const struct trace_writer_settings settings = {0};
	const size_t count = all->profile->modules.items.count;
	_cleanup_free_ bool *found = calloc(count + 1, sizeof(*found));
	char id[SECTION_ID_TEXT];
	int r = found ? find_modules(all, model, found) : -ENOMEM;

	section_id_text(&model->file->sections[model->section].header, id);
	if (!r)
		r = trace_writer_create(&trace_io_system, all->output.fd, &settings, &all->writer);
	if (!r)
		r = event_log_create(all->writer, 0, &all->log);
	if (!r)
		r = event_log_add_meta(all->log, SECTION_ADDS_TO, id);
	if (!r)
		r = add_modules(all, found, count);
	if (!r)
		r = event_log_close(all->log, RWK_END_CLEAN, NULL, 0);
	stop_writing(all);
	return r;
}

static int add_sections(struct resolving *all)
{
	const struct trace_file *file = all->profile->files[0];
	int r = 0;

	for (size_t i = 0; i < file->model_count && !r; i++)
		if (!profile_is_addition(&file->models[i]))
			r = add_section(all, &file->models[i]);
	return r;
}

/* --- the whole --- */

static int write_output(struct resolving *all)
{
	const char *name = trace_output_name(&all->output);
	int r = copy_trace(all);

	if (!r)
		r = add_sections(all);
	if (r == -ECANCELED)
		return log_error(ECANCELED, "stopped by Ctrl-C: '%s' is not written", name);
	if (r < 0)
		return log_error(-r, "cannot write '%s': %s", name, strerror(-r));
	return trace_output_keep(&all->output);
}

static int run(const struct tool_request *request, bool *ret_damaged)
{
	_cleanup_(resolving_deinit) struct resolving all = {.output.fd = -1};
	int r;

	if (request->path_count != 1)
		return log_error(EINVAL, "--resolve-lines takes one trace at a time");
	r = profile_create(request->paths, 1, request->filter, request->names, &all.profile);
	if (r < 0)
		return r;
	if (profile_is_partial(all.profile))
		return log_error(ECANCELED, "'%s' is not written, because it would be incomplete", request->output);
	progress_enter(request->names->progress);
	r = trace_output_open(request->output, request->names->output, &all.output);
	if (!r)
		r = write_output(&all);
	progress_leave(request->names->progress);
	if (r < 0)
		return r;
	*ret_damaged = profile_lost(all.profile);
	(void)trace_file_report_cut(all.profile->files[0]);
	log_info("'%s': added lines of %zu address%s in %zu module%s", trace_output_name(&all.output), all.addresses,
		 all.addresses == 1 ? "" : "es", all.modules, plural(all.modules));
	return 0;
}

const struct tool resolve_lines_tool = {
	TOOL_OPTION("resolve-lines", .help = "write the trace with files, lines, inlined functions"),
	.run = run, .writes = true,
};
