/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/figure_columns.h"

#include <inttypes.h>
#include <string.h>

#include "common/time_units.h"
#include "report/profile/figures.h"
#include "report/profile/profile_waits.h"
#include "report/view/page.h"

/* `most`: in this unit, a whole source of that size has at most 7 digits before the point. */
static const struct figure_unit {
	uint64_t ns, most;
	const char *name;
} units[] = {
	{MICROSECOND, 10 * MILLISECOND, "us"},
	{MILLISECOND, 10000 * SECOND, "ms"},
	{SECOND, UINT64_MAX, "s"},
};

static bool is_timed(const struct profile_source *source)
{
	return !strcmp(source->weight_unit, "ns");
}

static enum figure_kind kind_of(const struct profile_source *source)
{
	if (source->kind == PROFILE_OFFCPU)
		return FIGURES_WAITED;
	return is_timed(source) ? FIGURES_TIMED : FIGURES_COUNTED;
}

static bool has_throttled(const struct profile *profile, const struct profile_source *source)
{
	const struct profile_source *sources;
	size_t count = profile_sources(profile, &sources);
	const struct profile_wait_totals *totals = NULL;

	for (size_t i = 0; i < count && !totals; i++)
		totals = &sources[i] == source ? profile_wait_totals(profile, (uint32_t)i) : NULL;
	return totals && totals->classes[WAIT_THROTTLED].count;
}

struct figure_columns figure_columns_of(const struct view_context *context, const struct profile_source *source)
{
	const struct figure_unit *unit = units;

	while (source->weight > unit->most)
		unit++;
	return (struct figure_columns){
		.source = source, .kind = kind_of(source), .unit = unit->ns, .color = context->settings->color,
		.throttled = has_throttled(context->profile, source)};
}

const char *figure_columns_unit(const struct figure_columns *columns)
{
	const struct figure_unit *unit = units;

	if (columns->kind == FIGURES_COUNTED)
		return page_unit(columns->source);
	while (unit->ns != columns->unit)
		unit++;
	return unit->name;
}

size_t figure_columns_width(const struct figure_columns *columns)
{
	size_t amounts = columns->kind == FIGURES_WAITED ? 2U + columns->throttled : 1U;

	return FIGURE_SHARE_WIDTH + amounts * FIGURE_AMOUNT_WIDTH;
}

void figure_columns_write_head(const struct figure_columns *columns, const char *name, bool first, FILE *out)
{
	(void)fprintf(out, "%s%*s", first ? "#" : "", FIGURE_SHARE_WIDTH - first, name);
	if (columns->kind == FIGURES_WAITED)
		(void)fprintf(out, "%*s%*s%*s", FIGURE_AMOUNT_WIDTH, "blocked", FIGURE_AMOUNT_WIDTH, "run queue",
			      columns->throttled ? FIGURE_AMOUNT_WIDTH : 0, columns->throttled ? "throttled" : "");
	else
		(void)fprintf(out, "%*s", FIGURE_AMOUNT_WIDTH, figure_columns_unit(columns));
}

void figure_columns_write_share(const struct figure_columns *columns, uint64_t weight, FILE *out)
{
	uint64_t whole = page_total(columns->source);
	size_t length = strlen(figure_percent(weight, whole).text) + 1;

	(void)fprintf(out, "%*s", length < FIGURE_SHARE_WIDTH ? (int)(FIGURE_SHARE_WIDTH - length) : 0, "");
	paint_percent(out, columns->color, weight, whole);
}

/* Writes tenths of the unit, rounded. */
static void write_amount(const struct figure_columns *columns, uint64_t ns, FILE *out)
{
	uint64_t tenth = columns->unit / 10, tenths = ns / tenth + (ns % tenth >= tenth - tenth / 2);

	(void)fprintf(out, " %*" PRIu64 ".%" PRIu64, FIGURE_AMOUNT_WIDTH - 3, tenths / 10, tenths % 10);
}

/* A blank comes first, so that a large number does not touch its neighbour. */
void figure_columns_write_count(uint64_t count, FILE *out)
{
	(void)fprintf(out, " %*" PRIu64, FIGURE_AMOUNT_WIDTH - 1, count);
}

void figure_columns_write(const struct figure_columns *columns, const struct tally *tally, FILE *out)
{
	figure_columns_write_share(columns, tally->weight, out);
	switch (columns->kind) {
	case FIGURES_COUNTED:
		figure_columns_write_count(tally->samples, out);
		break;
	case FIGURES_TIMED:
		write_amount(columns, tally->weight, out);
		break;
	case FIGURES_WAITED:
		write_amount(columns, tally->weight - tally->run_queue - tally->throttled, out);
		write_amount(columns, tally->run_queue, out);
		if (columns->throttled)
			write_amount(columns, tally->throttled, out);
		break;
	}
}

void figure_write_time(const struct profile_source *source, const struct tally *tally, FILE *out)
{
	if (!is_timed(source))
		return;
	(void)fprintf(out, "  (%sms", figure_milliseconds(tally->weight).text);
	if (source->kind == PROFILE_OFFCPU)
		(void)fprintf(out, ": blocked %sms, run queue %sms",
			      figure_milliseconds(tally->weight - tally->run_queue - tally->throttled).text,
			      figure_milliseconds(tally->run_queue).text);
	if (tally->throttled)
		(void)fprintf(out, ", throttled %sms", figure_milliseconds(tally->throttled).text);
	(void)fputc(')', out);
}
