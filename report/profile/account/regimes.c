/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/account/regimes.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/time_units.h"

static const struct {
	uint64_t lack;
	uint64_t beyond; /* skipped if one of these is set: they say as much, and more */
	const char *text;
} words[] = {
	{REGIME_NO_WAITS, 0, "no waits"},
	{REGIME_NO_SAMPLES, 0, "no samples"},
	{REGIME_NO_HITS, 0, "no hits"},
	{REGIME_NO_KERNEL_STACKS, REGIME_NO_WAITS, "no kernel stacks of waits"},
	{REGIME_NO_WAKERS, REGIME_NO_WAITS, "no wakers"},
	{REGIME_NO_WAKER_STACKS, REGIME_NO_WAKERS | REGIME_NO_WAITS, "no stacks of wakers"},
	{REGIME_NO_USER_STACKS, 0, "no user stacks"},
	{REGIME_NO_SNAPSHOTS, REGIME_NO_USER_STACKS, "no stack memory"},
	{REGIME_NO_EARLY_STACKS, REGIME_NO_USER_STACKS, "no user stacks that had to be taken in the scheduler"},
};

static uint64_t end_of(const struct trace_model *model, size_t next)
{
	return next < model->regimes.count ? model->regimes.items[next].time : model->stop;
}

bool regimes_next(const struct trace_model *model, size_t *cursor, struct regime_span *ret_span)
{
	for (; *cursor < model->regimes.count; (*cursor)++) {
		const struct event_regime *regime = &model->regimes.items[*cursor];
		uint64_t until = end_of(model, *cursor + 1);

		if (!regime->step || until <= regime->time || until <= model->start)
			continue;
		*ret_span = (struct regime_span){regime->time > model->start ? regime->time : model->start, until,
						 regime};
		(*cursor)++;
		return true;
	}
	return false;
}

static void add(char text[REGIME_TEXT], size_t *used, const char *more)
{
	int length = snprintf(text + *used, REGIME_TEXT - *used, "%s%s", *used ? ", " : "", more);

	if (length > 0 && (size_t)length < REGIME_TEXT - *used)
		*used += (size_t)length;
}

const char *regimes_text(uint64_t lacks, uint64_t least, uint64_t frequency, char text[REGIME_TEXT])
{
	char more[64];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (lacks & words[i].lack && !(lacks & words[i].beyond))
			add(text, &used, words[i].text);
	if (least && !(lacks & REGIME_NO_WAITS)) {
		(void)snprintf(more, sizeof(more), "waits below %.9g ms only in sums",
			       (double)least / (double)MILLISECOND);
		add(text, &used, more);
	}
	if (frequency && !(lacks & REGIME_NO_SAMPLES)) {
		(void)snprintf(more, sizeof(more), "samples at %" PRIu64 " Hz", frequency);
		add(text, &used, more);
	}
	return text;
}
