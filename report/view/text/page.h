/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Heading and footer of every report: a heading per source above, and below what was lost and left
 * out. All lines begin with "# ".
 */
#ifndef RWALKER_REPORT_VIEW_TEXT_PAGE_H
#define RWALKER_REPORT_VIEW_TEXT_PAGE_H

#include "report/view/text/view.h"

/* A line that begins with "# ", folded at the width of a terminal. */
void page_comment(const struct view_context *context, FILE *out, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Source, samples, duration, filters; and if the source is empty, why. */
void page_heading(const struct view_context *context, uint32_t number,
		  const struct profile_source *source);

/* For reports that have no source that the view can show. `name` is the view's; NULL if any source would do. */
void page_nothing(const struct view_context *context, const char *name);


struct page_shown {
	unsigned int about; /* bits of enum profile_note_about */
	unsigned int kinds; /* bits of enum profile_source_kind */
};

/*
 * Prints the gravest notes about what is shown, and how many more there are. Views with
 * machine-readable lines pass stderr.
 */
void page_notes(const struct view_context *context, struct page_shown shown, FILE *out);

/* "cpu" ... of a kind, as for --source. */
const char *page_kind_name(enum profile_source_kind kind);

/* The name of an empty call chain. */
const char *page_no_frames(const struct view_settings *settings);

/* The number printed after a stack: microseconds waited, as in bcc, else samples. */
uint64_t page_figure(const struct profile_source *source, uint64_t samples, uint64_t weight);

/* What is counted: "samples", "waits", "events" of tracepoints and functions, "tasks" that were walked. */
const char *page_unit(const struct profile_source *source);

/* "2 waits", "1 wait": all units end in an s. */
void page_write_count(uint64_t count, const char *unit, FILE *out);

/* The total that percentages refer to. */
uint64_t page_total(const struct profile_source *source);

#endif
