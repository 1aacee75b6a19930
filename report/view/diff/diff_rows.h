/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Lines of a comparison: before, after, change and noise, per second of recording. The noise of a
 * line is the larger difference between the two halves of a trace, or, if that is more, the
 * variation that so few samples have by chance. Lines whose change does not exceed their noise, or
 * is a small part of the whole, are counted and not shown. The others are sorted by how far the
 * change exceeds the noise, then by the change.
 */
#ifndef RWALKER_REPORT_VIEW_DIFF_DIFF_ROWS_H
#define RWALKER_REPORT_VIEW_DIFF_DIFF_ROWS_H

#include <stdbool.h>
#include <stdio.h>

#include "report/view/diff/diff_tree.h"
#include "report/view/text/view.h"

struct diff_unit {
	uint64_t divisor, most; /* rates up to `most` are written in it */
	const char *name;
};

struct diff_scale {
	uint64_t recorded[DIFF_SIDES]; /* ns, not 0 */
	uint64_t whole;		       /* rate of everything, on the side where it is larger */
	const struct diff_unit *unit;
	const char *counted;	       /* "samples", "cycles"; NULL: time */
	unsigned int chance;	       /* standard deviations of counts that are still chance */
};

/* Sets `unit` and `whole` for `all`, the sum of what is compared. The other members must be set. */
void diff_scale_choose(struct diff_scale *scale, const struct diff_pair *all);
/* "ms", "million cycles": the unit of figures, per second of recording. */
void diff_scale_write_unit(const struct diff_scale *scale, FILE *out);

struct diff_row {
	struct diff_pair pair;
	uint32_t key[2]; /* for use by the table */
	uint64_t before, after, noise; /* rates; filled in later */
	const char *name; /* orders equal rows */
};

struct diff_rows {
	ARRAY(struct diff_row) items;
	size_t within; /* rows that changed no more than their noise */
	size_t small;  /* rows that changed by less than the least share of the whole */
};

void diff_rows_deinit(struct diff_rows *rows);
/* Ignores rows without weight on either side. -ENOMEM. */
int diff_rows_add(struct diff_rows *rows, const struct diff_row *row);
/* Fills in the rates, leaves out rows that did not change enough, and sorts the rest. */
void diff_rows_judge(struct diff_rows *rows, const struct diff_scale *scale, uint64_t min_share);

enum { DIFF_FIGURES_WIDTH = 4 * 11 + 2 }; /* columns before the text */

void diff_rows_write_head(const char *what, FILE *out);
/* Computes the rates. */
void diff_row_fill_in(struct diff_row *row, const struct diff_scale *scale);
/* Writes the four figures; the text after them begins at column DIFF_FIGURES_WIDTH. */
void diff_row_write(const struct diff_row *row, const struct diff_scale *scale, FILE *out);

#endif
