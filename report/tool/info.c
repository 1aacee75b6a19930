/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/profile/profile.h"
#include "report/profile/profile_account.h"
#include "report/profile/profile_internal.h"
#include "report/read/loss_table.h"
#include "report/tool/info_parts.h"

/* --- texts --- */

void info_text(FILE *out, const char *text)
{
	printable_write(out, text, strlen(text));
}

void info_line(FILE *out, const char *key, const char *text)
{
	if (!text || !text[0])
		return;
	(void)fprintf(out, "  %-16s", key);
	info_text(out, text);
	(void)fputc('\n', out);
}

/* --- what should not be relied on, in the words of the notes below reports --- */

static void print_note(const struct profile_account_note *note, FILE *out)
{
	(void)fprintf(out, "  %-16s", "note");
	printable_write_line(out, note->text, strlen(note->text));
	(void)fputc('\n', out);
	for (size_t i = 0; i < note->detail_count; i++) {
		(void)fprintf(out, "  %-16s    ", "");
		printable_write_line(out, note->details[i], strlen(note->details[i]));
		(void)fputc('\n', out);
	}
}

static int info_notes(const struct trace_file *file, const struct tool_request *request)
{
	struct profile_account account;
	struct profile *profile;
	int r;

	if (!strcmp(file->path, "-")) /* stdin was consumed */
		return 0;
	r = profile_create(&file->path, 1, request->filter, request->names, &profile);
	if (r < 0)
		return r;
	profile_account(profile, &account);
	if (account.count)
		(void)fputc('\n', request->out);
	for (size_t i = 0; i < account.count; i++)
		print_note(&account.notes[i], request->out);
	r = profile_check_names(profile);
	profile_destroy(profile);
	return r;
}

/* --- how user stacks from snapshots end: unwinds all of them --- */

static void print_shares(const struct profile_quality *quality, FILE *out)
{
	static const struct {
		enum profile_note note;
		const char *text;
	} ends[] = {
		{NOTE_NONE, "where their thread began"},
		{NOTE_TRUNCATED, "where the snapshot ends (truncated)"},
		{NOTE_SWITCHED, "on another stack than the one that was copied"},
		{NOTE_NO_MEMORY, "at the leaf: the stack was not in memory"},
		{NOTE_NO_CFI, "in code without unwind information"},
		{NOTE_BAD_RETURN, "at an address that is not code"},
		{NOTE_TOO_DEEP, "at the depth limit"},
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (quality->stops[ends[i].note])
			(void)fprintf(out, "  %-16s%.2f%% end %s (%" PRIu64 ")\n", "unwound",
				      100.0 * (double)quality->stops[ends[i].note] /
					      (double)quality->unwound,
				      ends[i].text, quality->stops[ends[i].note]);
	if (quality->snapshots_missing)
		(void)fprintf(out,
			      "  %-16s%" PRIu64 " events refer to snapshots that are not in the trace\n",
			      "unwound", quality->snapshots_missing);
}

static bool was_condensed(const struct trace_file *file)
{
	for (size_t i = 0; i < file->model_count; i++)
		if (trace_model_meta(&file->models[i], "condensed"))
			return true;
	return false;
}

static int info_unwinding(const struct trace_file *file, const struct tool_request *request)
{
	struct profile_quality quality;
	struct profile *profile;
	int r;

	if (!trace_file_holds_snapshots(file) && !was_condensed(file))
		return 0;
	if (!strcmp(file->path, "-")) /* stdin was consumed */
		return 0;
	r = profile_create(&file->path, 1, request->filter, request->names, &profile);
	if (r < 0)
		return r;
	profile_quality_sum(profile, UINT_MAX, &quality);
	if (quality.unwound)
		(void)fprintf(request->out, "\n  %-16s%" PRIu64 " user stacks\n", "unwound", quality.unwound);
	print_shares(&quality, request->out);
	profile_destroy(profile);
	return 0;
}

/* --- one trace --- */

static bool info_damage(struct trace_file *file, FILE *out)
{
	struct trace_damage damage;
	uint64_t records = 0, malformed = 0;

	trace_reader_damage(file->reader, &damage);
	for (size_t i = 0; i < file->model_count; i++) {
		records += file->models[i].unknown_records;
		malformed += file->models[i].malformed_chunks;
	}
	if (damage.torn_tail)
		(void)fprintf(out, "  unfinished      %s at the end: the chunk that a killed recorder was writing\n",
			      figure_bytes(damage.torn_tail).text);
	if (damage.chunks || damage.bytes)
		(void)fprintf(out, "  damage          %" PRIu64 " chunks damaged or missing, %s belong to no chunk\n",
			      damage.chunks, figure_bytes(damage.bytes).text);
	if (malformed)
		(void)fprintf(out,
			      "  malformed       %" PRIu64 " chunks end in a record that cannot be decoded\n",
			      malformed);
	if (records)
		(void)fprintf(out,
			      "  unknown         %" PRIu64 " records of kinds that this version does not know\n",
			      records);
	return damage.chunks || damage.bytes || malformed;
}

static int info_section(struct trace_file *file, size_t number, const struct tool_request *request,
			bool *ret_damaged)
{
	FILE *out = request->out;
	const struct trace_section *section = &file->sections[number];
	const struct trace_model *model = &file->models[number];
	int r;

	(void)fprintf(out, "\nsection %zu: %s at byte %" PRIu64 "\n", number + 1,
		      figure_bytes(section->length).text, section->offset);
	if (section->unsupported) {
		(void)fputs("  was written by an incompatible version and cannot be read by this one\n", out);
		return 0;
	}
	info_host(model, section, out);
	info_flight(model, out);
	info_budget(model, out);
	info_clocks(model, out);
	info_sources(model, out);
	info_probes(model, request->verbose, out);
	info_cgroups(model, request->verbose, out);
	r = info_contents(file, model, out);
	if (r < 0)
		return r;
	info_cost(model, out);
	if (!info_losses(model, out))
		*ret_damaged = true;
	info_modules(model, request->verbose, out);
	return 0;
}

static int info_file(const char *path, const struct tool_request *request, bool *ret_damaged)
{
	FILE *out = request->out;
	struct trace_file *file;
	int r = trace_file_open(path, request->names->inputs, &file);

	if (r < 0)
		return r;
	(void)fputs("trace ", out);
	info_text(out, path);
	(void)fprintf(out, ": %zu chunks in %zu %s\n", file->chunk_count, file->model_count,
		      file->model_count == 1 ? "section" : "sections");
	for (size_t i = 0; !r && i < file->model_count; i++)
		r = info_section(file, i, request, ret_damaged);
	if (!r)
		r = info_unwinding(file, request);
	if (!r)
		r = info_notes(file, request);
	if (!r) {
		(void)fputc('\n', out);
		if (!info_damage(file, out))
			(void)fputs("  no damage was found in the file\n", out);
		*ret_damaged |= trace_file_lacks(file);
	}
	trace_file_close(file);
	return r;
}

static int run(const struct tool_request *request, bool *ret_damaged)
{
	for (size_t i = 0; i < request->path_count; i++) {
		int r;

		if (i)
			(void)fputc('\n', request->out);
		r = info_file(request->paths[i], request, ret_damaged);
		if (r < 0)
			return r;
	}
	if (request->names->sandbox)
		(void)fprintf(request->out, "sandbox %s\n", request->names->sandbox);
	return 0;
}

const struct tool info_tool = {
	TOOL_OPTION("info", .help = "host, contents, cost of recording, what was lost", .often = true),
	.run = run, .for_people = true,
};
