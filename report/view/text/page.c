/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/page.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/plural.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "report/profile/seam/figures.h"
#include "report/profile/seam/profile_account.h"
#include "report/profile/seam/profile_dump.h"
#include "report/profile/seam/profile_origin.h"
#include "report/profile/seam/profile_waits.h"
#include "report/view/text/probe_totals.h"
#include "report/view/text/wait_text.h"
#include "report/view/text/wrap.h"

enum { NOTE_TEXT = 2048 };

const char *page_kind_name(enum profile_source_kind kind)
{
	static const char *const names[PROFILE_SOURCE_KINDS] = {
		"cpu", "offcpu", "wakers", "tracepoint", "kfunc", "tasks"};

	return kind < PROFILE_SOURCE_KINDS ? names[kind] : "unknown";
}

uint64_t page_total(const struct profile_source *source)
{
	return source->kind == PROFILE_TASKS ? source->samples : source->weight;
}

const char *page_no_frames(const struct view_settings *settings)
{
	if (settings->user_only)
		return "[no user frames]";
	return settings->kernel_only ? "[no kernel frames]" : "[no call chain]";
}

uint64_t page_figure(const struct profile_source *source, uint64_t samples, uint64_t weight)
{
	bool waited = source->kind == PROFILE_OFFCPU || source->kind == PROFILE_WAKERS;

	return waited ? weight / 1000 : samples;
}

void page_comment(const struct view_context *context, FILE *out, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) >= 0) {
		(void)fputs("# ", out);
		wrap_write(out, text, strlen("# "), context->settings->width);
		(void)fputc('\n', out);
		free(text);
	}
	va_end(arguments);
}

/* Folds comments of which each was written as one line. */
static void write_comments(const struct view_context *context, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n")) && *line)
		page_comment(context, context->out, "%s", line + strlen("# "));
}

static bool is_traced(const struct profile_source *source)
{
	return source->kind == PROFILE_TRACEPOINT || source->kind == PROFILE_KFUNC;
}

const char *page_unit(const struct profile_source *source)
{
	if (source->kind == PROFILE_OFFCPU || source->kind == PROFILE_WAKERS)
		return "waits";
	if (source->kind == PROFILE_TASKS)
		return "tasks";
	return is_traced(source) ? "events" : "samples";
}

void page_write_count(uint64_t count, const char *unit, FILE *out)
{
	(void)fprintf(out, "%" PRIu64 " %.*s", count, (int)strlen(unit) - (count == 1), unit);
}

static void write_weight(const struct profile_source *source, FILE *out)
{
	if (!strcmp(source->weight_unit, "samples"))
		return;
	if (!strcmp(source->weight_unit, "ns"))
		(void)fprintf(out, ", %s ms", figure_milliseconds(source->weight).text);
	else
		(void)fprintf(out, ", %" PRIu64 " %s", source->weight, source->weight_unit);
}

static void write_sampled(const struct view_context *context, uint32_t number,
			  const struct profile_source *source)
{
	size_t probes = probe_totals_count(context->profile, number);
	FILE *out = context->out;

	page_write_count(source->samples, page_unit(source), out);
	if (probes > 1)
		(void)fprintf(out, " of %zu probes", probes);
	write_weight(source, out);
	if (source->duration)
		(void)fprintf(out, " in %s s", figure_seconds(source->duration).text);
	if (source->frequency)
		(void)fprintf(out, ", %" PRIu64 " Hz per CPU", source->frequency);
	(void)fprintf(out, "%s\n", source->user_stacks ? ", kernel and user stacks" : ", kernel stacks");
	if (source->software_fallback)
		(void)fputs("# sampled by the CPU clock: there was no hardware counter\n", out);
}

/* "blocked 1234.5 ms (812), preempted 0.3 ms (2); 3.1 ms of it on run queues" */
static void write_classes(const struct profile_wait_totals *totals, FILE *out)
{
	uint64_t run_queue = 0;
	bool any = false;

	(void)fputs("# ", out);
	for (size_t i = 0; i < WAIT_CLASSES; i++) {
		const struct profile_class_total *total = &totals->classes[i];

		run_queue += total->run_queue;
		if (!total->count)
			continue;
		(void)fprintf(out, "%s%s %s ms (%" PRIu64 ")", any ? ", " : "", wait_class_name(i),
			      figure_milliseconds(total->weight).text, total->count);
		any = true;
	}
	if (totals->classes[WAIT_THROTTLED].count)
		(void)fprintf(out, "; %s ms throttled",
			      figure_milliseconds(totals->classes[WAIT_THROTTLED].throttled).text);
	(void)fprintf(out, "%s%s ms on run queues", any ? "; " : "", figure_milliseconds(run_queue).text);
	if (totals->open.count)
		(void)fprintf(out,
			      "; %s ms (%" PRIu64
			      ") of waits that began before or had not ended (--class=open, ended)",
			      figure_milliseconds(totals->open.weight).text, totals->open.count);
	(void)fputc('\n', out);
}

static void write_waited(const struct view_context *context, uint32_t number,
			 const struct profile_source *source)
{
	const struct profile_wait_totals *totals = profile_wait_totals(context->profile, number);
	FILE *out = context->out;

	page_write_count(source->samples, "waits", out);
	(void)fprintf(out, ", %s ms", figure_milliseconds(source->weight).text);
	if (source->duration)
		(void)fprintf(out, " in %s s", figure_seconds(source->duration).text);
	(void)fprintf(out, "%s\n", source->user_stacks ? ", kernel and user stacks" : ", kernel stacks");
	if (!totals)
		return;
	if (source->samples)
		write_classes(totals, out);
	if (!totals->brief.count)
		return;
	if (totals->least_wait < MILLISECOND / 10)
		(void)fprintf(out, "# shorter than %s, and not among these: ", wait_figure(totals->least_wait).text);
	else
		(void)fprintf(out, "# shorter than %s ms, and not among these: ",
			      figure_milliseconds(totals->least_wait).text);
	page_write_count(totals->brief.count, "waits", out);
	(void)fprintf(out, ", %s ms, %s ms of it on run queues", figure_milliseconds(totals->brief.weight).text,
		      figure_milliseconds(totals->brief.run_queue).text);
	if (totals->brief.throttled)
		(void)fprintf(out, ", %s ms throttled", figure_milliseconds(totals->brief.throttled).text);
	(void)fputc('\n', out);
}

static void write_walked(const struct view_context *context, const struct profile_source *source)
{
	const struct profile_walk *walks;
	size_t count = profile_walks(context->profile, &walks);
	uint64_t seen = 0;

	for (size_t i = 0; i < count; i++)
		seen += walks[i].seen;
	(void)fprintf(context->out, "%" PRIu64 " of %" PRIu64 " that were seen, walks: %zu\n",
		      source->samples, seen, count);
}

static void write_what(const struct view_context *context, uint32_t number,
		       const struct profile_source *source)
{
	const char *kind = page_kind_name(source->kind);

	(void)fprintf(context->out, "# %s", kind);
	if (source->name && source->name[0] && strcmp(source->name, kind) != 0) {
		(void)fputc(' ', context->out);
		printable_write(context->out, source->name, strlen(source->name));
	}
	(void)fputs(": ", context->out);
	if (source->kind == PROFILE_TASKS)
		write_walked(context, source);
	else if (source->kind == PROFILE_OFFCPU || source->kind == PROFILE_WAKERS)
		write_waited(context, number, source);
	else
		write_sampled(context, number, source);
}

static void write_text(FILE *out, const char *text)
{
	printable_write(out, text, strlen(text));
}

/* "# dump 3, 60.1 s, made for wait:D>500ms: kworker/0:1 (12), 812.000 ms" */
static void write_dump(const struct profile_dump *dump, FILE *out)
{
	char value[PROFILE_DUMP_VALUE];

	(void)fprintf(out, "# dump %" PRIu64 ", %s s", dump->number, figure_seconds(dump->length).text);
	if (dump->rule) {
		(void)fputs(", made for ", out);
		write_text(out, dump->rule);
		if (dump->tid) {
			(void)fputs(": ", out);
			write_text(out, dump->comm);
			(void)fprintf(out, " (%" PRIu32 ")", dump->tid);
		}
		if (*profile_dump_value(dump->rule, dump->value, value))
			(void)fprintf(out, ", %s", value);
	}
	(void)fputc('\n', out);
}

static void write_dumps(const struct view_context *context)
{
	enum { MOST = 3 };
	size_t count = profile_origins(context->profile), shown = 0, more = 0;
	struct profile_dump dump;

	for (size_t i = 0; i < count; i++)
		if (profile_dump(context->profile, i, &dump) && (shown < MOST || !++more)) {
			write_dump(&dump, context->out);
			shown++;
		}
	if (more)
		(void)fprintf(context->out, "# and %zu more dump%s\n", more, plural(more));
}

static void write_heading(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	const struct view_settings *settings = context->settings;

	write_dumps(context);
	write_what(context, number, source);
	if (settings->filters[0])
		(void)fprintf(context->out, "# filters: %s\n", settings->filters);
	if (source->samples)
		return;
	if (settings->filters[0])
		(void)fputs("# nothing passed the filters\n", context->out);
	else
		(void)fputs("# nothing was recorded; what was lost is listed below\n", context->out);
}

void page_heading(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	struct view_context unfolded = *context;
	char *text = NULL;
	size_t length;

	unfolded.out = context->settings->width ? open_memstream(&text, &length) : NULL;
	if (!unfolded.out) {
		write_heading(context, number, source);
		return;
	}
	write_heading(&unfolded, number, source);
	if (!fclose(unfolded.out))
		write_comments(context, text);
	free(text);
}

/* "cpu, tasks" */
static void write_kinds(const struct view_context *context)
{
	const struct profile_source *sources;
	size_t count = profile_sources(context->profile, &sources);

	for (size_t i = 0; i < count; i++)
		(void)fprintf(context->out, "%s%s", i ? ", " : "", page_kind_name(sources[i].kind));
}

void page_nothing(const struct view_context *context, const char *name)
{
	const struct profile_source *sources;
	size_t count = profile_sources(context->profile, &sources), left_out = 0;

	for (size_t i = 0; i < count; i++)
		left_out += sources[i].left_out;
	if (count) {
		(void)fputs("# nothing to show: ", context->out);
		if (left_out)
			(void)fprintf(context->out,
				      "the filters or --%s have no use for what is here: ", name);
		else
			(void)fprintf(context->out, "--%s has no use for what is here: ", name);
		write_kinds(context);
	} else {
		(void)fputs("# nothing to show: no source is left", context->out);
	}
	if (context->settings->filters[0])
		(void)fprintf(context->out, "; filters: %s", context->settings->filters);
	(void)fputc('\n', context->out);
}

static void write_note(const struct view_context *context, const struct profile_account_note *note, FILE *out)
{
	char text[NOTE_TEXT];

	printable_escape_line(text, sizeof(text), note->text, strlen(note->text));
	page_comment(context, out, "%s", text);
}

void page_notes(const struct view_context *context, struct page_shown shown, FILE *out)
{
	enum { MOST = 3 };
	struct profile_account account;
	size_t count = 0;

	profile_account_of(context->profile, shown.kinds, &account);
	for (size_t i = 0; i < account.count; i++)
		if ((!account.notes[i].about || account.notes[i].about & shown.about) && count++ < MOST)
			write_note(context, &account.notes[i], out);
	if (count > MOST) /* without the name of the trace: no report depends on it */
		(void)fprintf(out, "# %zu more note%s: rwalker-report --info\n", count - MOST, plural(count - MOST));
}
