/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/tables/profile_quality.h"

static void add(struct profile_quality *sum, const struct profile_quality *quality)
{
	sum->samples += quality->samples;
	sum->kernel_truncated += quality->kernel_truncated;
	sum->user_truncated += quality->user_truncated;
	for (size_t i = 0; i < MISSING_USER_REASONS; i++)
		sum->missing_user[i] += quality->missing_user[i];
	sum->trimmed += quality->trimmed;
	sum->no_maps += quality->no_maps;
	sum->stripped += quality->stripped;
	sum->unknown_source += quality->unknown_source;
	sum->unsure += quality->unsure;
	sum->unwound += quality->unwound;
	sum->snapshots_missing += quality->snapshots_missing;
	for (size_t i = 0; i < NOTES; i++)
		sum->stops[i] += quality->stops[i];
	sum->tails += quality->tails;
	sum->callers_missing += quality->callers_missing;
	sum->callers_unknown += quality->callers_unknown;
}

void profile_quality_sum(const struct profile *profile, unsigned int kinds, struct profile_quality *ret_sum)
{
	*ret_sum = (struct profile_quality){0};
	for (enum profile_source_kind kind = 0; kind <= PROFILE_SOURCE_KINDS; kind++)
		if (kind == PROFILE_SOURCE_KINDS || kinds & 1U << kind)
			add(ret_sum, &profile->qualities[kind]);
}
