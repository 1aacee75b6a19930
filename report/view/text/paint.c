/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/paint.h"

#include "report/profile/seam/figures.h"

static const char plain[] = "\033[0m", bold[] = "\033[1m";

static const struct share_color {
	uint64_t share; /* millionths */
	const char *start;
} share_colors[] = {{50000, "\033[31m"}, {5000, "\033[32m"}, {0, ""}};

void paint_percent(FILE *out, bool color, uint64_t part, uint64_t whole)
{
	const struct share_color *row = share_colors;

	while (!figure_reaches(part, whole, row->share))
		row++;
	(void)fprintf(out, "%s%s%%%s", color ? row->start : "", figure_percent(part, whole).text,
		      color && row->share ? plain : "");
}

void paint_heading(FILE *out, bool color, const char *text)
{
	(void)fprintf(out, "%s%s%s", color ? bold : "", text, color ? plain : "");
}
