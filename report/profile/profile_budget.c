/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The times in which less was recorded than asked for, to keep the recorder within its budget. */
#include <inttypes.h>
#include <stdio.h>

#include "common/time_units.h"
#include "report/profile/figures.h"
#include "report/profile/profile.h"
#include "report/profile/profile_internal.h"

enum { SPANS_SHOWN = 8 };

bool budget_spans_next(const struct trace_model *model, size_t *cursor, struct budget_span *ret_span)
{
	while (*cursor < model->budgets.count) {
		const struct event_budget *record = &model->budgets.items[(*cursor)++];
		uint64_t from = record->time > model->start ? record->time : model->start;
		uint64_t until = *cursor < model->budgets.count ? model->budgets.items[*cursor].time : model->stop;

		if (!record->step || until <= from)
			continue;
		*ret_span = (struct budget_span){from, until, record};
		return true;
	}
	return false;
}

static const struct event_source *first_of(const struct trace_model *model, enum source_kind kind)
{
	for (size_t i = 0; i < model->sources.count; i++)
		if (model->sources.items[i].event.kind == kind)
			return &model->sources.items[i].event;
	return NULL;
}

struct budget_lack budget_lack_of(const struct trace_model *model, const struct event_budget *record, bool waits,
				  bool samples)
{
	const struct event_source *offcpu = first_of(model, SOURCE_OFFCPU), *cpu = first_of(model, SOURCE_CPU);
	struct budget_lack lack = {.everything = record->step == BUDGET_PAUSED};

	if (waits && offcpu && record->least > offcpu->least && !lack.everything)
		lack.least = record->least;
	if (samples && cpu && record->frequency < cpu->frequency && !lack.everything)
		lack.frequency = record->frequency;
	return lack;
}

const char *budget_text(const struct budget_lack *lack, char text[BUDGET_TEXT])
{
	char least[64] = "", frequency[64] = "";

	if (lack->least)
		(void)snprintf(least, sizeof(least), "%swaits below %.9g ms only in sums",
			       lack->everything ? ", else " : "", (double)lack->least / (double)MILLISECOND);
	if (lack->frequency)
		(void)snprintf(frequency, sizeof(frequency), "%ssamples at %" PRIu64 " Hz",
			       lack->least ? ", " : lack->everything ? ", else " : "", lack->frequency);
	(void)snprintf(text, BUDGET_TEXT, "%s%s%s", lack->everything ? "everything" : "", least, frequency);
	return text;
}

/* The next span within the requested part, clipped to it, in which something of the report's sources is left out. */
static bool next_span(const struct profile *profile, const struct profile_scope *scope, size_t *cursor,
		      struct budget_span *ret_span, struct budget_lack *ret_lack)
{
	const unsigned int kinds = profile->account_kinds, waits = 1U << PROFILE_OFFCPU | 1U << PROFILE_WAKERS;

	while (budget_spans_next(scope->model, cursor, ret_span)) {
		ret_span->from = ret_span->from > scope->from ? ret_span->from : scope->from;
		ret_span->until = ret_span->until < scope->to ? ret_span->until : scope->to;
		*ret_lack = budget_lack_of(scope->model, ret_span->record, kinds & waits, kinds & 1U << PROFILE_CPU);
		if (ret_span->from < ret_span->until &&
		    (ret_lack->everything || ret_lack->least || ret_lack->frequency))
			return true;
	}
	return false;
}

/* Length of the requested part; 0 if unknown. */
static uint64_t length_of(const struct profile_scope *scope)
{
	const struct trace_model *model = scope->model;
	uint64_t from = model->start > scope->from ? model->start : scope->from;
	uint64_t until = model->stop < scope->to ? model->stop : scope->to;

	return until > from ? until - from : 0;
}

static int tell_spans(struct profile *profile, const struct profile_scope *scope)
{
	const uint64_t start = scope->model->start;
	struct budget_span span;
	struct budget_lack lack;
	char text[BUDGET_TEXT];
	size_t cursor = 0, count = 0;
	int r = 0;

	while (!r && next_span(profile, scope, &cursor, &span, &lack) && count++ < SPANS_SHOWN)
		r = account_detail(profile, "from %s s to %s s: %s", figure_seconds(span.from - start).text,
				   figure_seconds(span.until - start).text, budget_text(&lack, text));
	return r;
}

static int tell_recording(struct profile *profile, const struct profile_scope *scope)
{
	const uint64_t start = scope->model->start;
	uint64_t from = 0, until = 0, sum = 0;
	struct budget_lack lack, all = {0};
	struct budget_span span;
	char text[BUDGET_TEXT];
	size_t cursor = 0;
	int r;

	while (next_span(profile, scope, &cursor, &span, &lack)) {
		from = sum ? from : span.from;
		until = span.until;
		sum += span.until - span.from;
		all.everything |= lack.everything;
		all.least = lack.least ? lack.least : all.least;
		all.frequency = lack.frequency ? lack.frequency : all.frequency;
	}
	if (!sum)
		return 0;
	r = account_note(profile, ACCOUNT_COARSER, account_share(sum, length_of(scope)),
			 "from %s s to %s s the recorder left out, at times, to cost less: %s",
			 figure_seconds(from - start).text, figure_seconds(until - start).text,
			 budget_text(&all, text));
	return r < 0 ? r : tell_spans(profile, scope);
}

int account_budget(struct profile *profile)
{
	int r = 0;

	for (size_t i = 0; i < profile->scopes.count && !r; i++)
		r = tell_recording(profile, &profile->scopes.items[i]);
	return r;
}

bool profile_coarser(const struct profile *profile)
{
	struct budget_span span;
	struct budget_lack lack;

	for (size_t i = 0; i < profile->scopes.count; i++) {
		size_t cursor = 0;

		if (next_span(profile, &profile->scopes.items[i], &cursor, &span, &lack))
			return true;
	}
	return false;
}
