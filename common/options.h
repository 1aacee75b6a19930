/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The command line: one row per option drives parsing, --help, shell completion and the man page check.
 * Rows point at members of a plain config struct by offset; the parser fills it and knows nothing of
 * what they mean. Long and short options, `--name=value`, `--name value`, `-n5`, bundled flags, and "--"
 * which ends options. A flag's member is bool, a number's int64_t, a text's const char * (pointing into argv),
 * a list's struct option_list; a row with `parse` handles its value itself.
 */
#ifndef RWALKER_COMMON_OPTIONS_H
#define RWALKER_COMMON_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum option_kind {
	OPTION_FLAG,
	OPTION_NUMBER, /* decimal, within [min, max] */
	OPTION_TEXT,
	OPTION_LIST,   /* may be given several times */
	OPTION_PARSE,  /* value goes to row->parse */
	OPTION_HINT,   /* known word that belongs elsewhere: row->help is the hint, exit 2 */
};

enum { OPTION_LIST_MAX = 64 };

struct option_list {
	const char *items[OPTION_LIST_MAX];
	size_t count;
};

struct option_row {
	const char *group;	/* heading in --help; NULL: hidden from help (aliases, hints) */
	const char *long_name;	/* without dashes; may be NULL */
	char short_name;	/* 0: none */
	enum option_kind kind;
	size_t offset;		/* of the member in the config struct */
	/* "N", "FILE"; NULL for flags; "[=N]" when the value is optional: then only --name=value gives one, and without it a
	 * number is its min, a text is "" and `parse` gets NULL. */
	const char *value_name;
	int64_t min, max;	/* OPTION_NUMBER */
	int (*parse)(void *config, const char *value); /* 0, or -EINVAL after it said why */
	const char *help;
};

struct option_set {
	const char *usage;	  /* lines after "Usage: " */
	const char *const *examples; /* NULL-terminated, printed first in help */
	const struct option_row *rows; /* ends with a row without names */
};

/*
 * Parses argv[1..]; rearranges nothing. *ret_rest is the index of the first word that is no option after
 * "--" or argc; words before it that are no options are appended to `words`. An unknown option is named with its
 * nearest match. 0, -EINVAL (already reported; the program exits 2).
 */
int options_parse(const struct option_set *set, void *config, struct option_list *words, int argc, char **argv,
		  int *ret_rest);

/* Grouped, examples first, to `out`. */
void options_print_help(const struct option_set *set, FILE *out);
/* A bash completion script for `program`. */
void options_print_completion(const struct option_set *set, const char *program, FILE *out);

/* "1,4-7" into a bitmap of `bits` bits (as 64-bit words); -EINVAL where malformed, -ERANGE where out of range. */
int options_parse_list(const char *text, uint64_t *bitmap, size_t bits);

#endif
