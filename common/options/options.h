/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The command line: values, rows of options and what is done with them, and the name closest to a mistyped word. */
#ifndef RWALKER_COMMON_OPTIONS_OPTIONS_H
#define RWALKER_COMMON_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct nearest { /* finds the closest name */
	const char *word;
	size_t length; /* of the word */
	size_t least;  /* edits (insert, delete, replace) between the word and the best name so far */
	const char *name; /* the best one, owned by the caller; NULL: none is near */
};

struct nearest nearest_begin(const char *word, size_t length);
/* A name that begins with the word is best; among equally good ones the first wins. */
void nearest_try(struct nearest *nearest, const char *name);

/*
 * Values that are more than a number or a text. All are strict: -EINVAL if the
 * text is not completely understood; the caller, which knows the option's name, reports it.
 */
/* "2.5" in units of 10^-places: 2500 for places = 3. No sign, no exponent, no more digits than places. */
int option_value_decimal(const char *text, unsigned int places, uint64_t *ret_value);
/* "512M", "4G", "0". */
int option_value_size(const char *text, uint64_t *ret_bytes);
/* "12,345": appends to `ids`, which has room for `room`; *count are already used. -E2BIG if there are too many. */
int option_value_ids(const char *text, uint32_t *ids, size_t room, size_t *count);
/* Parses a decimal number at the start of *text and advances *text past it: for values that continue. */
int option_value_take_decimal(const char **text, unsigned int places, uint64_t *ret_value);

/*
 * The command line: one row per option drives parsing, --help, shell completion and the man page
 * check. Rows point at members of a plain config struct by offset; the parser fills it without
 * knowing what the members mean. Long and short options, `--name=value`, `--name value`, `-n5`,
 * bundled flags, and "--", which ends the options. A flag's member is bool, a number's and a
 * time's int64_t, a text's const char * (pointing into argv), a list's struct option_list; a row
 * with `parse` parses its value itself.
 */
enum option_kind {
	OPTION_FLAG,
	OPTION_NUMBER, /* decimal, within [min, max] */
	OPTION_TIME,   /* a length of time, stored in nanoseconds, within [min, max] */
	OPTION_TEXT,
	OPTION_LIST,   /* may be given several times */
	OPTION_PARSE,  /* the value is passed to row->parse */
	OPTION_CHOICE, /* in set->choices: it is passed to set->choose, with its value if it takes one */
};

enum { OPTION_LIST_MAX = 64 };

struct option_list {
	const char *items[OPTION_LIST_MAX];
	size_t count;
};

struct option_row {
	const char *group;	/* heading in --help; NULL: hidden from help (aliases) */
	const char *long_name;	/* without dashes; may be NULL */
	char short_name;	/* 0: none */
	enum option_kind kind;
	size_t offset;		/* of the member in the config struct */
	/*
	 * "N", "FILE"; NULL for flags; "[=N]" if the value is optional: then it can only be given
	 * as --name=value, and without it a number is its min, a text is "" and `parse` gets NULL.
	 */
	const char *value_name;
	int64_t min, max;	/* OPTION_NUMBER, OPTION_TIME */
	int64_t usual;		/* likewise: the value if it is not given; options_set_usual() */
	size_t given;		/* offset of a bool that says whether it was given; 0: none */
	uint64_t unit;		/* OPTION_TIME: of a number without one */
	int (*parse)(void *config, const char *value); /* 0, or -EINVAL after reporting why */
	const char *help;
	bool often;		/* also in the short help */
};

/*
 * What people type who know other programs, and what to type here instead: an option ("-g",
 * "--stdio"), an option with a value that ours does not take ("-i FILE"), or a first word
 * ("record"). The error is "'TYPED' ANSWER", exit 2.
 */
struct option_habit {
	const char *typed; /* NULL: the end of the table */
	const char *answer;
};

/* The kinds of rows: members of struct option_row after its three names. */
#define TAKES_NOTHING(at)		  .kind = OPTION_FLAG, .offset = (at)
#define TAKES_NUMBER(value, at, least, most) \
	.kind = OPTION_NUMBER, .value_name = (value), .offset = (at), .min = (least), .max = (most)
#define TAKES_TIME(value, at, one, least, most) \
	.kind = OPTION_TIME, .value_name = (value), .offset = (at), .unit = (one), .min = (least), .max = (most)
#define TAKES_TEXT(value, at)		  .kind = OPTION_TEXT, .value_name = (value), .offset = (at)
#define TAKES_LIST(value, at)		  .kind = OPTION_LIST, .value_name = (value), .offset = (at)
#define IS_PARSED(value, function)	  .kind = OPTION_PARSE, .value_name = (value), .parse = (function)

struct option_set {
	const char *usage;	  /* the lines after "Usage: " */
	const char *const *examples; /* NULL-terminated, printed first in help */
	const struct option_row *rows; /* ends with a row without names */
	/* Options that are parts of something else, before the rows: ends with NULL; NULL: there are none. */
	const struct option_row *const *choices;
	/* 0, or -EINVAL after reporting why. */
	int (*choose)(void *config, const struct option_row *choice, const char *value);
	const struct option_habit *habits; /* NULL: none */
	/* Says why the word argv[at], which is no option, is wrong; NULL: words are welcome. Returns -EINVAL. */
	int (*refuse_word)(int argc, char **argv, int at);
};

/* The row of a set after `before`, or its first one after NULL; NULL: there are no more. */
const struct option_row *options_next(const struct option_set *set, const struct option_row *before);
#define OPTIONS_EACH(row, set) \
	(const struct option_row *row = options_next(set, NULL); row; row = options_next(set, row))

/* Before parsing: a number or time has its usual value until another one is given. */
void options_set_usual(const struct option_set *set, void *config);

/*
 * Parses argv[1..]; rearranges nothing. *ret_rest is the index of the first word after "--", or
 * argc; words before it that are not options are appended to `words`. The error for an unknown
 * option is that of its habit, or suggests its nearest match. 0, -EINVAL (already reported; the
 * program exits 2).
 */
int options_parse(const struct option_set *set, void *config, struct option_list *words, int argc, char **argv,
		  int *ret_rest);

/* The habit of exactly that name; NULL: none. */
const struct option_habit *options_habit(const struct option_set *set, const char *typed, size_t length);

/* Prints the help to `out`, grouped, examples first: all of it, or what is needed often. */
void options_print_help(const struct option_set *set, bool all, FILE *out);
/* A completion script for `program`, of "bash" (also if it is ""), "zsh" or "fish". 0, -EINVAL after reporting why. */
int options_print_completion(const struct option_set *set, const char *program, const char *shell, FILE *out);

/* "1,4-7" into a bitmap of `bits` bits (as 64-bit words); -EINVAL: malformed; -ERANGE: out of range. */
int options_parse_list(const char *text, uint64_t *bitmap, size_t bits);

#endif
