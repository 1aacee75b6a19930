/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --config FILE: options, one to a line, as on the command line but without quotes: what follows the
 * first blank is the value. Empty lines and those that begin with '#' are skipped.
 */
#ifndef RWALKER_RECORD_PLAN_RECORD_OPTION_FILE_H
#define RWALKER_RECORD_PLAN_RECORD_OPTION_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct option_set;

enum { OPTION_FILE_BYTES = 16 << 10, OPTION_FILE_LINES = 128 };

struct option_line {
	const char *option; /* "--flight", "-p" */
	const char *value;  /* NULL: none */
};

struct record_option_file { /* zeroed: none was given. Do not copy it: values of the config point into it. */
	const char *path;
	struct option_line lines[OPTION_FILE_LINES];
	size_t count;
	char text[OPTION_FILE_BYTES];
};

/* Reads it and parses its options into the config that it is part of. 0, -EINVAL after reporting why. */
int record_option_file_read(struct record_option_file *file, const struct option_set *options, void *config,
			    const char *path);

/*
 * Whether both have the same lines in the same order, except those of the options in `ignored`
 * ("--post"; NULL-terminated).
 */
bool record_option_file_equal(const struct record_option_file *left, const struct record_option_file *right,
			      const char *const ignored[]);

#endif
