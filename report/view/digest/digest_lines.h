/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The lines of a digest: each has a label, a text, and in brackets the options that prove it. They
 * are collected first, because the digest has a limit: if there are too many, those of the highest
 * rank are dropped, the last of them first.
 *
 *	label      text, folded at the width of a terminal and never in a pipe  [--view -c '^comm$']
 */
#ifndef RWALKER_REPORT_VIEW_DIGEST_DIGEST_LINES_H
#define RWALKER_REPORT_VIEW_DIGEST_DIGEST_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { DIGEST_LINES = 25, /* as printed */
       DIGEST_MOST = 48,  /* collected */
       DIGEST_LABEL = 11 };

enum digest_rank { DIGEST_FIRST, DIGEST_MAIN, DIGEST_MORE, DIGEST_LEAST };

struct digest_line {
	const char *label; /* "" if the line continues the one above */
	char *text, *proof; /* both are printable; proof may be "" */
	enum digest_rank rank;
};

struct digest_lines {
	struct digest_line items[DIGEST_MOST];
	size_t count;
	FILE *text, *proof; /* of the line being written */
	size_t text_length, proof_length;
};

/* Begins a line: write to `text` and `proof`, then end it. 0, -ENOMEM. */
int digest_line_begin(struct digest_lines *lines, const char *label, enum digest_rank rank);
int digest_line_end(struct digest_lines *lines);

/* Adds a whole line. `text` and `proof` are printable; `proof` may be NULL. */
int digest_line_add(struct digest_lines *lines, const char *label, enum digest_rank rank, const char *text,
		    const char *proof);

/* `width` in columns; 0: do not fold. At most DIGEST_LINES lines are printed. */
void digest_lines_write(struct digest_lines *lines, unsigned int width, FILE *out);
void digest_lines_deinit(struct digest_lines *lines);

#endif
