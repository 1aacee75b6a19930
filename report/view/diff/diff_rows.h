/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Lines of a comparison: before, after, change and noise, per second of recording. The noise of a
 * line is the most that the two halves of one of the traces differ by, or what chance makes of so
 * few samples, if that is more. What changed by no more than its noise, or by little of the whole,
 * is counted and not shown; the others are sorted by how far the change is above the noise, then
 * by the change.
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
	uint64_t whole;		       /* rate of all, the larger one */
	const struct diff_unit *unit;
	const char *counted;	       /* "samples", "cycles"; NULL: time */
	unsigned int chance;	       /* deviations of counting that are no news */
};

/* Chooses unit and whole for `all` that is compared; `recorded`, `counted` and `chance` are set. */
void diff_scale_choose(struct diff_scale *scale, const struct diff_pair *all);
/* "ms", "million cycles": what figures are, a second of recording. */
void diff_scale_write_unit(const struct diff_scale *scale, FILE *out);

struct diff_row {
	struct diff_pair pair;
	uint32_t key[2]; /* the table's */
	uint64_t before, after, noise; /* rates; filled in later */
	const char *name; /* that decides between equals */
};

struct diff_rows {
	ARRAY(struct diff_row) items;
	size_t within; /* were within their noise */
	size_t small;  /* less than the least share of the whole */
};

void diff_rows_deinit(struct diff_rows *rows);
/* Nothing of nothing is no row. -ENOMEM. */
int diff_rows_add(struct diff_rows *rows, const struct diff_row *row);
/* Fills in the rates, leaves out what is no news, and sorts the rest. */
void diff_rows_judge(struct diff_rows *rows, const struct diff_scale *scale, uint64_t min_share);

enum { DIFF_FIGURES_WIDTH = 4 * 11 + 2 }; /* columns before the text */

void diff_rows_write_head(const char *what, FILE *out);
/* Computes the rates. */
void diff_row_fill_in(struct diff_row *row, const struct diff_scale *scale);
/* The four figures; what follows begins at DIFF_FIGURES_WIDTH. */
void diff_row_write(const struct diff_row *row, const struct diff_scale *scale, FILE *out);

#endif
