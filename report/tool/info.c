/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/profile/profile.h"
#include "report/profile/profile_account.h"
#include "report/profile/profile_internal.h"
#include "report/read/loss_table.h"
#include "report/tool/tool.h"
#include "report/tool/tool_internal.h"

/* --- dumps, and what was left out for a time to keep the recorder's cost down --- */

static void print_trigger(const struct trace_model *model, const struct trace_trigger *trigger, FILE *out)
{
	const struct event_trigger *about = &trigger->about;
	char value[PROFILE_DUMP_VALUE];

	info_text(out, trigger->rule);
	if (about->tid) {
		(void)fputs(", ", out);
		info_text(out, trigger->comm);
		(void)fprintf(out, " (tid %" PRIu32 ")", about->tid);
	}
	if (*profile_dump_value(trigger->rule, about->value, value))
		(void)fprintf(out, ", %s", value);
	(void)fprintf(out, ", %s s before its end\n",
		      figure_seconds(model->window.until > about->time ? model->window.until - about->time : 0).text);
}

/* For a dump: which part of the recording it holds, and why it was made. */
static void info_flight(const struct trace_model *model, FILE *out)
{
	const struct event_window *window = &model->window;
	const struct trace_trigger *reason = trace_model_reason(model);
	uint64_t others = 0;

	for (size_t i = 0; i < model->triggers.count; i++)
		others += model->triggers.items[i].about.more + !model->triggers.items[i].about.dump;
	if (!window->dump)
		return;
	(void)fprintf(out, "  %-16snumber %" PRIu64 ": the last %s s of %s s; %s s were asked for, in at most %s\n",
		      "dump", window->dump, figure_seconds(window->until - window->since).text,
		      figure_seconds(window->until - window->since + window->before).text,
		      figure_seconds(window->asked).text, figure_bytes(window->room).text);
	if (reason) {
		(void)fprintf(out, "  %-16s", "made for");
		print_trigger(model, reason, out);
	}
	if (others)
		(void)fprintf(out, "  %-16s%" PRIu64 " other%s in this time made no dump\n", "triggers", others,
			      plural(others));
}

static void info_budget(const struct trace_model *model, FILE *out)
{
	struct budget_span span;
	char text[BUDGET_TEXT];
	size_t cursor = 0;

	while (budget_spans_next(model, &cursor, &span)) {
		const struct budget_lack lack = budget_lack_of(model, span.record, true, true);

		(void)fprintf(out, "  %-16sfrom %s s to %s s: %s (before, %.2f%% of one CPU were used, of %.9g%%)\n",
			      lack.everything ? "paused" : "recorded less", figure_seconds(span.from - model->start).text,
			      figure_seconds(span.until - model->start).text,
			      lack.everything ? "nothing was recorded" : budget_text(&lack, text),
			      (double)span.record->used / 100, (double)span.record->budget / 100);
	}
}

/* --- losses --- */

struct ledger { /* one source and CPU */
	uint32_t source, cpu;
	uint64_t totals[LOSS_CAUSES];
};

struct ledgers {
	ARRAY(struct ledger) rows; /* by source, then CPU */
	struct loss_sums sums;
};

static int compare_losses(const void *left, const void *right)
{
	const struct event_loss *l = left, *r = right;

	return COMPARE(l->source, r->source) ?: COMPARE(l->cpu, r->cpu) ?: COMPARE(l->cause, r->cause);
}

static int fill(struct ledgers *ledgers, const struct trace_model *model)
{
	size_t count = model->losses.count;
	_cleanup_free_ struct event_loss *sorted = calloc(count + 1, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	if (count)
		memcpy(sorted, model->losses.items, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_losses);
	for (size_t i = 0; i < count; i++) {
		const struct event_loss *loss = &sorted[i];

		if (!i || loss->source != sorted[i - 1].source || loss->cpu != sorted[i - 1].cpu)
			if (array_push(&ledgers->rows, (struct ledger){.source = loss->source,
								       .cpu = loss->cpu}) < 0)
				return -ENOMEM;
		if (loss->cause < LOSS_CAUSES)
			ledgers->rows.items[ledgers->rows.count - 1].totals[loss->cause] += loss->total;
		loss_sums_add(&ledgers->sums, loss);
	}
	return 0;
}

static uint64_t sum_of(const struct ledger *row, enum loss_meaning meaning)
{
	uint64_t sum = 0;

	for (uint32_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (loss_row_of(cause)->meaning == meaning)
			sum += row->totals[cause];
	return sum;
}

static bool is_counted(const struct ledger *row)
{
	return row->totals[LOSS_SEEN] || row->totals[LOSS_NOT_DELIVERED];
}

static const struct event_counter *find_counter(const struct trace_model *model, const struct ledger *row)
{
	for (size_t i = 0; i < model->counters.count; i++)
		if (model->counters.items[i].source == row->source &&
		    model->counters.items[i].cpu == row->cpu)
			return &model->counters.items[i];
	return NULL;
}

/* Cycles have no fixed period, so the counter's own value is printed too. */
static void print_counter(const struct event_counter *counter, bool cycles, FILE *out)
{
	if (cycles)
		(void)fprintf(out,
			      "    CPU %" PRIu32 ": %" PRIu64 " cycles counted, "
			      "%" PRIu64 " of them in periods that ended in a sample\n",
			      counter->cpu, counter->counted, counter->seen);
	if (counter->running < counter->enabled)
		(void)fprintf(out, "    CPU %" PRIu32 ": others had the counter for %s of %s s\n", counter->cpu,
			      figure_seconds(counter->enabled - counter->running).text,
			      figure_seconds(counter->enabled).text);
	if (counter->throttled)
		(void)fprintf(out, "    CPU %" PRIu32 ": stopped for %s s, for it was too frequent\n", counter->cpu,
			      figure_seconds(counter->throttled).text);
}

static void print_counters(const struct trace_model *model, uint32_t source, FILE *out)
{
	bool cycles = false;

	for (size_t i = 0; i < model->sources.count; i++)
		cycles |= model->sources.items[i].event.id == source &&
			  model->sources.items[i].event.weight == WEIGHT_CYCLES;
	for (size_t i = 0; i < model->counters.count; i++)
		if (model->counters.items[i].source == source)
			print_counter(&model->counters.items[i], cycles, out);
}

/*
 * Every event that the kernel counted was either seen by the program or not delivered to it, and
 * every event seen is in one of the sums; otherwise the counters contradict each other.
 */
static void print_identity(const struct trace_model *model, const struct ledger *row, FILE *out)
{
	uint64_t seen = row->totals[LOSS_SEEN];
	uint64_t told = row->totals[LOSS_RECORDED] + sum_of(row, MEANS_LEFT_OUT) + sum_of(row, MEANS_LOST);
	const struct event_counter *counter = find_counter(model, row);

	(void)fprintf(out,
		      "    CPU %" PRIu32 ": %" PRIu64 " seen = %" PRIu64 " recorded + %" PRIu64 " idle + %" PRIu64
		      " own + %" PRIu64 " filtered + %" PRIu64 " lost",
		      row->cpu, seen, row->totals[LOSS_RECORDED], row->totals[LOSS_IDLE], row->totals[LOSS_OWN],
		      row->totals[LOSS_FILTERED], sum_of(row, MEANS_LOST));
	if (row->totals[LOSS_BRIEF])
		(void)fprintf(out, " + %" PRIu64 " brief", row->totals[LOSS_BRIEF]);
	if (row->totals[LOSS_RATE_LIMITED])
		(void)fprintf(out, " + %" PRIu64 " rate-limited", row->totals[LOSS_RATE_LIMITED]);
	if (row->totals[LOSS_NOT_DELIVERED])
		(void)fprintf(out, "; %" PRIu64 " more were counted by the kernel but not delivered",
			      row->totals[LOSS_NOT_DELIVERED]);
	if (row->totals[LOSS_NOT_DELIVERED] && counter)
		(void)fprintf(out, ", %" PRIu64 " of them while the CPU was idle", counter->missed_idle);
	if (told != seen && !model->window.dump) /* a dump begins between two readings of the counters */
		(void)fprintf(out, "; the counts do not add up: %" PRId64 " events are unaccounted for",
			      (int64_t)(seen - told));
	(void)fputc('\n', out);
}

/* Each cause that occurs has a column. */
static bool has_column(const struct ledgers *ledgers, uint32_t cause)
{
	return loss_row_of(cause)->meaning == MEANS_LOST && ledgers->sums.by_cause[cause];
}

static void print_lost(const struct ledgers *ledgers, const struct ledger *row, FILE *out)
{
	uint64_t wanted = row->totals[LOSS_SEEN] - sum_of(row, MEANS_LEFT_OUT);

	(void)fprintf(out, "    CPU %-4" PRIu32 " %12" PRIu64 " %12" PRIu64, row->cpu, wanted,
		      row->totals[LOSS_RECORDED]);
	for (uint32_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (has_column(ledgers, cause))
			(void)fprintf(out, " %13" PRIu64, row->totals[cause]);
	(void)fputc('\n', out);
}

static void print_lost_heading(const struct ledgers *ledgers, uint32_t source, FILE *out)
{
	(void)fprintf(out, "  wanted of source %" PRIu32 ", and lost by cause\n", source);
	(void)fprintf(out, "    %-8s %12s %12s", "", "wanted", "recorded");
	for (uint32_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (has_column(ledgers, cause))
			(void)fprintf(out, " %13s", loss_row_of(cause)->name);
	(void)fputc('\n', out);
}

static void print_tables(const struct trace_model *model, const struct ledgers *ledgers, FILE *out)
{
	size_t count = ledgers->rows.count;

	for (size_t first = 0, next; first < count; first = next) {
		uint32_t source = ledgers->rows.items[first].source;
		bool any = false;

		for (next = first; next < count && ledgers->rows.items[next].source == source; next++)
			any |= is_counted(&ledgers->rows.items[next]);
		if (!any)
			continue;
		(void)fprintf(out, "  events of source %" PRIu32 "\n", source);
		for (size_t i = first; i < next; i++)
			if (is_counted(&ledgers->rows.items[i]))
				print_identity(model, &ledgers->rows.items[i], out);
		print_counters(model, source, out);
		print_lost_heading(ledgers, source, out);
		for (size_t i = first; i < next; i++)
			if (is_counted(&ledgers->rows.items[i]))
				print_lost(ledgers, &ledgers->rows.items[i], out);
	}
}

static void print_cause(const struct loss_row *row, uint64_t total, FILE *out)
{
	(void)fprintf(out, "  %-16s%" PRIu64 " %s%s: %s%s%s\n", row->meaning == MEANS_NOTE ? "quality" : "lost", total,
		      row->name, row->meaning == MEANS_SKIPPED ? ", on all CPUs together" : "",
		      row->nouns ? row->nouns : "", row->nouns ? " " : "", row->text);
}

/* Losses and notes: a line each. */
static void print_causes(const struct ledgers *ledgers, FILE *out)
{
	for (uint32_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (loss_row_of(cause)->meaning >= MEANS_NOTE && ledgers->sums.by_cause[cause])
			print_cause(loss_row_of(cause), ledgers->sums.by_cause[cause], out);
	if (ledgers->sums.unknown)
		(void)fprintf(out, "  %-16s%" PRIu64 " for reasons that this version does not know\n",
			      "lost", ledgers->sums.unknown);
}

static void print_maps(const struct trace_model *model, FILE *out)
{
	for (size_t i = 0; i < model->maps_unavailable.count; i++) {
		const struct event_maps_unavailable *row = &model->maps_unavailable.items[i];

		(void)fprintf(out, "  %-16smappings of process %" PRIu32 " were unavailable: %s\n",
			      "quality", row->tgid, strerror((int)row->reason));
	}
}

static const char *why_unsure(uint32_t cause)
{
	static const char *const texts[] = {
		[UNSURE_SILENT] = "the kernel reported none of them",
		[UNSURE_LOST] = "some were lost",
		[UNSURE_AWAY] = "it was offline",
	};

	return cause < sizeof(texts) / sizeof(*texts) && texts[cause] ?
	       texts[cause] : "for a reason that this version does not know";
}

static void print_unsure(const struct trace_model *model, FILE *out)
{
	for (size_t i = 0; i < model->unsure.count; i++) {
		const struct event_unsure *row = &model->unsure.items[i];
		uint64_t from = row->time > model->start ? row->time - model->start : 0;
		uint64_t until = row->until > model->start ? row->until - model->start : 0;

		(void)fprintf(out,
			      "  %-16sfrom %s s to %s s records of processes of CPU %" PRIu32
			      " are missing: %s",
			      "names unsure", figure_seconds(from).text, figure_seconds(until).text, row->cpu,
			      why_unsure(row->cause));
		if (row->missing)
			(void)fprintf(out, " (%" PRIu64 " or more)", row->missing);
		(void)fputc('\n', out);
	}
}

/* False if there is not enough memory. */
static bool info_losses(const struct trace_model *model, FILE *out)
{
	struct ledgers ledgers = {0};

	if (fill(&ledgers, model) < 0) {
		array_free(&ledgers.rows);
		info_line(out, "lost", "not enough memory to show them; --max-memory raises the limit");
		return false;
	}
	print_tables(model, &ledgers, out);
	print_causes(&ledgers, out);
	print_maps(model, out);
	print_unsure(model, out);
	if (!trace_model_lost(model))
		info_line(out, "lost", model->losses.count ? "nothing" : "the trace does not say");
	array_free(&ledgers.rows);
	return true;
}

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
