/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/diff/diff_rows.h"

#include <inttypes.h>
#include <string.h>

#include "common/time_units.h"
#include "report/profile/seam/figures.h"

static const uint64_t RATE_MAX = UINT64_C(1) << 60;
enum { COUNTED_PARTS = 1000, COLUMN = 11 };

/* Rates of time are in ns per second, rates of counts in thousandths per second. */
static const struct diff_unit time_units[] = {
	{MICROSECOND, 10 * MILLISECOND, "us"},
	{MILLISECOND, 10000 * SECOND, "ms"},
	{SECOND, UINT64_MAX, "s"},
};
static const struct diff_unit count_units[] = {
	{COUNTED_PARTS, UINT64_C(10000000) * COUNTED_PARTS, ""},
	{UINT64_C(1000000) * COUNTED_PARTS, UINT64_MAX, "million "},
};

/* --- rates --- */

static uint64_t rate_of(const struct diff_scale *scale, uint64_t weight, uint64_t duration)
{
	unsigned __int128 rate = (unsigned __int128)weight * SECOND * (scale->counted ? COUNTED_PARTS : 1) / duration;

	return rate < RATE_MAX ? (uint64_t)rate : RATE_MAX;
}

static uint64_t difference(uint64_t left, uint64_t right)
{
	return left > right ? left - right : right - left;
}

static uint64_t larger(uint64_t left, uint64_t right)
{
	return left > right ? left : right;
}

static uint64_t side_rate(const struct diff_scale *scale, const struct diff_pair *pair, size_t side)
{
	const struct diff_amount *amount = &pair->sides[side];

	return rate_of(scale, amount->halves[0] + amount->halves[1], scale->recorded[side]);
}

/* The difference between the halves of one trace. */
static uint64_t halves_rate(const struct diff_scale *scale, const struct diff_pair *pair, size_t side)
{
	const struct diff_amount *amount = &pair->sides[side];
	uint64_t half = larger(scale->recorded[side] / 2, 1);

	return rate_of(scale, difference(amount->halves[0], amount->halves[1]), half);
}

static uint64_t square_root(unsigned __int128 square)
{
	uint64_t root = 0;

	for (unsigned int bit = 64; bit-- > 0;) {
		uint64_t more = root | UINT64_C(1) << bit;

		if ((unsigned __int128)more * more <= square)
			root = more;
	}
	return root;
}

/* By chance, n samples may as well be n + sqrt(n), so each side varies by its rate / sqrt(n). */
static uint64_t chance_rate(const struct diff_scale *scale, const struct diff_pair *pair)
{
	unsigned __int128 variance = 0;

	for (size_t i = 0; i < DIFF_SIDES; i++) {
		uint64_t rate = side_rate(scale, pair, i);

		variance += (unsigned __int128)rate * rate / larger(pair->sides[i].samples, 1);
	}
	return scale->chance * square_root(variance);
}

void diff_row_fill_in(struct diff_row *row, const struct diff_scale *scale)
{
	row->before = side_rate(scale, &row->pair, DIFF_BEFORE);
	row->after = side_rate(scale, &row->pair, DIFF_AFTER);
	row->noise = larger(halves_rate(scale, &row->pair, DIFF_BEFORE), halves_rate(scale, &row->pair, DIFF_AFTER));
	row->noise = larger(row->noise, chance_rate(scale, &row->pair));
}

void diff_scale_choose(struct diff_scale *scale, const struct diff_pair *all)
{
	scale->whole = larger(side_rate(scale, all, DIFF_BEFORE), side_rate(scale, all, DIFF_AFTER));
	scale->unit = scale->counted ? count_units : time_units;
	while (scale->whole > scale->unit->most)
		scale->unit++;
}

void diff_scale_write_unit(const struct diff_scale *scale, FILE *out)
{
	(void)fprintf(out, "%s%s", scale->unit->name, scale->counted ? scale->counted : "");
}

/* --- rows --- */

void diff_rows_deinit(struct diff_rows *rows)
{
	array_free(&rows->items);
}

int diff_rows_add(struct diff_rows *rows, const struct diff_row *row)
{
	const struct diff_amount *before = &row->pair.sides[DIFF_BEFORE], *after = &row->pair.sides[DIFF_AFTER];

	if (!(before->halves[0] | before->halves[1] | after->halves[0] | after->halves[1]))
		return 0;
	return array_push(&rows->items, *row);
}

static uint64_t change(const struct diff_row *row)
{
	return difference(row->after, row->before);
}

static int compare_rows(const void *left, const void *right)
{
	const struct diff_row *l = left, *r = right;
	uint64_t l_above = change(l) - l->noise, r_above = change(r) - r->noise;

	if (l_above != r_above)
		return l_above > r_above ? -1 : 1;
	if (change(l) != change(r))
		return change(l) > change(r) ? -1 : 1;
	if (strcmp(l->name, r->name) != 0)
		return strcmp(l->name, r->name);
	return memcmp(l->key, r->key, sizeof(l->key));
}

void diff_rows_judge(struct diff_rows *rows, const struct diff_scale *scale, uint64_t min_share)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->items.count; i++) {
		struct diff_row *row = &rows->items.items[i];

		diff_row_fill_in(row, scale);
		if (change(row) <= row->noise)
			rows->within++;
		else if (!figure_reaches(change(row), scale->whole, min_share))
			rows->small++;
		else
			rows->items.items[kept++] = *row;
	}
	rows->items.count = kept;
	if (kept)
		qsort(rows->items.items, kept, sizeof(*rows->items.items), compare_rows);
}

/* --- text --- */

static void write_rate(const struct diff_scale *scale, uint64_t rate, const char *sign, FILE *out)
{
	uint64_t part = scale->unit->divisor / 100, parts = rate / part + (rate % part >= part - part / 2);
	char text[48];

	(void)snprintf(text, sizeof(text), "%s%" PRIu64 ".%02" PRIu64, sign, parts / 100, parts % 100);
	(void)fprintf(out, " %*s", COLUMN - 1, text);
}

void diff_rows_write_head(const char *what, FILE *out)
{
	(void)fprintf(out, "#%*s%*s%*s%*s  %s\n", COLUMN - 1, "before", COLUMN, "after", COLUMN, "change", COLUMN,
		      "noise", what);
}

void diff_row_write(const struct diff_row *row, const struct diff_scale *scale, FILE *out)
{
	write_rate(scale, row->before, "", out);
	write_rate(scale, row->after, "", out);
	write_rate(scale, change(row), row->after < row->before ? "-" : "+", out);
	write_rate(scale, row->noise, "", out);
	(void)fputs("  ", out);
}
