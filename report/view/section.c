/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/section.h"

#include <inttypes.h>
#include <string.h>

#include "common/printable.h"
#include "report/figures.h"
#include "report/profile_waits.h"
#include "report/view/probe_totals.h"

const char *section_kind_name(enum profile_source_kind kind)
{
	static const char *const names[PROFILE_SOURCE_KINDS] = {"cpu", "offcpu", "wakers", "tracepoint", "kfunc", "tasks"};

	return kind < PROFILE_SOURCE_KINDS ? names[kind] : "unknown";
}

uint64_t section_total(const struct profile_source *source)
{
	return source->kind == PROFILE_TASKS ? source->samples : source->weight;
}

const char *section_no_frames(const struct view_settings *settings)
{
	if (settings->user_only)
		return "[no user frames]";
	return settings->kernel_only ? "[no kernel frames]" : "[no call chain]";
}

uint64_t section_figure(const struct profile_source *source, uint64_t samples, uint64_t weight)
{
	bool waited = source->kind == PROFILE_OFFCPU || source->kind == PROFILE_WAKERS;

	return waited ? weight / 1000 : samples;
}

static void write_text(FILE *out, const char *text)
{
	printable_write(out, text, strlen(text));
}

static bool is_traced(const struct profile_source *source)
{
	return source->kind == PROFILE_TRACEPOINT || source->kind == PROFILE_KFUNC;
}

const char *section_unit(const struct profile_source *source)
{
	if (source->kind == PROFILE_OFFCPU || source->kind == PROFILE_WAKERS)
		return "waits";
	return is_traced(source) ? "events" : "samples";
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

static void write_sampled(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	size_t probes = probe_totals_count(context->profile, number);
	FILE *out = context->out;

	(void)fprintf(out, "%" PRIu64 " %s", source->samples, section_unit(source));
	if (probes > 1)
		(void)fprintf(out, " of %zu probes", probes);
	write_weight(source, out);
	if (source->duration)
		(void)fprintf(out, " in %s s", figure_seconds(source->duration).text);
	if (source->frequency)
		(void)fprintf(out, ", %" PRIu64 " Hz per CPU", source->frequency);
	(void)fprintf(out, "%s\n", source->user_stacks ? ", kernel and user stacks" : ", kernel stacks");
	if (source->software_fallback)
		(void)fputs("# sampled by the CPU's clock: no hardware counter was to be had\n", out);
}

/* "blocked 1234.5 ms (812), preempted 0.3 ms (2); 3.1 ms of it on run queues" */
static void write_classes(const struct profile_wait_totals *totals, FILE *out)
{
	static const char *const names[PROFILE_WAIT_CLASSES] = {"blocked", "preempted", "yielded", "cancelled", "started"};
	uint64_t run_queue = 0;
	bool any = false;

	(void)fputs("# ", out);
	for (size_t i = 0; i < PROFILE_WAIT_CLASSES; i++) {
		const struct profile_class_total *total = &totals->classes[i];

		run_queue += total->run_queue;
		if (!total->count)
			continue;
		(void)fprintf(out, "%s%s %s ms (%" PRIu64 ")", any ? ", " : "", names[i],
			      figure_milliseconds(total->weight).text, total->count);
		any = true;
	}
	(void)fprintf(out, "%s%s ms on run queues", any ? "; " : "", figure_milliseconds(run_queue).text);
	if (totals->open.count)
		(void)fprintf(out, "; %s ms (%" PRIu64 ") of waits that began before or had not ended (--class=open, ended)",
			      figure_milliseconds(totals->open.weight).text, totals->open.count);
	(void)fputc('\n', out);
}

static void write_waited(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	const struct profile_wait_totals *totals = profile_wait_totals(context->profile, number);
	FILE *out = context->out;

	(void)fprintf(out, "%" PRIu64 " waits, %s ms", source->samples, figure_milliseconds(source->weight).text);
	if (source->duration)
		(void)fprintf(out, " in %s s", figure_seconds(source->duration).text);
	(void)fprintf(out, "%s\n", source->user_stacks ? ", kernel and user stacks" : ", kernel stacks");
	if (!totals)
		return;
	if (source->samples)
		write_classes(totals, out);
	if (totals->brief.count)
		(void)fprintf(out, "# shorter than %s ms, and not among these: %" PRIu64 " waits, %s ms, %s ms of it on run queues\n",
			      figure_milliseconds(totals->least_wait).text, totals->brief.count,
			      figure_milliseconds(totals->brief.weight).text, figure_milliseconds(totals->brief.run_queue).text);
}

static void write_walked(const struct view_context *context, const struct profile_source *source)
{
	const struct profile_walk *walks;
	size_t count = profile_walks(context->profile, &walks);
	uint64_t seen = 0;

	for (size_t i = 0; i < count; i++)
		seen += walks[i].seen;
	(void)fprintf(context->out, "%" PRIu64 " of %" PRIu64 " that were seen, walks: %zu\n", source->samples, seen, count);
}

static void write_what(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	const char *kind = section_kind_name(source->kind);

	(void)fprintf(context->out, "# %s", kind);
	if (source->name && source->name[0] && strcmp(source->name, kind) != 0) {
		(void)fputc(' ', context->out);
		write_text(context->out, source->name);
	}
	(void)fputs(": ", context->out);
	if (source->kind == PROFILE_TASKS)
		write_walked(context, source);
	else if (source->kind == PROFILE_OFFCPU || source->kind == PROFILE_WAKERS)
		write_waited(context, number, source);
	else
		write_sampled(context, number, source);
}

void section_heading(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	const struct view_settings *settings = context->settings;

	write_what(context, number, source);
	if (settings->filters[0])
		(void)fprintf(context->out, "# filters: %s\n", settings->filters);
	if (source->samples)
		return;
	if (settings->filters[0])
		(void)fputs("# nothing passed the filters\n", context->out);
	else
		(void)fputs("# nothing was recorded; what was lost stands below\n", context->out);
}

/* "cpu, tasks" */
static void write_kinds(const struct view_context *context)
{
	const struct profile_source *sources;
	size_t count = profile_sources(context->profile, &sources);

	for (size_t i = 0; i < count; i++)
		(void)fprintf(context->out, "%s%s", i ? ", " : "", section_kind_name(sources[i].kind));
}

void section_nothing(const struct view_context *context, const char *name)
{
	const struct profile_source *sources;
	size_t count = profile_sources(context->profile, &sources), left_out = 0;

	for (size_t i = 0; i < count; i++)
		left_out += sources[i].left_out;
	if (count) {
		(void)fputs("# nothing to show: ", context->out);
		if (left_out)
			(void)fprintf(context->out, "the filters or --%s have no use for what is here: ", name);
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

void section_account(const struct view_context *context, FILE *out)
{
	struct profile_account account;

	profile_account(context->profile, &account);
	for (size_t i = 0; i < account.count; i++) {
		(void)fputs("# ", out);
		write_text(out, account.lines[i]);
		(void)fputc('\n', out);
	}
}
