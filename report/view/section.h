/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The frame of every report: a heading per source above, what was lost and left out below. All of its lines
 * begin with "# ".
 */
#ifndef RWALKER_REPORT_VIEW_SECTION_H
#define RWALKER_REPORT_VIEW_SECTION_H

#include "report/view/view.h"

/* Source, samples, duration, filters; and where there is nothing, why. */
void section_heading(const struct view_context *context, uint32_t number, const struct profile_source *source);

/* Where no source is left that the view shows; `name` of the view, NULL where any would do. */
void section_nothing(const struct view_context *context, const char *name);

/* The account, to `out`: a view whose lines machines read gives stderr. */
void section_account(const struct view_context *context, FILE *out);

/* "cpu" ... of a kind, as --source takes it. */
const char *section_kind_name(enum profile_source_kind kind);

/* What an empty call chain is called. */
const char *section_no_frames(const struct view_settings *settings);

/* The number that stands behind a stack: microseconds waited, as bcc has it, else samples. */
uint64_t section_figure(const struct profile_source *source, uint64_t samples, uint64_t weight);

/* What its number is of: "samples", "waits", "events" of tracepoints and functions. */
const char *section_unit(const struct profile_source *source);

/* The total against which percentages are taken. */
uint64_t section_total(const struct profile_source *source);

#endif
