/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The meaning of the words in headings, columns and notes of reports: one table for --explain and
 * for the manual's section of words, which tests/lint/man.sh compares with it.
 */
#ifndef RWALKER_REPORT_TOOL_WORDS_H
#define RWALKER_REPORT_TOOL_WORDS_H

#include <stddef.h>
#include <stdio.h>

/*
 * Prints the meaning of `word`; NULL: the list of words; "all": each with its meaning, one per
 * line. -ENOENT if there is no such word, after reporting the nearest.
 */
int words_explain(const char *word, FILE *out);

/* "run queue", typed as two words, is one. Returns like words_explain(), after explaining all it can. */
int words_explain_each(const char *const *typed, size_t count, FILE *out);

#endif
