/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "report/figures.h"
#include "report/read/progress.h"
#include "report/tool/condense_parts.h"

static void condensing_deinit(struct condensing *condensing)
{
	trace_output_close(&condensing->output);
	profile_destroy(condensing->profile);
	free(condensing->missing);
}

/* --- one section --- */

/* A trace cannot say of itself that it was condensed any other way. */
static int add_origin(struct condensing *condensing)
{
	const struct trace_model *model = condensing->model;
	struct trace_damage damage;
	char text[128] = "rwalker-report " RWALKER_VERSION;
	size_t used = strlen(text);

	trace_reader_damage(condensing->file->reader, &damage);
	if (damage.chunks || damage.bytes || model->malformed_chunks)
		(void)snprintf(text + used, sizeof(text) - used, ", from a trace of which %" PRIu64 " chunks were damaged or missing",
			       damage.chunks - damage.repaired);
	return event_log_add_meta(condensing->log, "condensed", text);
}

static int write_section(struct condensing *condensing, const struct trace_section *section)
{
	int r = condense_state(condensing);

	if (r >= 0)
		r = condense_events(condensing);
	if (r >= 0)
		r = condense_embedded(condensing);
	if (r >= 0)
		r = add_origin(condensing); /* when all was read, and its damage is known */
	if (r < 0)
		return r;
	return section->closed ? condense_end(condensing, (enum rwk_end_reason)section->end_reason) :
				 event_log_flush(condensing->log);
}

static int write_log(struct condensing *condensing, const struct trace_section *section)
{
	const struct trace_writer_settings settings = {.realtime = section->header.realtime};
	struct trace_writer *writer = NULL;
	int r = trace_writer_create(&trace_io_system, condensing->output.fd, &settings, &writer);

	if (r >= 0)
		r = event_log_create(writer, RWK_MAX_CPUS, &condensing->log);
	if (r >= 0)
		r = write_section(condensing, section);
	event_log_destroy(condensing->log);
	condensing->log = NULL;
	trace_writer_destroy(writer);
	return r;
}

/* Whether its stacks can be unwound at all. */
static int check_machine(const struct condensing *condensing)
{
	const char *machine = trace_model_meta(condensing->model, "machine");

	if (!condensing->profile->quality.machine_unknown || condensing->partial)
		return 0;
	return log_error(ENODATA, "'%s' is of a machine (%s) whose stacks are not unwound here; --partial drops the snapshots and keeps "
			 "what the frame pointers told", condensing->file->path, machine ? machine : "unknown");
}

static int say_why(const struct condensing *condensing, int r)
{
	if (r == -ENOMEM)
		return log_error(ENOMEM, "there is not enough memory; --max-memory raises the limit");
	if (r == -ECANCELED)
		return log_error(ECANCELED, "stopped by Ctrl-C: nothing of '%s' is kept",
				 condensing->output.is_stdout ? "stdout" : condensing->output.path);
	return log_error(-r, "cannot condense '%s' into '%s', of which nothing is kept: %s", condensing->file->path,
			 trace_output_name(&condensing->output), strerror(-r));
}

static int condense_section(struct condensing *condensing, size_t number)
{
	const struct trace_section *section = &condensing->file->sections[number];
	int r;

	if (section->unsupported) {
		log_warning("part of '%s' was written by an incompatible version and is left out", condensing->file->path);
		return 0;
	}
	condensing->model = &condensing->file->models[number];
	r = chain_context_init(&condensing->context, condensing->profile, condensing->model);
	if (r < 0) {
		(void)say_why(condensing, r);
	} else {
		r = check_machine(condensing);
		if (r == 0) {
			r = write_log(condensing, section);
			if (r < 0)
				(void)say_why(condensing, r);
		}
	}
	chain_context_deinit(&condensing->context);
	timeline_release(&condensing->model->timeline);
	return r;
}

/* --- the whole --- */

static bool tell_damage(const struct condensing *condensing)
{
	const struct trace_file *file = condensing->file;
	struct trace_damage damage;
	bool damaged;

	trace_reader_damage(file->reader, &damage);
	damaged = damage.chunks || damage.bytes || condensing->counts.malformed;
	if (damage.chunks || damage.bytes)
		log_warning("'%s' is damaged: %" PRIu64 " chunks lost, %" PRIu64 " repaired, %" PRIu64
			    " bytes that belong to no whole chunk; the rest is condensed",
			    file->path, damage.chunks - damage.repaired, damage.repaired, damage.bytes);
	for (size_t i = 0; i < file->model_count; i++)
		damaged |= file->sections[i].unsupported || file->models[i].lost_ranges.count;
	return damaged;
}

static void tell_counts(const struct condensing *condensing)
{
	const struct condense_counts *counts = &condensing->counts;
	const struct {
		uint64_t count;
		const char *text;
	} notes[] = {
		{counts->snapshots_missing, "user stacks stay as the frame pointers told them: their snapshots are not in the trace"},
		{counts->cut, "stacks were too deep with their marks and were cut at the root"},
		{counts->events_late, "events came too late to be put in order"},
		{counts->left_out, "records could not be carried over: of kinds that this version does not know, or beyond a limit"},
		{counts->malformed, "chunks could be read in part only"},
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		if (notes[i].count)
			log_warning("%" PRIu64 " %s", notes[i].count, notes[i].text);
}

static uint64_t size_of(int fd)
{
	struct stat status;

	return fstat(fd, &status) < 0 ? 0 : (uint64_t)status.st_size;
}

static int finish(struct condensing *condensing, bool *ret_damaged)
{
	uint64_t before = size_of(condensing->file->fd), after = size_of(condensing->output.fd);
	int r = condense_tell_missing(condensing);

	if (r == 0)
		r = trace_output_keep(&condensing->output);
	if (r < 0)
		return r;
	*ret_damaged = tell_damage(condensing);
	tell_counts(condensing);
	log_info("%" PRIu64 " stacks are call chains now; %s of %s in \"%s\", which holds no stack memory and no command line",
		 condensing->counts.unwound, figure_bytes(after).text, figure_bytes(before).text,
		 trace_output_name(&condensing->output));
	return 0;
}

static int condense(const struct tool_request *request, bool *ret_damaged)
{
	_cleanup_(condensing_deinit) struct condensing condensing = {.output.fd = -1, .partial = request->partial};
	int r;

	r = profile_open(request->paths, 1, request->filter, request->names, &condensing.profile);
	if (r < 0)
		return r;
	condensing.file = condensing.profile->files[0];
	if (!trace_file_holds_snapshots(condensing.file))
		return log_error(ENODATA, "'%s' holds no snapshots: there is nothing to condense", condensing.file->path);
	condensing.profile->reading.whole = trace_file_event_bytes(condensing.file);
	condensing.holds_tables = condense_holds_tables(condensing.file);
	(void)signal(SIGXFSZ, SIG_IGN);
	r = trace_output_open(request->output, &condensing.output);
	for (size_t i = 0; i < condensing.file->model_count && r == 0; i++)
		r = condense_section(&condensing, i);
	return r < 0 ? r : finish(&condensing, ret_damaged);
}

int tool_condense(const struct tool_request *request, bool *ret_damaged)
{
	int r;

	progress_enter(request->names->progress);
	r = condense(request, ret_damaged);
	progress_leave(request->names->progress);
	return r;
}
