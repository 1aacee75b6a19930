/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The times in which less was recorded than asked for, to keep the recorder within its budget. */
#include "report/profile/account/account_notes.h"
#include "report/profile/account/account_parts.h"
#include "report/profile/seam/figures.h"
#include "report/profile/seam/profile_origin.h"
#include "report/profile/account/regimes.h"

enum { SPANS_SHOWN = 8 };

struct coarser { /* all spans of a recording together */
	uint64_t from, until, sum, lacks, least, frequency;
	size_t count;
	bool asked; /* --realtime-safe */
};

static const uint64_t OF_WAITS = REGIME_NO_WAITS | REGIME_NO_WAKERS | REGIME_NO_WAKER_STACKS | REGIME_NO_KERNEL_STACKS |
				 REGIME_NO_EARLY_STACKS;

/* The lacks that concern the sources of the report. */
static uint64_t lacks_of(const struct profile *profile, uint64_t lacks)
{
	const unsigned int waits = 1U << PROFILE_OFFCPU | 1U << PROFILE_WAKERS;

	if (!(profile->account_kinds & waits))
		lacks &= ~OF_WAITS;
	if (!(profile->account_kinds & 1U << PROFILE_CPU))
		lacks &= ~(uint64_t)REGIME_NO_SAMPLES;
	return lacks;
}

static const struct event_source *first_of(const struct trace_model *model, enum source_kind kind)
{
	for (size_t i = 0; i < model->sources.count; i++)
		if (model->sources.items[i].event.kind == kind)
			return &model->sources.items[i].event;
	return NULL;
}

/* ns; 0 if nothing changed, or if no waits are shown. */
static uint64_t least_of(const struct profile *profile, const struct trace_model *model,
			 const struct event_regime *regime)
{
	const struct event_source *waits = first_of(model, SOURCE_OFFCPU);

	if (!waits || !(profile->account_kinds & 1U << PROFILE_OFFCPU))
		return 0;
	return regime->least > waits->least ? regime->least : 0;
}

static uint64_t frequency_of(const struct profile *profile, const struct trace_model *model,
			     const struct event_regime *regime)
{
	const struct event_source *samples = first_of(model, SOURCE_CPU);

	if (!samples || !(profile->account_kinds & 1U << PROFILE_CPU))
		return 0;
	return regime->frequency < samples->frequency ? regime->frequency : 0;
}

/* The next span within the requested part, clipped to it. */
static bool next_span(const struct profile_scope *scope, size_t *cursor, struct regime_span *ret_span)
{
	struct regime_span span;

	while (regimes_next(scope->model, cursor, &span)) {
		span.from = span.from > scope->from ? span.from : scope->from;
		span.until = span.until < scope->to ? span.until : scope->to;
		if (span.from >= span.until)
			continue;
		*ret_span = span;
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

static void add_span(const struct profile *profile, const struct trace_model *model, const struct regime_span *span,
		     struct coarser *all)
{
	const struct event_regime *regime = span->regime;
	uint64_t least = least_of(profile, model, regime), frequency = frequency_of(profile, model, regime);
	uint64_t lacks = lacks_of(profile, regime->lacks);

	if (!lacks && !least && !frequency)
		return;
	all->from = all->count++ ? all->from : span->from;
	all->until = span->until;
	all->sum += span->until - span->from;
	all->lacks |= lacks;
	all->least = least > all->least ? least : all->least;
	all->frequency = !all->frequency || (frequency && frequency < all->frequency) ? frequency : all->frequency;
	all->asked |= regime->reason == REGIME_ASKED;
}

static int tell_span(struct profile *profile, const struct trace_model *model, const struct regime_span *span)
{
	const struct event_regime *regime = span->regime;
	char text[REGIME_TEXT];

	return account_detail(profile, "from %s s to %s s: %s", figure_seconds(span->from - model->start).text,
			      figure_seconds(span->until - model->start).text,
			      regimes_text(lacks_of(profile, regime->lacks), least_of(profile, model, regime),
					   frequency_of(profile, model, regime), text));
}

static int tell_spans(struct profile *profile, const struct profile_scope *scope)
{
	struct regime_span span;
	size_t cursor = 0, count = 0;
	int r = 0;

	while (!r && next_span(scope, &cursor, &span) && count++ < SPANS_SHOWN)
		r = tell_span(profile, scope->model, &span);
	return r;
}

static int tell_recording(struct profile *profile, const struct profile_scope *scope)
{
	const struct trace_model *model = scope->model;
	struct coarser all = {0};
	struct regime_span span;
	char text[REGIME_TEXT];
	size_t cursor = 0;
	int r;

	while (next_span(scope, &cursor, &span))
		add_span(profile, model, &span, &all);
	if (!all.count)
		return 0;
	r = account_note(profile, ACCOUNT_COARSER, account_share(all.sum, length_of(scope)),
			 "from %s s to %s s the recorder left out, at times, to cost less: %s",
			 figure_seconds(all.from - model->start).text, figure_seconds(all.until - model->start).text,
			 regimes_text(all.lacks, all.least, all.frequency, text));
	if (r >= 0 && all.asked)
		account_remedy(profile, "rwalker-record without --realtime-safe leaves out less");
	return r < 0 ? r : tell_spans(profile, scope);
}

int account_regimes(struct profile *profile)
{
	int r = 0;

	for (size_t i = 0; i < profile->scopes.count && !r; i++)
		r = tell_recording(profile, &profile->scopes.items[i]);
	return r;
}

bool profile_coarser(const struct profile *profile)
{
	struct regime_span span;

	for (size_t i = 0; i < profile->scopes.count; i++) {
		size_t cursor = 0;

		if (next_span(&profile->scopes.items[i], &cursor, &span))
			return true;
	}
	return false;
}
