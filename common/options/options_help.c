/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/log.h"
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

/* --- completion --- */

enum { FUNCTION_NAME = 64 };

static bool is_optional(const struct option_row *row)
{
	return row->value_name && row->value_name[0] == '[';
}

static bool takes_value(const struct option_row *row)
{
	return row->value_name && !is_optional(row);
}

/* Its value is the name of a file. */
static bool takes_file(const struct option_row *row)
{
	static const char *const names[] = {"FILE", "DIR", "PATH", "KEY"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (takes_value(row) && !strcmp(row->value_name, names[i]))
			return true;
	return false;
}

/* The text with a backslash before each of `special`, for use within single quotes of a shell; a newline is a blank. */
static void write_quoted(const char *text, const char *special, const char *quote, FILE *out)
{
	for (; *text; text++) {
		if (*text == '\'') {
			(void)fputs(quote, out);
			continue;
		}
		if (strchr(special, *text))
			(void)fputc('\\', out);
		(void)fputc(*text == '\n' ? ' ' : *text, out);
	}
}

/* --- bash --- */

/* Each after a separator, as a pattern (with_value_only) or as words. */
static void print_option_words(const struct option_set *set, bool with_value_only, FILE *out)
{
	char separator = with_value_only ? '|' : ' ';

	for OPTIONS_EACH(row, set) {
		if (!row->group || (with_value_only && !takes_value(row)))
			continue;
		if (row->long_name)
			(void)fprintf(out, "%c--%s", separator, row->long_name);
		if (row->short_name)
			(void)fprintf(out, "%c-%c", separator, row->short_name);
	}
}

/* After an option that needs a value, and for anything that is not an option, bash completes file names itself. */
static void print_bash(const struct option_set *set, const char *program, FILE *out)
{
	char function[FUNCTION_NAME];
	size_t length = 0;

	for (; program[length] && length < sizeof(function) - 1; length++)
		function[length] = isalnum((unsigned char)program[length]) ? program[length] : '_';
	function[length] = '\0';
	(void)fprintf(out,
		      "# bash completion for %s\n_%s() {\n\tCOMPREPLY=()\n"
		      "\tcase ${COMP_WORDS[COMP_CWORD-1]} in\n\t''",
		      program, function);
	print_option_words(set, true, out);
	(void)fprintf(out, ") return ;;\n\tesac\n\t[[ ${COMP_WORDS[COMP_CWORD]} == -* ]] || return 0\n"
			   "\tCOMPREPLY=($(compgen -W \"");
	print_option_words(set, false, out);
	(void)fprintf(out,
		      "\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o default -F _%s %s\n",
		      function, program);
}

/* --- zsh: the grammar of _arguments --- */

/* "[help]:VALUE:action'": what follows an option's name. */
static void print_zsh_rest(const struct option_row *row, FILE *out)
{
	(void)fputc('[', out);
	write_quoted(row->help, "[]\\", "'\\''", out);
	(void)fputc(']', out);
	if (is_optional(row)) {
		const char *name = row->value_name + strspn(row->value_name, "[=");

		(void)fprintf(out, "::%.*s: ", (int)strcspn(name, "]"), name);
	} else if (row->value_name) {
		(void)fprintf(out, ":%s:%s", row->value_name, takes_file(row) ? "_files" : " ");
	}
	(void)fputs("'", out);
}

static void print_zsh_row(const struct option_row *row, FILE *out)
{
	const char *repeats = row->kind == OPTION_LIST || row->kind == OPTION_PARSE ? "*" : "";

	if (row->long_name) {
		(void)fprintf(out, " \\\n\t'%s--%s%s", repeats, row->long_name,
			      takes_value(row) ? "=" : is_optional(row) ? "=-" : "");
		print_zsh_rest(row, out);
	}
	if (row->short_name) {
		(void)fprintf(out, " \\\n\t'%s-%c%s", repeats, row->short_name, takes_value(row) ? "+" : "");
		print_zsh_rest(row, out);
	}
}

static void print_zsh(const struct option_set *set, const char *program, FILE *out)
{
	(void)fprintf(out, "#compdef %s\n_arguments -s -S", program);
	for OPTIONS_EACH(row, set)
		if (row->group)
			print_zsh_row(row, out);
	(void)fprintf(out, " \\\n\t'*:file:_files'\n");
}

/* --- fish --- */

static void print_fish(const struct option_set *set, const char *program, FILE *out)
{
	(void)fprintf(out, "# fish completion for %s\n", program);
	for OPTIONS_EACH(row, set) {
		if (!row->group)
			continue;
		(void)fprintf(out, "complete -c %s", program);
		if (row->short_name)
			(void)fprintf(out, " -s %c", row->short_name);
		if (row->long_name)
			(void)fprintf(out, " -l %s", row->long_name);
		if (takes_value(row))
			(void)fputs(takes_file(row) ? " -r" : " -x", out);
		(void)fputs(" -d '", out);
		write_quoted(row->help, "\\", "\\'", out);
		(void)fputs("'\n", out);
	}
}

int options_print_completion(const struct option_set *set, const char *program, const char *shell, FILE *out)
{
	static const struct {
		const char *name;
		void (*print)(const struct option_set *set, const char *program, FILE *out);
	} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (!strcmp(*shell ? shell : "bash", shells[i].name)) {
			shells[i].print(set, program, out);
			return 0;
		}
	return log_error(EINVAL, "--completion must be bash, zsh or fish, not '%s'", shell);
}
