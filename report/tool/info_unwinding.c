/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* How user stacks from snapshots end. Unwinds all of them. */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "report/profile/tables/profile_quality.h"
#include "report/tool/info_parts.h"

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

int info_unwinding(const struct trace_file *file, const struct tool_request *request)
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
