/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/log2_histogram.h"

#include <inttypes.h>

enum {
	STARS = 40,
	NARROW = 10, /* columns of a number; rows from 2^33 us on need more, and then all rows get more */
	WIDE = 20,
	NARROW_ROWS = 33,
};

void log2_histogram_add(struct log2_histogram *histogram, uint64_t ns)
{
	uint64_t us = ns / 1000;

	histogram->rows[us < 2 ? 0 : 63 - __builtin_clzll(us)]++;
}

static uint64_t row_first(unsigned int row)
{
	return row ? UINT64_C(1) << row : 0;
}

static void write_row(const struct log2_histogram *histogram, unsigned int row, uint64_t most,
		      int width, FILE *out)
{
	static const char stars[] = "****************************************";
	uint64_t count = histogram->rows[row];
	int length = (int)((unsigned __int128)count * STARS / most);

	(void)fprintf(out, "%*" PRIu64 " -> %-*" PRIu64 " : %-8" PRIu64 " |%-*.*s|\n", width,
		      row_first(row), width, (UINT64_C(2) << row) - 1, count, STARS, length, stars);
}

void log2_histogram_write(const struct log2_histogram *histogram, FILE *out)
{
	unsigned int first = 0, last = LOG2_ROWS;
	uint64_t most = 0;
	int width;

	for (unsigned int row = 0; row < LOG2_ROWS; row++)
		if (histogram->rows[row] > most)
			most = histogram->rows[row];
	if (!most)
		return;
	while (!histogram->rows[first])
		first++;
	while (!histogram->rows[last - 1])
		last--;
	width = last > NARROW_ROWS ? WIDE : NARROW;
	(void)fprintf(out, "%*s%-*s : count     distribution\n", width == NARROW ? 5 : 15, "",
		      width == NARROW ? 19 : 29, "usecs");
	for (unsigned int row = first; row < last; row++) {
		unsigned int next = row;

		while (!histogram->rows[next])
			next++;
		if (next - row > 1) {
			(void)fprintf(out, "%*s\n", width, "...");
			row = next - 1;
		} else {
			write_row(histogram, row, most, width, out);
		}
	}
}
