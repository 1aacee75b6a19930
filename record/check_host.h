/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --check-host: a row for each thing that recording needs or can use. */
#ifndef RWALKER_RECORD_CHECK_HOST_H
#define RWALKER_RECORD_CHECK_HOST_H

#include <stdbool.h>
#include <stdio.h>

enum check_verdict { CHECK_YES, CHECK_LIMITED, CHECK_NO, CHECK_UNKNOWN /* not without more rights */ };

struct check_row {
	const char *what;
	bool required; /* a default recording needs it */
	enum check_verdict verdict;
	char means[160];
	const char *remedy; /* NULL: none is needed */
};

/* Prints the table. Returns the exit code: 0 if walks, samples and waits can be recorded, else 1. */
int check_host(FILE *out);

/* check_files.c: what can be read, and what of it is required. Each fills in all but `what` and `required`. */

void check_functions(struct check_row *row);

#endif
