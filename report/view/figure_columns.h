/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Figures of a source as columns: the share, and the amount in one unit for all lines. Waits have
 * two amounts: blocked, and on run queues; three if some were throttled. Sources not measured in
 * time show the number of samples.
 *
 *	#  total   blocked run queue
 *	  36.52%    4271.5       5.4
 */
#ifndef RWALKER_REPORT_VIEW_FIGURE_COLUMNS_H
#define RWALKER_REPORT_VIEW_FIGURE_COLUMNS_H

#include "report/view/groups.h"
#include "report/view/view.h"

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
