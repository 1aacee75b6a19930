/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/profile/profile_internal.h"
#include "report/read/progress.h"
#include "report/symbol/modules.h"
#include "report/tool/tool_internal.h"

/* --- modules whose unwind tables are missing --- */

static bool holds_tables(const struct trace_file *file)
{
	for (size_t i = 0; i < file->model_count; i++)
		for (size_t k = 0; k < file->models[i].modules.count; k++)
			if (file->models[i].modules.items[k].unwind_chunks.count)
				return true;
	return false;
}

/* If the recorder read a file for its unwind tables, the trace has all of them, even if the file has none (Go). */
static bool lacks_tables(const struct condensing *condensing, const struct module *module)
{
	return (module->kind == MODULE_FILE || module->kind == MODULE_VDSO) && module->unwind &&
	       module->unwind->source == UNWIND_NOWHERE &&
	       !(condensing->holds_tables && module_was_embedded(module));
}

static int count_module(struct condensing *condensing, uint32_t number)
{
	size_t room = condensing->missing_room;
	struct condense_missing *missing;

	if (array_reserve_raw((void **)&condensing->missing, &condensing->missing_room, (size_t)number + 1,
			      sizeof(*condensing->missing)) < 0)
		return -ENOMEM;
	if (condensing->missing_room > room)
		memset(condensing->missing + room, 0,
		       (condensing->missing_room - room) * sizeof(*condensing->missing));
	missing = &condensing->missing[number];
	missing->module = condensing->profile->modules.items.items[number];
	missing->stacks += missing->last != condensing->counts.unwound;
	missing->last = condensing->counts.unwound;
	return 0;
}

/* The module of a frame if it lacks tables, else 0. */
static int count_frame(struct condensing *condensing, uint32_t process, uint64_t address, bool *broken)
{
	struct profile_frame frame = {.address = address};
	struct mapping mapping;
	int r;

	if (!timeline_find(&condensing->model->timeline, process, address, &mapping))
		return 0;
	r = chain_mapped_frame(&condensing->context, process, &mapping, &frame);
	if (r < 0 || !lacks_tables(condensing, condensing->profile->modules.items.items[frame.module]))
		return r;
	*broken = true;
	return count_module(condensing, frame.module);
}

/* Frames can be skipped if tables found their caller. */
int condense_count_missing(struct condensing *condensing, uint32_t process, const struct unwind_chain *chain)
{
	bool broken = false;
	int r = 0;

	for (size_t i = 0; i < chain->count && !r; i++)
		if (i + 1 == chain->count || (chain->how[i + 1] & UNWIND_HOW_MASK) != UNWIND_BY_CFI)
			r = count_frame(condensing, process,
					chain->addresses[i] - chain_is_caller(chain, i), &broken);
	condensing->counts.broken += broken;
	return r;
}

/* Most stacks first. */
static int compare_missing(const void *left, const void *right)
{
	const struct condense_missing *l = left, *r = right;
	int order;

	if (l->stacks != r->stacks)
		return l->stacks > r->stacks ? -1 : 1;
	order = l->module && r->module ? strcmp(l->module->path, r->module->path) : 0;
	return order || !l->module || !r->module ? order : strcmp(l->module->build_id, r->module->build_id);
}

static void list_modules(struct condensing *condensing)
{
	enum { SHOWN = 20 };
	const struct condense_missing *missing = condensing->missing;
	size_t count = 0;

	qsort(condensing->missing, condensing->missing_room, sizeof(*missing), compare_missing);
	for (; count < condensing->missing_room && missing[count].stacks; count++)
		if (count < SHOWN)
			log_info("    %s, build-id %s: in %" PRIu64 " stack%s", missing[count].module->path,
				 missing[count].module->build_id[0] ? missing[count].module->build_id : "none",
				 missing[count].stacks, plural(missing[count].stacks));
	if (count > SHOWN)
		log_info("    and %zu more module%s", count - SHOWN, plural(count - SHOWN));
}

/* Lists these modules; returns -ENODATA unless --partial was given. */
static int report_missing(struct condensing *condensing)
{
	const struct condense_counts *counts = &condensing->counts;

	if (!counts->broken)
		return 0;
	if (condensing->partial)
		log_warning("unwind tables are missing for %" PRIu64 " of %" PRIu64 " stack%s; "
			    "callers beyond these modules are lost:", counts->broken,
			    counts->unwound, plural(counts->unwound));
	else
		(void)log_error(ENODATA, "unwind tables are missing for %" PRIu64 " of %" PRIu64
					 " stack%s, in these modules:",
				counts->broken, counts->unwound, plural(counts->unwound));
	list_modules(condensing);
	if (condensing->partial)
		return 0;
	log_info("run it on the recorded host, or give the files with --symfs DIR (debug files "
		 "with --debug-dir DIR); --partial condenses what can be unwound and loses the "
		 "rest forever");
	return -ENODATA;
}

static void condensing_deinit(struct condensing *condensing)
{
	trace_output_close(&condensing->output);
	profile_destroy(condensing->profile);
	hash_map_deinit(&condensing->used);
	hash_map_deinit(&condensing->build_ids);
	free(condensing->missing);
	free(condensing->places);
	free(condensing->ids);
	array_free(&condensing->code);
	scrub_destroy(condensing->scrub);
}

/* --- one section --- */

static const char FROM[] = ", from a trace of which ", DAMAGED[] = " chunks were damaged or missing";

/* The damage of the original trace, if this one was condensed before. Nothing else of that text is reused. */
static bool known_damage(const struct condensing *condensing, uint64_t *ret_chunks)
{
	const char *text = trace_model_meta(condensing->model, "condensed");
	const char *at = text ? strstr(text, FROM) : NULL;
	char *end;

	if (!at)
		return false;
	*ret_chunks = strtoull(at + strlen(FROM), &end, 10);
	return !strcmp(end, DAMAGED);
}

/* This META record is the only sign that a trace was condensed. */
static int add_origin(struct condensing *condensing)
{
	struct trace_damage damage;
	char text[128] = "rwalker-report " RWALKER_VERSION;
	size_t used = strlen(text);
	uint64_t chunks = 0;
	bool damaged = known_damage(condensing, &chunks);

	trace_reader_damage(condensing->file->reader, &damage);
	if (damage.chunks || damage.bytes || condensing->model->malformed_chunks) {
		damaged = true;
		chunks += damage.chunks;
	}
	if (damaged)
		(void)snprintf(text + used, sizeof(text) - used, "%s%" PRIu64 "%s", FROM, chunks, DAMAGED);
	if (condensing->scrub) {
		int r = event_log_add_meta(condensing->log, "scrubbed", "names");

		if (r < 0)
			return r;
	}
	return event_log_add_meta(condensing->log, "condensed", text);
}

/* Names the sections that this one adds to by their new ids, as far as they were written: perhaps none. */
static int add_adds_to(struct condensing *condensing)
{
	const struct trace_file *file = condensing->file;
	const size_t own = (size_t)(condensing->model - file->models);
	char ids[RWK_MAX_STRING];
	size_t used = 0;

	if (!trace_model_meta(condensing->model, SECTION_ADDS_TO))
		return 0;
	ids[0] = '\0';
	for (size_t i = 0; i < own && used + SECTION_ID_TEXT < sizeof(ids); i++)
		if (condensing->ids[i][0] && trace_file_adds_to(file, own, i) > 0)
			used += (size_t)snprintf(ids + used, sizeof(ids) - used, "%s%s", used ? " " : "",
						 condensing->ids[i]);
	return event_log_add_meta(condensing->log, SECTION_ADDS_TO, ids);
}

bool condense_writes_total(const struct event_loss *loss)
{
	return !loss->source && !loss->cpu &&
	       (loss->cause == LOSS_USER_ASTRAY || loss->cause == LOSS_USER_UNKNOWN || loss->cause == LOSS_FILES);
}

static uint64_t known_total(const struct trace_model *model, uint32_t cause)
{
	for (size_t i = 0; i < model->losses.count; i++) {
		const struct event_loss *loss = &model->losses.items[i];

		if (!loss->source && !loss->cpu && loss->cause == cause)
			return loss->total;
	}
	return 0;
}

static int add_total(struct condensing *condensing, uint32_t cause, uint64_t here, bool always)
{
	const uint64_t total = known_total(condensing->model, cause) + here;
	struct event loss = {.kind = EVENT_LOSS,
			     .loss = {.time = condensing->model->last_time, .cause = cause, .total = total}};

	return total || always ? condense_accept(condensing, condense_write(condensing, &loss)) : 0;
}

/*
 * The totals of condense_writes_total(), including what was cut here. LOSS_FILES is always written,
 * at the time of the last record: if the recorder was killed, this tells a reader where the
 * recording ended.
 */
static int add_totals(struct condensing *condensing)
{
	const struct condense_counts *now = &condensing->counts, *before = &condensing->before;
	int r = add_total(condensing, LOSS_USER_ASTRAY, now->astray - before->astray, false);

	if (r >= 0)
		r = add_total(condensing, LOSS_USER_UNKNOWN, now->unknown - before->unknown, false);
	return r < 0 ? r : add_total(condensing, LOSS_FILES, 0, true);
}

static int begin_section(struct condensing *condensing)
{
	memset(condensing->places, 0, sizeof(*condensing->places) << CONDENSE_PLACE_BITS);
	condensing->code.count = 0;
	condensing->before = condensing->counts;
	hash_map_clear(&condensing->used);
	return 0;
}

static int write_section(struct condensing *condensing, const struct trace_section *section)
{
	static int (*const steps[])(struct condensing *) = {
		begin_section,	   add_adds_to,	      condense_state,		condense_events,
		condense_finish_uses,   condense_referred, condense_object_names, condense_embedded,
		condense_symbols,  add_totals,
		add_origin, /* after everything was read and its damage is known */
	};
	int r = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && r >= 0; i++)
		r = steps[i](condensing);
	if (r < 0)
		return r;
	return section->closed ? condense_end(condensing, (enum rwk_end_reason)section->end_reason) :
				 event_log_flush(condensing->log);
}

static int write_log(struct condensing *condensing, const struct trace_section *section)
{
	const struct trace_writer_settings settings = {.realtime = section->header.realtime};
	char *id = condensing->ids[condensing->model - condensing->file->models];
	struct trace_writer *writer = NULL;
	int r = trace_writer_create(&trace_io_system, condensing->output.fd, &settings, &writer);

	if (r >= 0)
		section_id_text(trace_writer_header(writer), id);
	if (r >= 0)
		r = event_log_create(writer, RWK_MAX_CPUS, &condensing->log);
	if (r >= 0)
		r = write_section(condensing, section);
	event_log_destroy(condensing->log);
	condensing->log = NULL;
	trace_writer_destroy(writer);
	return r;
}

/* Whether the stacks can be unwound at all. */
static int check_machine(const struct condensing *condensing)
{
	const char *machine = trace_model_meta(condensing->model, "machine");

	if (!condensing->profile->machine_unknown || condensing->partial)
		return 0;
	return log_error(ENODATA, "cannot unwind the stacks of '%s', recorded on another kind of "
				  "machine (%s); --partial drops the snapshots and keeps the "
				  "stacks by frame pointer", condensing->file->path,
			 machine ? machine : "unknown");
}

static int say_why(const struct condensing *condensing, int r)
{
	if (r == -ENOMEM)
		return log_error(ENOMEM, "not enough memory; --max-memory raises the limit");
	if (r == -ECANCELED)
		return log_error(ECANCELED, "stopped by Ctrl-C: '%s' is not written",
				 condensing->output.is_stdout ? "stdout" : condensing->output.path);
	return log_error(-r, "cannot condense '%s' into '%s', which is not written: %s", condensing->file->path,
			 trace_output_name(&condensing->output), strerror(-r));
}

static int condense_section(struct condensing *condensing, size_t number)
{
	const struct trace_section *section = &condensing->file->sections[number];
	int r;

	if (section->unsupported) {
		log_warning("part of '%s' was written by an incompatible version and is left out",
			    condensing->file->path);
		return 0;
	}
	condensing->model = &condensing->file->models[number];
	r = chain_context_init(&condensing->context, condensing->profile, condensing->model);
	if (r < 0) {
		(void)say_why(condensing, r);
	} else {
		r = check_machine(condensing);
		if (!r) {
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

static bool report_damage(const struct condensing *condensing)
{
	const struct trace_file *file = condensing->file;
	struct trace_damage damage;
	bool damaged;

	trace_reader_damage(file->reader, &damage);
	damaged = damage.chunks || damage.bytes || condensing->counts.malformed;
	if (damage.chunks || damage.bytes)
		log_warning("'%s' is damaged: %" PRIu64 " chunk%s lost, %" PRIu64
			    " byte%s outside of whole chunks; the rest is condensed", file->path, damage.chunks,
			    plural(damage.chunks), damage.bytes, plural(damage.bytes));
	for (size_t i = 0; i < file->model_count; i++)
		damaged |= file->sections[i].unsupported || file->models[i].lost_ranges.count;
	return trace_file_report_cut(file) || damaged;
}

static void report_counts(const struct condensing *condensing)
{
	const struct condense_counts *counts = &condensing->counts;
	const struct {
		uint64_t count;
		const char *noun, *text;
	} notes[] = {
		{counts->snapshots_missing, "user stack",
		 "left as walked by frame pointer, without a snapshot in the trace"},
		{counts->cut, "stack", "cut at the root, too deep with the marks"},
		{counts->astray, "user stack", "cut before what is no code: it may be words of memory"},
		{counts->unknown, "user stack", "cut after the leaf: nothing is known of the mappings"},
		{counts->events_late, "event", "came too late to be put in order"},
		{counts->left_out, "record", "left out, of a kind that this version does not know or beyond a limit"},
		{counts->malformed, "chunk", "could only be read in part"},
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		if (notes[i].count)
			log_warning("%" PRIu64 " %s%s %s", notes[i].count, notes[i].noun, plural(notes[i].count),
				    notes[i].text);
}

static uint64_t size_of(int fd)
{
	struct stat status;

	return fstat(fd, &status) < 0 ? 0 : (uint64_t)status.st_size;
}

static int finish(struct condensing *condensing, bool *ret_damaged)
{
	uint64_t before = size_of(condensing->file->fd), after = size_of(condensing->output.fd);
	const struct stream_totals *totals = &condensing->profile->stream_totals;
	int r = report_missing(condensing);

	if (!r)
		r = trace_output_keep(&condensing->output);
	if (r < 0)
		return r;
	condensing->counts.left_out += totals->unknown;
	condensing->counts.malformed += totals->malformed;
	condensing->counts.events_late += totals->out_of_order;
	*ret_damaged = report_damage(condensing);
	report_counts(condensing);
	log_info("'%s': %" PRIu64 " stack%s converted to call chains, %s instead of %s; no stack memory, no command "
		 "line and nothing that no event refers to is left", trace_output_name(&condensing->output),
		 condensing->counts.unwound, plural(condensing->counts.unwound), figure_bytes(after).text,
		 figure_bytes(before).text);
	if (condensing->scrub)
		log_info("%zu name%s replaced by stand-ins, for good; names of the kernel, times, pids and addresses "
			 "are left", scrub_count(condensing->scrub), plural(scrub_count(condensing->scrub)));
	return 0;
}

static int init(struct condensing *condensing)
{
	condensing->places = calloc((size_t)1 << CONDENSE_PLACE_BITS, sizeof(*condensing->places));
	if (!condensing->places || hash_map_init(&condensing->used) < 0 ||
	    hash_map_init(&condensing->build_ids) < 0)
		return log_error(ENOMEM, "not enough memory; --max-memory raises the limit");
	return 0;
}

/* Takes `scrub`, which may be NULL. */
static int condense(const struct tool_request *request, struct scrub *scrub, bool *ret_damaged)
{
	_cleanup_(condensing_deinit) struct condensing condensing = {
		.output.fd = -1, .partial = request->partial, .scrub = scrub};
	int r = init(&condensing);

	if (!r)
		r = profile_create_unread(request->paths, 1, request->filter, request->names, &condensing.profile);
	if (r < 0)
		return r;
	condensing.file = condensing.profile->files[0];
	condensing.profile->reading.whole = trace_file_event_bytes(condensing.file);
	condensing.holds_tables = holds_tables(condensing.file);
	condensing.ids = calloc(condensing.file->model_count + 1, sizeof(*condensing.ids));
	if (!condensing.ids)
		return say_why(&condensing, -ENOMEM);
	r = trace_output_open(request->output, request->names->output, &condensing.output);
	for (size_t i = 0; i < condensing.file->model_count && !r; i++)
		r = condense_section(&condensing, i);
	return r < 0 ? r : finish(&condensing, ret_damaged);
}

static int run(const struct tool_request *request, struct scrub *scrub, bool *ret_damaged)
{
	int r;

	progress_enter(request->names->progress);
	r = condense(request, scrub, ret_damaged);
	progress_leave(request->names->progress);
	return r;
}

static int run_condense(const struct tool_request *request, bool *ret_damaged)
{
	return run(request, NULL, ret_damaged);
}

static int run_scrub(const struct tool_request *request, bool *ret_damaged)
{
	struct scrub *scrub = NULL;

	if (scrub_create(request->keep, &scrub) < 0)
		return log_error(ENOMEM, "not enough memory; --max-memory raises the limit");
	return run(request, scrub, ret_damaged);
}

const struct tool condense_tool = {
	TOOL_OPTION("condense", .help = "write a trace with the same reports, much smaller"),
	.run = run_condense, .writes = true,
};

const struct tool scrub_tool = {
	TOOL_OPTION("scrub", .help = "condense, and replace all names but the kernel's"),
	.run = run_scrub, .writes = true,
};
