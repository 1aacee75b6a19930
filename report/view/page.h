/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What views print with: colours, folded lines, figures in columns, totals of probes, headings and notes. */
#ifndef RWALKER_REPORT_VIEW_PAGE_H
#define RWALKER_REPORT_VIEW_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/view/groups.h"
#include "report/view/view.h"

/*
 * Colours: shares of 5 % and more are red, of 0.5 % and more green, as in perf. Without colour only
 * the text is printed.
 */

/* "22.98%" */
void paint_percent(FILE *out, bool color, uint64_t part, uint64_t whole);
/* Bold. */
void paint_heading(FILE *out, bool color, const char *text);

/* Folds lines that are too long for the terminal, so that columns stay aligned. */

/*
 * Prints a text that begins at `column` of a terminal with `width` columns; continuation lines
 * begin there, too. The text is not folded if `width` is 0 or leaves too little room to be
 * readable. Escapes that change the colour take no room.
 */
void wrap_write(FILE *out, const char *text, size_t column, size_t width);

/* A line that is written in pieces, and folded when it is complete. */
struct wrap {
	FILE *out, *text;
	char *bytes;
	size_t size, column, width;
};

/*
 * Begins a line; continuation lines begin at `column`. Returns the stream for the pieces; end the
 * line with wrap_end(). NULL if there is not enough memory.
 */
FILE *wrap_begin(struct wrap *wrap, FILE *out, size_t column, size_t width);

/* Prints the line and a newline. Returns 0 or -ENOMEM. */
int wrap_end(struct wrap *wrap);

/*
 * The hits of a source's tracepoints and functions, most frequent first, as the recorder counted
 * them. If the number of events in the trace differs, the line says why. Each line begins with "#
 * ".
 */

/* Prints nothing for sources without probes, or if the filters leave nothing of the source. -ENOMEM. */
int probe_totals_write(const struct view_context *context, uint32_t source, FILE *out);

/*
 * Heading and footer of every report: a heading per source above, and below what was lost and left
 * out. All lines begin with "# ".
 */

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

/*
 * Figures of a source as columns: the share, and the amount in one unit for all lines. Waits have
 * two amounts: blocked, and on run queues; three if some were throttled. Sources not measured in
 * time show the number of samples.
 *
 *	#  total   blocked run queue
 *	  36.52%    4271.5       5.4
 */

enum figure_kind { FIGURES_COUNTED, FIGURES_TIMED, FIGURES_WAITED };

enum { FIGURE_SHARE_WIDTH = 8, FIGURE_AMOUNT_WIDTH = 10 };

struct figure_columns {
	const struct profile_source *source;
	enum figure_kind kind;
	uint64_t unit; /* ns, of amounts */
	bool color, throttled; /* throttled: some waits were, and have a third amount */
};

struct figure_columns figure_columns_of(const struct view_context *context, const struct profile_source *source);

/* "ms", "samples": what the amounts are. */
const char *figure_columns_unit(const struct figure_columns *columns);

/* The width of share and amounts together. */
size_t figure_columns_width(const struct figure_columns *columns);
/* The headings of these columns; `name` is that of the share. `first`: they begin the line, after a "#". */
void figure_columns_write_head(const struct figure_columns *columns, const char *name, bool first, FILE *out);
void figure_columns_write(const struct figure_columns *columns, const struct tally *tally, FILE *out);
/* The share alone. */
void figure_columns_write_share(const struct figure_columns *columns, uint64_t weight, FILE *out);

/* A number in a column of its own, as wide as an amount. */
void figure_columns_write_count(uint64_t count, FILE *out);

/* " (123.4ms)", for waits " (123.4ms: blocked 120.0ms, run queue 3.4ms)"; nothing if it was not measured in time. */
void figure_write_time(const struct profile_source *source, const struct tally *tally, FILE *out);

#endif
