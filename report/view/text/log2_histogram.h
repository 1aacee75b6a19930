/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A histogram of durations, in microseconds by powers of two, in bcc's format:
 *
 *	     usecs               : count     distribution
 *	      1024 -> 2047       : 11       |****************************************|
 *	       ...
 *	    262144 -> 524287     : 1        |***                                     |
 *
 * Empty rows before the first and after the last non-empty one are left out; several empty rows in
 * between become one line "...".
 */
#ifndef RWALKER_REPORT_VIEW_TEXT_LOG2_HISTOGRAM_H
#define RWALKER_REPORT_VIEW_TEXT_LOG2_HISTOGRAM_H

#include <stdint.h>
#include <stdio.h>

enum { LOG2_ROWS = 64 };

struct log2_histogram {
	uint64_t rows[LOG2_ROWS]; /* rows[n] counts [2^n, 2^(n+1)) us, rows[0] [0, 2) */
};

void log2_histogram_add(struct log2_histogram *histogram, uint64_t ns);

/* Prints nothing if nothing was counted. */
void log2_histogram_write(const struct log2_histogram *histogram, FILE *out);

#endif
