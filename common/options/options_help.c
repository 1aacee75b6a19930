/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdbool.h>
#include <string.h>

#include "common/options/options.h"

enum { HELP_COLUMN = 27, LINE_COLUMNS = 80 };

/* "  -p, --profile N"; returns its width. */
static int print_names(const struct option_row *row, FILE *out)
{
	bool optional = row->value_name && row->value_name[0] == '[';
	int width;

	if (!row->long_name)
		width = fprintf(out, "  -%c", row->short_name);
	else if (row->short_name)
		width = fprintf(out, "  -%c, --%s", row->short_name, row->long_name);
	else
		width = fprintf(out, "      --%s", row->long_name);
	if (optional)
		width += fprintf(out, "[=%s", row->value_name + strspn(row->value_name, "[="));
	else if (row->value_name)
		width += fprintf(out, " %s", row->value_name);
	return width;
}

/* The help text from `column` on, broken between words; a newline in it is kept. */
static void print_wrapped(const char *text, int column, FILE *out)
{
	int at = column;

	while (*text) {
		int length = (int)strcspn(text, " \n");

		if (at > HELP_COLUMN && at + 1 + length > LINE_COLUMNS)
			at = fprintf(out, "\n%*s", HELP_COLUMN, "") - 1;
		else if (at > HELP_COLUMN)
			at += fprintf(out, " ");
		at += fprintf(out, "%.*s", length, text);
		text += length;
		if (*text == '\n')
			at = fprintf(out, "\n%*s", HELP_COLUMN, "") - 1;
		text += *text != '\0';
	}
	(void)fputc('\n', out);
}

static void print_row(const struct option_row *row, FILE *out)
{
	int width = print_names(row, out);

	if (width + 2 > HELP_COLUMN)
		(void)fprintf(out, "\n%*s", HELP_COLUMN, "");
	else
		(void)fprintf(out, "%*s", HELP_COLUMN - width, "");
	print_wrapped(row->help, HELP_COLUMN, out);
}

static bool is_shown(const struct option_row *row, bool all)
{
	return row->group && (all || row->often);
}

static bool group_was_printed(const struct option_set *set, const struct option_row *row, bool all)
{
	for OPTIONS_EACH(earlier, set) {
		if (earlier == row)
			break;
		if (is_shown(earlier, all) && !strcmp(earlier->group, row->group))
			return true;
	}
	return false;
}

static void print_group(const struct option_set *set, const char *group, bool all, FILE *out)
{
	(void)fprintf(out, all ? "\n%s:\n" : "%s:\n", group);
	for OPTIONS_EACH(row, set)
		if (is_shown(row, all) && !strcmp(row->group, group))
			print_row(row, out);
}

void options_print_help(const struct option_set *set, bool all, FILE *out)
{
	(void)fprintf(out, "Usage: %s\n", set->usage);
	if (set->examples && *set->examples)
		(void)fputs(all ? "\nExamples:\n" : "Examples:\n", out);
	for (const char *const *example = set->examples; example && *example; example++)
		(void)fprintf(out, "  %s\n", *example);
	for OPTIONS_EACH(row, set)
		if (is_shown(row, all) && !group_was_printed(set, row, all))
			print_group(set, row->group, all, out);
	if (!all)
		(void)fputs("All options: --help=all\n", out);
}
